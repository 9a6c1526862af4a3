//! A source of GPU readings for tests: it plays given rounds, each when the test lets it.

use std::sync::mpsc::{self, Receiver, Sender};

use jiff::Timestamp;

use crate::model::ids::GpuIndex;
use crate::model::sample::{GpuCard, GpuInventory, GpuSample};
use crate::model::units::Bytes;
use crate::telemetry::gpu_source::{GpuReadings, GpuSource};

/// Plays rounds; each waits for a word of the test, as a call into a slow driver waits for its answer.
#[derive(Debug)]
pub struct ScriptedSource {
    cards: Vec<GpuCard>,
    rounds: std::vec::IntoIter<GpuReadings>,
    go: Receiver<()>,
}

impl ScriptedSource {
    /// The source, and the sender that lets one round through per message.
    pub fn new(cards: Vec<GpuCard>, rounds: Vec<GpuReadings>) -> (Sender<()>, Self) {
        let (sender, go) = mpsc::channel();
        (sender, Self { cards, rounds: rounds.into_iter(), go })
    }
}

impl GpuSource for ScriptedSource {
    fn inventory(&mut self) -> GpuInventory {
        GpuInventory::Present { driver: "570.00".to_owned(), cards: self.cards.clone() }
    }

    fn read(&mut self, at: Timestamp) -> GpuReadings {
        // After the test has dropped its end there is nothing to wait for.
        let _ = self.go.recv();
        self.rounds.next().map_or_else(|| GpuReadings::empty(at), |round| GpuReadings { at, ..round })
    }
}

/// A card as an H100 reports itself.
pub fn card(index: u32) -> GpuCard {
    GpuCard {
        index: GpuIndex(index),
        uuid: format!("GPU-{index:08x}"),
        name: "NVIDIA H100 80GB HBM3".to_owned(),
        vram_total: Some(Bytes(80 << 30)),
    }
}

/// A round of one GPU that draws this much power and tells nothing else.
pub fn round(power_w: f64) -> GpuReadings {
    let timestamp = Timestamp::UNIX_EPOCH;
    let sample = GpuSample {
        timestamp,
        gpu: GpuIndex(0),
        vram_used_bytes: None,
        vram_total_bytes: None,
        utilization_percent: None,
        power_w: Some(power_w),
        power_cap_w: None,
        temperature_c: None,
        clock_sm_mhz: None,
        clock_memory_mhz: None,
    };
    GpuReadings { samples: vec![sample], ..GpuReadings::empty(timestamp) }
}
