//! Evaluators that print `Episode 3/100 reward=12.3 length=200 success=1`.

use super::counter::{Claim, Counter, NEEDLES};
use crate::progress::format::{Preset, Rank};

/// `Episode 3/100`, with any of `reward=`, `length=` or `len=`, and `success=` behind it; a count above it, such as
/// `Task 2/10`, drives.
pub const PRESET: Preset = Preset {
    name: "episode",
    unit: "episodes",
    rank: Rank::Manner,
    needles: NEEDLES,
    begin: || Box::new(Counter::new(Claim::Episodes)),
};
