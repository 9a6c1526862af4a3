//! `monitor --csv`: the machine as a file of rows, one for each device at each interval.

use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::MissedTickBehavior;

use super::live_readings::LiveReadings;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::overview::watch::block_on;
use crate::model::machine::sample::{FRESH, GpuCard, GpuSample, HostSample};
use crate::model::machine::throttle::Throttle;
use crate::model::units::{Bytes, duration_between, format_duration};
use crate::rundir::beneath::PathBeneath;
use crate::rundir::clock;
use crate::rundir::csv_file::CsvWriter;
use crate::tui::model::monitor::MachineLook;
use crate::tui::options::MachineSource;

/// The names of the columns, which begin a new file.
const HEADER: &str = "timestamp,device,uuid,utilization_percent,memory_used_bytes,memory_total_bytes,power_w,\
    power_cap_w,temperature_c,clock_sm_mhz,clock_memory_mhz,throttle,throttled_percent,energy_j,load_1m";

/// Row of one device at one moment; cells of unknown values are empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
struct DeviceRow {
    timestamp: Timestamp,
    /// `host`, or `gpu0` and so on.
    device: String,
    uuid: Option<String>,
    utilization_percent: Option<f64>,
    memory_used_bytes: Option<Bytes>,
    memory_total_bytes: Option<Bytes>,
    power_w: Option<f64>,
    power_cap_w: Option<f64>,
    temperature_c: Option<f64>,
    clock_sm_mhz: Option<f64>,
    clock_memory_mhz: Option<f64>,
    throttle: Option<Throttle>,
    throttled_percent: Option<f64>,
    energy_j: Option<f64>,
    load_1m: Option<f64>,
}

/// Records until a signal ends it. A row is one write, so that none is torn by the end.
pub fn record_readings(path: &Path, interval: Duration) -> Result<CliExit, CliError> {
    let beneath = PathBeneath::of_file(path);
    refuse_other_columns(path, &beneath)?;
    let mut writer = CsvWriter::open(&beneath)?;
    let mut readings = LiveReadings::start();
    block_on(async {
        let mut interrupted =
            signal(SignalKind::interrupt()).map_err(CliError::system("listen for signals"))?;
        let mut terminated =
            signal(SignalKind::terminate()).map_err(CliError::system("listen for signals"))?;
        // Cards that answer late would have no rows at first.
        let mut look = Some(readings.read_settled());
        output::print_message(&format!(
            "recording to {} every {}; Ctrl-C ends it",
            path.display(),
            format_duration(interval)
        ));
        let mut next = tokio::time::interval(interval);
        next.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_refused = false;
        loop {
            tokio::select! {
                biased;
                _ = interrupted.recv() => return Ok(CliExit::Done),
                _ = terminated.recv() => return Ok(CliExit::Done),
                _ = next.tick() => {}
            }
            let now = clock::now();
            let look = look.take().unwrap_or_else(|| readings.read_machine(now));
            match writer.append_rows(&device_rows(&look, now)) {
                Ok(()) => is_refused = false,
                // A disk that is full now may have room later, and the rows before are safe.
                Err(error) if !is_refused => {
                    is_refused = true;
                    output::print_message(&format!("{error}; it is tried again"));
                }
                Err(_) => {}
            }
        }
    })
}

/// A file of something else is not appended to.
fn refuse_other_columns(path: &Path, beneath: &PathBeneath) -> Result<(), CliError> {
    const ENOUGH: u64 = 4096;
    let mut begin = Vec::new();
    match beneath.open().and_then(|file| file.take(ENOUGH).read_to_end(&mut begin)) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(CliError::for_file("read", path)(error)),
    };
    if begin.is_empty() || begin.starts_with(format!("{HEADER}\n").as_bytes()) {
        return Ok(());
    }
    Err(CliError::usage(format!("{} has other columns than `monitor --csv` writes", path.display()))
        .with_hint("name a file that is not there yet"))
}

fn device_rows(look: &MachineLook, now: Timestamp) -> Vec<DeviceRow> {
    let cards = look.inventory.as_ref().map_or(&[][..], |inventory| inventory.cards());
    let gpus = cards.iter().map(|card| {
        let sample = look.gpus.iter().find(|sample| sample.gpu == card.index);
        // One that hangs has no figures, rather than old ones.
        let fresh = sample.filter(|sample| duration_between(sample.timestamp, now) <= FRESH);
        row_of_gpu(card, &fresh.cloned().unwrap_or_else(|| GpuSample::unknown(card.index, now)), now)
    });
    std::iter::once(row_of_host(&look.host, now)).chain(gpus).collect()
}

fn row_of_host(host: &HostSample, now: Timestamp) -> DeviceRow {
    DeviceRow {
        timestamp: now,
        device: "host".to_owned(),
        utilization_percent: host.cpu_percent,
        memory_used_bytes: host.ram_used_bytes,
        memory_total_bytes: host.ram_total_bytes,
        load_1m: host.load_1m,
        ..DeviceRow::default()
    }
}

fn row_of_gpu(card: &GpuCard, sample: &GpuSample, now: Timestamp) -> DeviceRow {
    DeviceRow {
        timestamp: now,
        device: format!("gpu{}", card.index),
        uuid: card.cuda_name().map(str::to_owned),
        utilization_percent: sample.utilization_percent,
        memory_used_bytes: sample.vram_used_bytes,
        memory_total_bytes: sample.vram_total_bytes.or(card.vram_total),
        power_w: sample.power_w,
        power_cap_w: sample.power_cap_w,
        temperature_c: sample.temperature_c,
        clock_sm_mhz: sample.clock_sm_mhz,
        clock_memory_mhz: sample.clock_memory_mhz,
        throttle: sample.throttle,
        throttled_percent: sample.throttled_percent,
        energy_j: sample.energy_j,
        load_1m: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ids::GpuIndex;

    #[test]
    fn the_header_names_the_columns_of_a_row_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.csv");
        let (card, now) = (GpuCard::unknown(GpuIndex(3)), Timestamp::UNIX_EPOCH);
        let row = row_of_gpu(&card, &GpuSample::unknown(GpuIndex(3), now), now);
        CsvWriter::open(&PathBeneath::of_file(&path)).unwrap().append_rows(&[row]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, format!("{HEADER}\n1970-01-01T00:00:00Z,gpu3,,,,,,,,,,,,,\n"));
    }
}
