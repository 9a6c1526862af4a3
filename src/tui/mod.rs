//! The dashboard: one screen over one run directory.
