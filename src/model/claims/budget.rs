//! The amounts that a run would claim of the machine if it started now, next to what is taken already.

use serde::Serialize;

use crate::model::ids::GpuIndex;
use crate::model::shortage::WaitingGroup;
use crate::model::units::Bytes;

/// The accounts of the machine with the shards that could start at once.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Budget {
    /// So many shards would start at once.
    pub starts: usize,
    /// Each GPU that the run may use.
    pub gpus: Vec<GpuBudget>,
    /// Cores, where shards declare them and they are known.
    pub cores: Option<CoreBudget>,
    /// Main memory, where shards declare it and it is known.
    pub ram: Option<RamBudget>,
    /// The shortages that the other shards wait for, beyond a free slot.
    #[serde(skip)]
    pub waiting: Vec<WaitingGroup>,
}

/// The VRAM of one GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GpuBudget {
    /// Index of the GPU on the machine.
    pub gpu: GpuIndex,
    /// All of its VRAM; `None` if the driver does not report it.
    #[serde(rename = "total_bytes")]
    pub total: Option<Bytes>,
    /// VRAM in use by any process.
    #[serde(rename = "used_bytes")]
    pub used: Option<Bytes>,
    /// Promised to the user's other runs and not used yet.
    #[serde(rename = "promised_bytes")]
    pub promised: Bytes,
    /// Left free in any case.
    #[serde(rename = "reserve_bytes")]
    pub reserve: Bytes,
    /// VRAM that each shard that would start there claims; unknown where nothing is declared or learned.
    #[serde(rename = "claims_bytes")]
    pub claims: Vec<Option<Bytes>>,
    /// VRAM that is left after all of this.
    #[serde(rename = "left_bytes")]
    pub left: Option<Bytes>,
    /// Why it gets no shards, where it does not.
    pub shut: Option<String>,
}

/// The CPU cores that the run may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CoreBudget {
    /// All that may be used.
    pub total: u32,
    /// Promised to the user's other runs.
    pub promised: u32,
    /// Number of cores that each shard claims.
    pub claims: Vec<u32>,
    /// Number of cores that are left.
    pub left: u32,
}

/// The main memory that the run may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RamBudget {
    /// All that may be used.
    #[serde(rename = "total_bytes")]
    pub total: Bytes,
    /// Memory that is in use now.
    #[serde(rename = "used_bytes")]
    pub used: Bytes,
    /// Promised to the user's other runs and not used yet.
    #[serde(rename = "promised_bytes")]
    pub promised: Bytes,
    /// Memory that each shard claims.
    #[serde(rename = "claims_bytes")]
    pub claims: Vec<Bytes>,
    /// Memory that is left after all of this.
    #[serde(rename = "left_bytes")]
    pub left: Bytes,
}

impl Budget {
    /// A line for each account.
    pub fn to_lines(&self) -> Vec<String> {
        let gpus = self.gpus.iter().map(GpuBudget::to_text);
        let cores = self.cores.iter().map(CoreBudget::to_text);
        gpus.chain(cores).chain(self.ram.iter().map(RamBudget::to_text)).collect()
    }
}

impl GpuBudget {
    fn to_text(&self) -> String {
        let total = self.total.map_or_else(|| "VRAM unknown".to_owned(), |total| total.to_string());
        let begin = format!("GPU {} ({total})", self.gpu);
        if let Some(reason) = &self.shut {
            return format!("{begin}: no shards, {reason}");
        }
        let mut parts: Vec<String> =
            self.used.map(|used| format!("{} in use", format_gib(used))).into_iter().collect();
        parts.extend(format_amount(self.promised, "promised to other runs"));
        parts.extend(format_amount(self.reserve, "reserved"));
        let known: Vec<Bytes> = self.claims.iter().copied().flatten().collect();
        parts.extend(format_claims(&known, format_gib));
        match self.claims.len() - known.len() {
            0 => {}
            1 => parts.push("1 shard of unknown size".to_owned()),
            more => parts.push(format!("{more} shards of unknown size")),
        }
        parts.extend(self.left.map(|left| format!("{} left", format_gib(left))));
        if parts.is_empty() { begin } else { format!("{begin}: {}", parts.join(", ")) }
    }
}

impl CoreBudget {
    fn to_text(&self) -> String {
        let promised = (self.promised > 0).then(|| format!("{} promised to other runs", self.promised));
        let parts = promised.into_iter().chain(format_claims(&self.claims, |cores| cores.to_string()));
        let parts: Vec<String> = parts.chain([format!("{} left", self.left)]).collect();
        format!("cores ({}): {}", self.total, parts.join(", "))
    }
}

impl RamBudget {
    fn to_text(&self) -> String {
        let mut parts = vec![format!("{} in use", format_gib(self.used))];
        parts.extend(format_amount(self.promised, "promised to other runs"));
        parts.extend(format_claims(&self.claims, format_gib));
        parts.push(format!("{} left", format_gib(self.left)));
        format!("memory ({}): {}", self.total, parts.join(", "))
    }
}

/// `8 x 2.0 claimed`; different claims with the largest first.
fn format_claims<T: Copy + Ord>(claims: &[T], words: impl Fn(T) -> String) -> Option<String> {
    let mut sorted = claims.to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let groups = sorted.chunk_by(|a, b| a == b);
    let groups: Vec<String> = groups.map(|alike| format!("{} x {}", alike.len(), words(alike[0]))).collect();
    (!groups.is_empty()).then(|| format!("{} claimed", groups.join(" + ")))
}

fn format_amount(bytes: Bytes, what: &str) -> Option<String> {
    (bytes > Bytes(0)).then(|| format!("{} {what}", format_gib(bytes)))
}

/// Formats an amount in GiB without the unit, which the total in front of it has.
fn format_gib(bytes: Bytes) -> String {
    format!("{:.1}", bytes.0 as f64 / f64::from(1 << 30))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gibs(gib: u64) -> Bytes {
        Bytes(gib << 30)
    }

    #[test]
    fn an_account_is_one_line() {
        let plain = GpuBudget {
            gpu: GpuIndex(0),
            total: Some(gibs(80)),
            used: Some(gibs(39)),
            promised: Bytes(0),
            reserve: Bytes(0),
            claims: vec![Some(gibs(2)); 8],
            left: Some(gibs(25)),
            shut: None,
        };
        assert_eq!(plain.to_text(), "GPU 0 (80.0 GiB): 39.0 in use, 8 x 2.0 claimed, 25.0 left");
        let mixed = GpuBudget {
            promised: gibs(4),
            reserve: gibs(1),
            claims: vec![Some(gibs(2)), Some(gibs(6)), None, Some(gibs(2))],
            left: Some(gibs(26)),
            ..plain.clone()
        };
        assert_eq!(
            mixed.to_text(),
            "GPU 0 (80.0 GiB): 39.0 in use, 4.0 promised to other runs, 1.0 reserved, 1 x 6.0 + 2 x 2.0 claimed, \
             1 shard of unknown size, 26.0 left"
        );
        let unknown = GpuBudget { total: None, used: None, left: None, claims: Vec::new(), ..plain.clone() };
        assert_eq!(unknown.to_text(), "GPU 0 (VRAM unknown)");
        let shut = GpuBudget { shut: Some("lost".to_owned()), ..plain };
        assert_eq!(shut.to_text(), "GPU 0 (80.0 GiB): no shards, lost");
        let cores = CoreBudget { total: 16, promised: 2, claims: vec![4, 4], left: 6 };
        assert_eq!(cores.to_text(), "cores (16): 2 promised to other runs, 2 x 4 claimed, 6 left");
    }
}
