//! The holder with real processes, real terminals and real sockets.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod attach;
mod attempt;
mod endings;
mod signals;
mod survival;
