//! Every path and every file format of a run directory, and nowhere else.
