//! Files outside of runs: claims, pointers to runs, and what runs leave for later ones.

pub mod announcements;
pub mod claims;
pub mod discover;
pub mod history;
pub mod tunings;
