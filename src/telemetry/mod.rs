//! Readings of GPUs, host and processes.
