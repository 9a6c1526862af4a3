//! What a run may use of the host, and what restricts it: the affinity mask and the control groups that it is in.

use serde::Serialize;

use crate::model::units::Bytes;

/// Cores and main memory that may be used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HostBounds {
    /// Cores that may be used, at least 1.
    pub cores: u32,
    /// Cores of the machine; `None` if the system does not list them.
    pub machine_cores: Option<u32>,
    /// Restrictions on the cores, such as `affinity 0-3`; empty where all may be used.
    pub cores_because: Vec<String>,
    /// Main memory that may be used; `None` if it cannot be read.
    #[serde(rename = "ram_bytes")]
    pub ram: Option<Bytes>,
    /// Main memory of the machine.
    #[serde(rename = "machine_ram_bytes")]
    pub machine_ram: Option<Bytes>,
    /// Restrictions on the memory, such as `memory.max of /jobs/17: 16.0 GiB`.
    pub ram_because: Vec<String>,
}

/// Numbers as ranges: `0-3,8`.
pub fn format_ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| b.checked_sub(*a) == Some(1));
    let words = runs.filter_map(|run| match (run.first()?, run.last()?) {
        (first, last) if first == last => Some(first.to_string()),
        (first, last) => Some(format!("{first}-{last}")),
    });
    words.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_a_row_are_one_range() {
        assert_eq!(format_ranges(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
        assert_eq!(format_ranges(&[]), "");
    }
}
