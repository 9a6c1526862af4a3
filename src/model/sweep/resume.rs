//! How an attempt continues the work of the attempt before it.

use serde::{Deserialize, Serialize};

use crate::model::ids::{AttemptNumber, GpuIndex};
use crate::model::outcome::Progress;

/// Whether and how attempts of a sweep continue where the one before stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resume {
    /// Every attempt starts from the beginning.
    #[default]
    Never,
    /// Templates name the output of the attempt before; each attempt has a folder of its own.
    FromPrevious,
    /// Attempts write into the folder of the first one.
    InPlace,
}

impl Resume {
    /// Reports whether every attempt starts from the beginning.
    pub fn is_never(&self) -> bool {
        *self == Self::Never
    }
}

/// Facts about the start of an attempt on which its templates depend.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants {
    /// The GPUs that the attempt was given.
    pub gpus: Vec<GpuIndex>,
    /// The attempts whose work it continues, oldest first; empty where it starts from the beginning.
    pub earlier: Vec<AttemptNumber>,
    /// Progress of those earlier attempts at their end, where it is known.
    pub done: Option<Progress>,
}

impl Grants {
    /// The attempt whose output folder is used by one with these earlier attempts.
    pub fn folder_of(&self, attempt: AttemptNumber, resume: Resume) -> AttemptNumber {
        match resume {
            Resume::Never | Resume::FromPrevious => attempt,
            Resume::InPlace => self.earlier.first().copied().unwrap_or(attempt),
        }
    }

    /// The attempts that hold a part of the results, oldest first: several only where each has a folder of its own.
    pub fn result_attempts(&self, attempt: AttemptNumber, resume: Resume) -> Vec<AttemptNumber> {
        match resume {
            Resume::Never | Resume::InPlace => vec![attempt],
            Resume::FromPrevious => self.earlier.iter().copied().chain([attempt]).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_attempts_with_folders_of_their_own_hold_parts() {
        let numbers = |list: &[u32]| list.iter().map(|number| AttemptNumber(*number)).collect::<Vec<_>>();
        let grants = Grants { earlier: numbers(&[1, 3]), ..Grants::default() };
        let of = |resume| {
            (grants.folder_of(AttemptNumber(4), resume), grants.result_attempts(AttemptNumber(4), resume))
        };
        assert_eq!(of(Resume::FromPrevious), (AttemptNumber(4), numbers(&[1, 3, 4])));
        assert_eq!(of(Resume::InPlace), (AttemptNumber(1), numbers(&[4])));
        assert_eq!(Grants::default().folder_of(AttemptNumber(1), Resume::InPlace), AttemptNumber(1));
    }
}
