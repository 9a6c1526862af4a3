//! `logs/ID.log`, by which a person finds the newest log of a shard.

use tracing::warn;

use crate::model::ids::AttemptKey;
use crate::rundir::layout::RunDir;

/// Makes the link of a shard lead to the log of an attempt, in place of an older one. No attempt fails without it.
pub(in crate::supervisor) fn link_newest_log(run: &RunDir, key: &AttemptKey) {
    let link = run.log_link(&key.shard);
    if let Err(error) = link.link_to(&RunDir::log_link_target(key)) {
        warn!("{} does not lead to the newest log: {error}", link.display());
    }
}
