//! What can be known before a run: missing programs, folders, space, drivers.
