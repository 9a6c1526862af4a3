//! Reads what is new in the telemetry of a run: that of its own machine, or that of a node.

use serde::de::DeserializeOwned;

use crate::rundir::beneath::PathBeneath;
use crate::rundir::csv_file::{CsvRows, read_past, read_rows, read_tail};
use crate::rundir::layout::RunDir;
use crate::rundir::telemetry;
use crate::tui::message::MachineNews;

/// As much of the past of the machine as the histories show, for some GPUs and many shards.
const RECENT: u64 = 256 << 10;

/// Number of places that are read before that part: as many as charts have columns.
const PLACES: u64 = 240;

/// The readers of the telemetry files, each where it stopped.
#[derive(Debug)]
pub struct TelemetryReader {
    run: RunDir,
    gpus: Option<u64>,
    host: Option<u64>,
    shards: Option<u64>,
}

impl TelemetryReader {
    /// Readers at the start of every file.
    pub fn new(run: &RunDir) -> Self {
        Self { run: run.clone(), gpus: None, host: None, shards: None }
    }

    /// New readings of the machine.
    pub fn read_news(&mut self) -> Vec<MachineNews> {
        let mut news = Vec::new();
        if let Ok(Some(inventory)) = telemetry::read_inventory(&self.run) {
            news.push(MachineNews::Inventory(inventory));
        }
        if let Ok(Some(health)) = telemetry::read_health(&self.run) {
            news.push(MachineNews::Health(health));
        }
        news.extend(self.read_past_samples());
        news.extend(read_new_rows(&mut self.gpus, &self.run.gpu_metrics()).map(MachineNews::Gpus));
        news.extend(read_new_rows(&mut self.host, &self.run.host_metrics()).map(MachineNews::Host));
        news.extend(read_new_rows(&mut self.shards, &self.run.shard_metrics()).map(MachineNews::Shards));
        news
    }

    /// At the first look, what was read long before it.
    fn read_past_samples(&self) -> Option<MachineNews> {
        let gpus = self.gpus.is_none().then(|| read_past(&self.run.gpu_metrics(), PLACES, RECENT).ok());
        let host = self.host.is_none().then(|| read_past(&self.run.host_metrics(), PLACES, RECENT).ok());
        let (gpus, host) = (gpus.flatten().unwrap_or_default(), host.flatten().unwrap_or_default());
        (!gpus.is_empty() || !host.is_empty()).then_some(MachineNews::Past { gpus, host })
    }
}

/// New rows of a file. The first look takes only its end, however long it is; what does not read is read next time.
fn read_new_rows<T: DeserializeOwned>(place: &mut Option<u64>, path: &PathBeneath) -> Option<Vec<T>> {
    let new = match place {
        None => read_tail(path, RECENT),
        Some(offset) => read_rows(path, *offset),
    };
    let CsvRows { rows, offset } = new.ok()?;
    // A file that was not there yet is looked at from its end again.
    *place = (offset > 0).then_some(offset);
    (!rows.is_empty()).then_some(rows)
}
