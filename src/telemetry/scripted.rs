//! A driver for tests: it plays given rounds of each GPU, each when the test lets it.

use std::sync::mpsc::{self, Receiver, Sender};

use jiff::Timestamp;

use crate::model::ids::GpuIndex;
use crate::model::machine::sample::{GpuCard, GpuSample};
use crate::model::units::Bytes;
use crate::telemetry::gpu_source::{GpuReader, GpuReading, GpuSource};

/// Plays rounds; each waits for a word of the test, as a call into a slow driver waits for its answer.
#[derive(Debug, Default)]
pub struct ScriptedSource {
    gpus: std::sync::Mutex<Vec<ScriptedReader>>,
}

/// The rounds of one GPU.
#[derive(Debug)]
pub struct ScriptedReader {
    card: GpuCard,
    rounds: std::vec::IntoIter<GpuReading>,
    go: Receiver<()>,
}

impl ScriptedSource {
    /// Adds a GPU; gives the sender that lets one round through per message.
    pub fn add_gpu(&mut self, rounds: Vec<GpuReading>) -> Sender<()> {
        let (sender, go) = mpsc::channel();
        let gpus = self.gpus.get_mut().unwrap();
        let card = sample_card(gpus.len() as u32);
        gpus.push(ScriptedReader { card, rounds: rounds.into_iter(), go });
        sender
    }
}

impl GpuSource for ScriptedSource {
    type Reader = ScriptedReader;

    fn driver_version(&self) -> String {
        "570.00".to_owned()
    }

    fn create_readers(&self) -> Result<Vec<ScriptedReader>, String> {
        Ok(std::mem::take(&mut *self.gpus.lock().unwrap()))
    }
}

impl GpuReader for ScriptedReader {
    fn read_card(&mut self) -> GpuCard {
        self.card.clone()
    }

    fn take_reading(&mut self, at: Timestamp) -> GpuReading {
        // After the test has dropped its end there is nothing to wait for.
        let _ = self.go.recv();
        let mut reading =
            self.rounds.next().unwrap_or_else(|| GpuReading::unknown(self.card.index, Timestamp::UNIX_EPOCH));
        reading.sample.timestamp = at;
        reading.sample.gpu = self.card.index;
        reading
    }
}

/// A card as an H100 reports itself.
pub fn sample_card(index: u32) -> GpuCard {
    GpuCard {
        uuid: format!("GPU-{index:08x}"),
        name: "NVIDIA H100 80GB HBM3".to_owned(),
        vram_total: Some(Bytes(80 << 30)),
        ..GpuCard::unknown(GpuIndex(index))
    }
}

/// Builds a round of a GPU that draws this much power and reports nothing else.
pub fn sample_round(power_w: f64) -> GpuReading {
    let (gpu, at) = (GpuIndex(0), Timestamp::UNIX_EPOCH);
    let sample = GpuSample { power_w: Some(power_w), ..GpuSample::unknown(gpu, at) };
    GpuReading { sample, ..GpuReading::unknown(gpu, at) }
}
