//! The holder with real processes, real terminals and real sockets.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "../hung_disk/mod.rs"]
mod hung_disk;

mod attach;
mod attempt;
mod endings;
mod full_or_hung;
mod signals;
mod survival;
