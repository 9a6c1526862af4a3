//! The control problems that the demo evaluates.
