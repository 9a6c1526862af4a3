//! The three variables by which the processes of an attempt are found again wherever they went.

use std::fs;
use std::path::Path;

use crate::model::ids::AttemptKey;

/// `SWEEPDECK_RUN`, `SWEEPDECK_SHARD` and `SWEEPDECK_ATTEMPT` of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptTag([(&'static str, String); 3]);

impl AttemptTag {
    /// The tag of an attempt; `run_dir` is absolute.
    pub fn new(run_dir: &Path, key: &AttemptKey) -> Self {
        Self([
            ("SWEEPDECK_RUN", run_dir.to_string_lossy().into_owned()),
            ("SWEEPDECK_SHARD", key.shard.to_string()),
            ("SWEEPDECK_ATTEMPT", key.attempt.to_string()),
        ])
    }

    /// Names and values, to be set in the environment of the attempt.
    pub fn variables(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// The process was started with this tag; `false` where its environment may not be read.
    pub fn marks_process(&self, pid: u32) -> bool {
        fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environ| self.is_in(&environ))
    }

    fn is_in(&self, environ: &[u8]) -> bool {
        self.0.iter().all(|(name, value)| {
            environ.split(|byte| *byte == 0).any(|entry| {
                let rest = entry.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
                rest == Some(value.as_bytes())
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ids::{AttemptNumber, ShardId};

    #[test]
    fn only_the_whole_tag_counts() {
        let key = AttemptKey { shard: ShardId::new("a").unwrap(), attempt: AttemptNumber(1) };
        let tag = AttemptTag::new(Path::new("/runs/x"), &key);
        assert!(tag.is_in(b"A=1\0SWEEPDECK_RUN=/runs/x\0SWEEPDECK_ATTEMPT=1\0SWEEPDECK_SHARD=a\0"));
        assert!(!tag.is_in(b"SWEEPDECK_RUN=/runs/x\0SWEEPDECK_ATTEMPT=11\0SWEEPDECK_SHARD=a\0"));
        assert!(!tag.is_in(b"SWEEPDECK_RUN=/runs/x\0SWEEPDECK_SHARD=a\0"));
        assert!(!tag.is_in(b""));
    }
}
