//! What each run made of its machine: throughput, VRAM, power and energy, side by side.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::model::sweep::node_spec::NodeId;
use crate::model::units::{Bytes, UNKNOWN, duration_between, format_duration};
use crate::results::findings::Findings;
use crate::results::measured::measures::GpuMeasures;
use crate::results::statistics::totals::Totals;

/// A machine as one run used it. What was not measured is unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineUse {
    /// Host name of the machine of the run.
    pub host: String,
    /// The nodes on which its shards were; empty in a run of one machine.
    pub nodes: Vec<String>,
    /// GPUs that shards were given.
    pub gpus: usize,
    /// The memory of the largest of them, in bytes.
    pub vram_total: Option<f64>,
    /// From the creation of the run to its end, in seconds.
    pub seconds: f64,
    /// Work done in that time, per hour.
    pub throughput: Option<Throughput>,
    /// The most memory in use on any of these GPUs, by any process, in bytes.
    pub vram_peak: Option<f64>,
    /// Mean power that they drew together, in W.
    pub power_w: Option<f64>,
    /// Energy that they drew together over the run, in J.
    pub energy_j: Option<f64>,
}

/// Work of shards that succeeded over the time of the run, those that failed included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Throughput {
    /// Pieces of work done per hour.
    pub each_hour: f64,
    /// The unit in which the work is counted.
    pub of: WorkUnit,
}

/// Unit in which the work of a run is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkUnit {
    /// Episodes, where their number is known.
    Episode,
    /// Shards, where episodes are not counted.
    Shard,
}

impl WorkUnit {
    fn plural(self) -> &'static str {
        match self {
            Self::Episode => "episodes",
            Self::Shard => "shards",
        }
    }
}

impl MachineUse {
    /// Sums up how a run used its machine.
    pub fn from_findings(findings: &Findings<'_>) -> Self {
        let records = &findings.records;
        let seconds = duration_between(records.info.created, records.seen).as_secs_f64();
        let used: Vec<Option<&GpuMeasures>> =
            findings.on_gpus.keys().map(|gpu| findings.measured.gpus.get(gpu)).collect();
        let most = |figure: &dyn Fn(&GpuMeasures) -> Option<f64>| {
            used.iter().flatten().filter_map(|gpu| figure(gpu)).reduce(f64::max)
        };
        // A single GPU without a reading leaves the sum unknown.
        let sum = |figure: &dyn Fn(&GpuMeasures) -> Option<f64>| {
            let sum: Option<f64> = used.iter().map(|gpu| gpu.and_then(figure)).sum();
            sum.filter(|_| !used.is_empty())
        };
        Self {
            host: records.info.host.clone(),
            nodes: list_used_nodes(findings),
            gpus: used.len(),
            vram_total: most(&|gpu| gpu.vram_total.peak()),
            seconds,
            throughput: Throughput::from_totals(&Totals::from_shards(findings.outcomes.iter()), seconds),
            vram_peak: most(&|gpu| gpu.vram.whole.peak()),
            power_w: sum(&|gpu| gpu.power.whole.mean()),
            energy_j: sum(&|gpu| gpu.energy_j),
        }
    }

    /// Energy for each piece of work, in J.
    pub fn energy_each_j(&self) -> Option<f64> {
        let done = self.throughput?.each_hour * self.seconds / 3600.0;
        self.energy_j.filter(|_| done > 0.0).map(|energy| energy / done)
    }

    /// Its cells under [`HEADS`]; how often the throughput is that of `first`.
    pub fn table_cells(&self, first: &Self) -> Vec<String> {
        let known = |figure: Option<String>| figure.unwrap_or_else(|| UNKNOWN.to_owned());
        let gib = |bytes: f64| Bytes(bytes as u64).to_string();
        let gpus = match (self.gpus, self.vram_total) {
            (0, _) => "none".to_owned(),
            (count, Some(total)) => format!("{count} x {}", gib(total)),
            (count, None) => count.to_string(),
        };
        let times = |throughput: Throughput| {
            let first =
                first.throughput.filter(|first| first.of == throughput.of && first.each_hour > 0.0)?;
            Some(format!(" ({:.2}×)", throughput.each_hour / first.each_hour))
        };
        let throughput = self.throughput.map(|throughput| {
            let Throughput { each_hour, of } = throughput;
            format!(
                "{} {}/h{}",
                format_rounded(each_hour),
                of.plural(),
                times(throughput).unwrap_or_default()
            )
        });
        vec![
            self.describe_place(),
            gpus,
            format_duration(Duration::try_from_secs_f64(self.seconds).unwrap_or_default()),
            known(throughput),
            known(self.vram_peak.map(gib)),
            known(self.power_w.map(|power| format!("{power:.0} W"))),
            known(self.energy_each_j().map(|energy| format!("{} Wh", format_rounded(energy / 3600.0)))),
        ]
    }

    /// The same for programs.
    pub fn to_json(&self) -> Value {
        let mut json = json!({
            "host": self.host,
            "gpus": self.gpus,
            "vram_total_bytes": self.vram_total,
            "seconds": self.seconds,
            "per_hour": self.throughput.map(|throughput| throughput.each_hour),
            "per_hour_of": self.throughput.map(|throughput| throughput.of.plural()),
            "vram_peak_bytes": self.vram_peak,
            "power_mean_w": self.power_w,
            "energy_j": self.energy_j,
            "energy_each_j": self.energy_each_j(),
        });
        if !self.nodes.is_empty() {
            json["nodes"] = json!(self.nodes);
        }
        json
    }

    /// The machine, or the nodes by name as long as these are few.
    fn describe_place(&self) -> String {
        match self.nodes.as_slice() {
            [] => self.host.clone(),
            nodes if nodes.len() <= MOST_NAMES => nodes.join(", "),
            nodes => format!("{} nodes", nodes.len()),
        }
    }
}

/// More nodes than this are counted, and not named.
const MOST_NAMES: usize = 3;

fn list_used_nodes(findings: &Findings<'_>) -> Vec<String> {
    let used: BTreeSet<&NodeId> =
        findings.attempts.iter().filter(|attempt| attempt.ran).filter_map(|attempt| attempt.node).collect();
    used.into_iter().map(NodeId::to_string).collect()
}

/// Headings of the columns of [`MachineUse::table_cells`].
pub const HEADS: [&str; 7] = ["machine", "GPUs", "time", "throughput", "VRAM peak", "power", "energy each"];

impl Throughput {
    fn from_totals(totals: &Totals, seconds: f64) -> Option<Self> {
        let (done, of) = match totals.episodes.filter(|episodes| *episodes > 0.0) {
            Some(episodes) => (episodes, WorkUnit::Episode),
            None => (totals.succeeded as f64, WorkUnit::Shard),
        };
        (seconds > 0.0 && done > 0.0).then(|| Self { each_hour: done / seconds * 3600.0, of })
    }
}

/// Three digits are enough for one and too few for none.
fn format_rounded(number: f64) -> String {
    match number {
        100.0.. => format!("{number:.0}"),
        10.0.. => format!("{number:.1}"),
        _small => format!("{number:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_measured_stays_unknown_and_throughput_is_held_against_the_first() {
        let run = |episodes: f64, power_w, energy_j| MachineUse {
            host: "lab".to_owned(),
            nodes: Vec::new(),
            gpus: 2,
            vram_total: Some(80.0 * f64::from(1 << 30)),
            seconds: 7200.0,
            throughput: Some(Throughput { each_hour: episodes / 2.0, of: WorkUnit::Episode }),
            vram_peak: None,
            power_w,
            energy_j,
        };
        let first = run(100.0, Some(620.4), Some(720_000.0));
        let other = run(250.0, None, None);
        assert_eq!(
            first.table_cells(&first),
            ["lab", "2 x 80.0 GiB", "2h 00m", "50.0 episodes/h (1.00×)", "—", "620 W", "2.00 Wh"]
        );
        assert_eq!(other.table_cells(&first)[3..], ["125 episodes/h (2.50×)", "—", "—", "—"]);
        let shards = Throughput { each_hour: 4.0, of: WorkUnit::Shard };
        let none = MachineUse { throughput: Some(shards), gpus: 0, ..other };
        assert_eq!(none.table_cells(&first)[1], "none");
        assert_eq!(none.table_cells(&first)[3], "4.00 shards/h", "other pieces are no multiple");
        assert_eq!(none.to_json()["energy_each_j"], Value::Null);
    }
}
