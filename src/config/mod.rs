//! A sweep file becomes a checked plan: pure, from text to values.
