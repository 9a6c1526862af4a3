//! All error patterns in one table.

use super::device::DEVICE;
use super::ends::ENDS;
use super::memory::MEMORY;
use super::surroundings::SURROUNDINGS;
use crate::progress::trouble::alerts::ErrorPattern;

const PARTS: [&[ErrorPattern]; 4] = [MEMORY, DEVICE, SURROUNDINGS, ENDS];

const COUNT: usize = MEMORY.len() + DEVICE.len() + SURROUNDINGS.len() + ENDS.len();

/// All error patterns; of several on one line the first counts. They are anchored on what only the failing library prints,
/// because the bare words occur in handled warnings and in prose too.
pub static ERROR_PATTERNS: [ErrorPattern; COUNT] = {
    let mut all = [MEMORY[0]; COUNT];
    let (mut part, mut written) = (0, 0);
    while part < PARTS.len() {
        let mut position = 0;
        while position < PARTS[part].len() {
            all[written] = PARTS[part][position];
            (position, written) = (position + 1, written + 1);
        }
        part += 1;
    }
    all
};
