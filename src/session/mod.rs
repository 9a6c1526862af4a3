//! The holder: the small process that owns the terminal of one attempt.
