//! What a run of one user lets others know of what it claims: amounts alone, no names of files, shards or commands.

use serde::{Deserialize, Serialize};

use super::claim::Claim;
use crate::model::attempt::ProcessIdentity;
use crate::model::units::Bytes;

/// The version of these files; others are not read.
pub const ANNOUNCEMENT_VERSION: u32 = 1;

/// Amounts that one run claims of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announcement {
    /// Version of the file, see [`ANNOUNCEMENT_VERSION`].
    pub version: u32,
    /// Its supervisor: once that process is gone, the announcement is void.
    pub owner: ProcessIdentity,
    /// How many of its shards are at work.
    pub shards: u32,
    /// The claims of its shards on each GPU.
    pub gpus: Vec<GpuAnnouncement>,
    /// Cores, where they claim any.
    pub cpus: u32,
    /// Main memory, where they claim any.
    pub ram_bytes: Bytes,
}

/// Amount that the shards of a run claim of one GPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuAnnouncement {
    /// UUID of the GPU that they claim.
    pub gpu: String,
    /// How many of them are there.
    pub shards: u32,
    /// VRAM of all of them; of shards without a figure nothing.
    pub vram_bytes: Bytes,
}

/// An announcement and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserAnnouncement {
    /// Numeric ID of the user who owns the run.
    pub uid: u32,
    /// The amounts that the user's run claims.
    pub what: Announcement,
}

impl Announcement {
    /// The sum of what attempts hold, each with its GPUs by their UUIDs.
    pub fn from_claims<'c>(
        owner: ProcessIdentity,
        held: impl Iterator<Item = (&'c [String], &'c Claim)>,
    ) -> Self {
        let nothing = Self {
            version: ANNOUNCEMENT_VERSION,
            owner,
            shards: 0,
            gpus: Vec::new(),
            cpus: 0,
            ram_bytes: Bytes(0),
        };
        held.fold(nothing, |mut sum, (gpus, claim)| {
            sum.shards = sum.shards.saturating_add(1);
            sum.cpus = sum.cpus.saturating_add(claim.cpus.unwrap_or(0));
            sum.ram_bytes.0 = sum.ram_bytes.0.saturating_add(claim.ram.unwrap_or_default().0);
            for (slot, gpu) in gpus.iter().enumerate() {
                let vram = claim.vram.get(slot).copied().flatten().unwrap_or_default();
                sum.add_gpu(gpu, vram);
            }
            sum
        })
    }

    fn add_gpu(&mut self, gpu: &str, vram: Bytes) {
        match self.gpus.iter_mut().find(|known| known.gpu == gpu) {
            Some(known) => {
                known.shards = known.shards.saturating_add(1);
                known.vram_bytes.0 = known.vram_bytes.0.saturating_add(vram.0);
            }
            None => self.gpus.push(GpuAnnouncement { gpu: gpu.to_owned(), shards: 1, vram_bytes: vram }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_added_up_by_gpu() {
        let owner = ProcessIdentity { pid: 1, start_ticks: 2, boot_id: "b".to_owned(), pid_namespace: None };
        let claim = |vram: &[u64], cpus| Claim {
            vram: vram.iter().map(|vram| Some(Bytes(*vram))).collect(),
            cpus,
            ram: Some(Bytes(5)),
            ..Claim::default()
        };
        let (first, second) = (claim(&[1, 2], Some(4)), claim(&[3], None));
        let (both, one) = (["a".to_owned(), "b".to_owned()], ["b".to_owned()]);
        let sum = Announcement::from_claims(owner, [(&both[..], &first), (&one[..], &second)].into_iter());
        assert_eq!((sum.shards, sum.cpus, sum.ram_bytes), (2, 4, Bytes(10)));
        let gpus: Vec<_> =
            sum.gpus.iter().map(|gpu| (gpu.gpu.as_str(), gpu.shards, gpu.vram_bytes.0)).collect();
        assert_eq!(gpus, [("a", 1, 1), ("b", 2, 5)]);
    }
}
