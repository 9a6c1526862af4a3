//! What this run lets other users know of its claims, and what theirs leave it, each by choice.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tracing::warn;

use super::machine::MachineSurvey;
use crate::model::attempt::ProcessIdentity;
use crate::model::claims::announcement::{Announcement, UserAnnouncement};
use crate::model::claims::claim::{AttemptClaim, Tenancy};
use crate::model::claims::neighbours::Neighbours;
use crate::model::ids::{GpuIndex, RunId};
use crate::model::units::Bytes;
use crate::rundir::machine_wide::announcements::{self, Announcer};
use crate::scheduler::machine::{OtherClaim, OtherGpu};
use crate::socket::address;

/// Others' files are read no more often: decisions may come by the hundred.
const LOOK_AFTER: Duration = Duration::from_secs(1);

/// Announcements, ours and theirs.
#[derive(Debug, Default)]
pub(in crate::supervisor) struct NeighbourClaims {
    announcer: Option<Announcer>,
    /// The run makes way for others, so that what they claim counts.
    yields: bool,
    looked: Option<Instant>,
    others: Vec<UserAnnouncement>,
}

impl NeighbourClaims {
    /// As the sweep chooses. A folder that cannot be made keeps no run from working.
    pub(in crate::supervisor) fn open(run: &RunId, chosen: &Neighbours) -> Self {
        let announcer = chosen.announce.then(|| open_announcer(run)).flatten();
        Self { announcer, yields: chosen.yield_for.is_some(), looked: None, others: Vec::new() }
    }

    /// Reads what others claim; true where it has changed.
    pub(in crate::supervisor) fn refresh_others(&mut self) -> bool {
        let is_due = self.looked.is_none_or(|looked| looked.elapsed() >= LOOK_AFTER);
        if !self.yields || !is_due {
            return false;
        }
        self.looked = Some(Instant::now());
        let others = announcements::of_others();
        let has_changed = others != self.others;
        self.others = others;
        has_changed
    }

    /// Returns what other users' runs claim and do not use yet: the rest is missing from what is free.
    pub(in crate::supervisor) fn unused_claims(
        &self,
        names: &HashMap<GpuIndex, String>,
        look: Option<&MachineSurvey>,
    ) -> Vec<OtherClaim> {
        let claim = |other: &UserAnnouncement| {
            let gpus = names.iter().filter_map(|(gpu, name)| {
                let claimed = other.what.gpus.iter().find(|claimed| claimed.gpu == *name)?.vram_bytes;
                let used = look.map_or(Bytes(0), |look| look.used_by(other.uid, *gpu));
                let due = Bytes(claimed.0.saturating_sub(used.0));
                (due > Bytes(0)).then_some(OtherGpu { gpu: *gpu, claim: Some(due), used: Some(Bytes(0)) })
            });
            OtherClaim {
                holder: format!("runs of user {}", other.uid),
                gpus: gpus.collect(),
                tenancy: Tenancy::Shared,
                cpus: Some(other.what.cpus).filter(|cpus| *cpus > 0),
                cores: Vec::new(),
                // Their use of main memory is not distinguished here, and would be counted twice.
                ram: None,
                rss: None,
            }
        };
        self.others.iter().map(claim).collect()
    }

    /// Lets others know what is held now.
    pub(in crate::supervisor) fn announce_held(&self, owner: &ProcessIdentity, held: &[AttemptClaim]) {
        let Some(announcer) = &self.announcer else { return };
        if held.is_empty() {
            return announcer.withdraw();
        }
        let held = held.iter().map(|attempt| (&attempt.gpus[..], &attempt.claim));
        if let Err(error) = announcer.publish(&Announcement::from_claims(owner.clone(), held)) {
            warn!("{error}");
        }
    }
}

fn open_announcer(run: &RunId) -> Option<Announcer> {
    // A hash of the run, so that its name stays private.
    let name = address::of_run(run).ok()?.file_name()?.to_string_lossy().into_owned();
    Announcer::open(&name).map_err(|error| warn!("claims are not announced: {error}")).ok()
}
