//! Decisions: what happens next, as a pure function of state, input and now.
