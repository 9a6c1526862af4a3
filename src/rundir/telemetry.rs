//! The telemetry files of a run: one row a reading in three CSV files, and the GPUs that the machine has.

use std::collections::BTreeMap;
use std::io;

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::beneath::PathBeneath;
use super::csv_file::{CsvWriter, read_tail};
use super::error::RunDirError;
use super::layout::RunDir;
use super::records;
use crate::model::ids::{AttemptKey, AttemptNumber, GpuIndex, ShardId};
use crate::model::machine::gpu_health::GpuHealth;
use crate::model::machine::sample::{GpuInventory, GpuSample, HostSample, ShardSample, TelemetrySample};

/// How much of the end of a file is looked at first for its newest round.
const TAIL: u64 = 16 << 10;

/// The writing end; the supervisor is the only one to have it.
#[derive(Debug)]
pub struct TelemetryWriter {
    gpus: TelemetryFile,
    host: TelemetryFile,
    shards: TelemetryFile,
}

/// A file of a run that goes on also without it.
#[derive(Debug)]
enum TelemetryFile {
    Open(CsvWriter),
    /// It could not be opened, and is tried again with each round.
    Closed(PathBeneath),
    /// What is in its place stays there.
    Refused,
}

impl TelemetryWriter {
    /// Opens the files of a run to append to them. What is there in place of a file or of their folder, such as a link,
    /// gets another name; `warn` is called with each, and with each file that still cannot be made.
    pub fn open(run: &RunDir, mut warn: impl FnMut(String)) -> Self {
        make_folder(&run.telemetry_folder(), &mut warn);
        let mut writer = Self {
            gpus: TelemetryFile::open(run.gpu_metrics(), &mut warn),
            host: TelemetryFile::open(run.host_metrics(), &mut warn),
            shards: TelemetryFile::open(run.shard_metrics(), &mut warn),
        };
        // A full disk delays the headers until the first rows.
        let _ = writer.write_headers();
        writer
    }

    fn write_headers(&mut self) -> Result<(), RunDirError> {
        let at = Timestamp::UNIX_EPOCH;
        self.gpus.write_header(&GpuSample::unknown(GpuIndex(0), at))?;
        self.host.write_header(&HostSample::unknown(at))?;
        let Ok(shard) = ShardId::new("shard") else { return Ok(()) };
        let key = AttemptKey { shard, attempt: AttemptNumber::FIRST };
        self.shards.write_header(&ShardSample::unknown(&key, at))
    }

    /// Appends one round: one write for each file that has news.
    pub fn append_round(&mut self, round: &TelemetrySample) -> Result<(), RunDirError> {
        self.gpus.append_rows(&round.gpus)?;
        self.host.append_rows(round.host.as_slice())?;
        self.shards.append_rows(&round.shards)
    }
}

impl TelemetryFile {
    fn open(path: PathBeneath, warn: &mut impl FnMut(String)) -> Self {
        let refused = match CsvWriter::open(&path) {
            Ok(writer) => return Self::Open(writer),
            Err(error) if error.is_lasting() => error,
            Err(_) => return Self::Closed(path),
        };
        match set_aside(&path, &refused, warn).and_then(|()| CsvWriter::open(&path)) {
            Ok(writer) => Self::Open(writer),
            Err(_) => {
                warn(format!("{refused}; what it would hold is not recorded"));
                Self::Refused
            }
        }
    }

    fn write_header<T: Serialize>(&mut self, row: &T) -> Result<(), RunDirError> {
        match self {
            Self::Open(writer) => writer.write_header(row),
            Self::Closed(_) | Self::Refused => Ok(()),
        }
    }

    fn append_rows<T: Serialize>(&mut self, rows: &[T]) -> Result<(), RunDirError> {
        if let Self::Closed(path) = self {
            *self = Self::Open(CsvWriter::open(path)?);
        }
        match self {
            Self::Open(writer) => writer.append_rows(rows),
            Self::Closed(_) | Self::Refused => Ok(()),
        }
    }
}

/// Makes a folder that was removed again, also where a file took its place. A link there is refused with each file.
fn make_folder(folder: &PathBeneath, warn: &mut impl FnMut(String)) {
    match folder.create_dir_all() {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            let refused = RunDirError::io("write to", folder)(error);
            let made = set_aside(folder, &refused, warn);
            // Each file says what is wrong where this does not help.
            let _ = made.map(|()| folder.create_dir_all());
        }
        Ok(()) | Err(_) => {}
    }
}

/// Gives another name to what is in the place of a file.
fn set_aside(
    path: &PathBeneath,
    refused: &RunDirError,
    warn: &mut impl FnMut(String),
) -> Result<(), RunDirError> {
    let mut aside = path.file_name().unwrap_or_default().to_owned();
    aside.push(".set-aside");
    path.rename(&aside).map_err(RunDirError::io("rename", path))?;
    warn(format!("{refused}; it is now {}, and a new one was begun", aside.display()));
    Ok(())
}

/// Writes what GPUs the machine has.
pub fn write_inventory(run: &RunDir, inventory: &GpuInventory) -> Result<(), RunDirError> {
    records::write_atomic(&run.gpus_json(), inventory)
}

/// Reads the list of the machine's GPUs; `None` until the driver has answered.
pub fn read_inventory(run: &RunDir) -> Result<Option<GpuInventory>, RunDirError> {
    records::read_if_there(&run.gpus_json())
}

/// Writes what is wrong with the GPUs.
pub fn write_health(run: &RunDir, health: &[GpuHealth]) -> Result<(), RunDirError> {
    records::write_atomic(&run.gpu_health_json(), &health)
}

/// Reads the faults of the GPUs as of their last change; `None` where they were never written.
pub fn read_health(run: &RunDir) -> Result<Option<Vec<GpuHealth>>, RunDirError> {
    records::read_if_there(&run.gpu_health_json())
}

/// The newest round of each file, found at its end. The reader decides whether it is too old to be shown.
pub fn read_latest(run: &RunDir) -> Result<TelemetrySample, RunDirError> {
    Ok(TelemetrySample {
        gpus: read_latest_of_gpus(run)?,
        host: newest_round(&run.host_metrics(), |sample: &HostSample| sample.timestamp)?.pop(),
        shards: read_latest_of_shards(run)?,
    })
}

/// The newest sample of each GPU alone.
pub fn read_latest_of_gpus(run: &RunDir) -> Result<Vec<GpuSample>, RunDirError> {
    newest_of_each_gpu(&run.gpu_metrics())
}

/// The newest round of the shards alone.
pub fn read_latest_of_shards(run: &RunDir) -> Result<Vec<ShardSample>, RunDirError> {
    newest_round(&run.shard_metrics(), |sample: &ShardSample| sample.timestamp)
}

/// Returns the last row of each GPU: they are read apart, so that one that hangs holds up no other. A GPU without a row
/// in the tail has not answered for longer than any reader asks back.
fn newest_of_each_gpu(path: &PathBeneath) -> Result<Vec<GpuSample>, RunDirError> {
    let rows = read_tail::<GpuSample>(path, TAIL)?.rows;
    let newest: BTreeMap<GpuIndex, GpuSample> = rows.into_iter().map(|row| (row.gpu, row)).collect();
    Ok(newest.into_values().collect())
}

/// The rows that share the time of the last one.
fn newest_round<T: DeserializeOwned>(
    path: &PathBeneath,
    time: impl Fn(&T) -> Timestamp,
) -> Result<Vec<T>, RunDirError> {
    let mut bytes = TAIL;
    loop {
        let tail = read_tail::<T>(path, bytes)?;
        let newest = tail.rows.last().map(&time);
        let is_newest = |row: &T| Some(time(row)) == newest;
        // When even the first row is of the newest round, the round may begin before this tail.
        if bytes < tail.offset && tail.rows.first().is_none_or(is_newest) {
            bytes *= 2;
            continue;
        }
        return Ok(tail.rows.into_iter().filter(is_newest).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::machine::throttle::Throttle;
    use crate::model::units::Bytes;
    use crate::rundir::csv_file::read_rows;

    fn run() -> (tempfile::TempDir, RunDir) {
        let folder = tempfile::tempdir().unwrap();
        let run = RunDir::at(folder.path());
        run.telemetry_folder().create_dir_all().unwrap();
        (folder, run)
    }

    fn gpu(second: i64, gpu: u32, power_w: Option<f64>) -> GpuSample {
        GpuSample {
            vram_used_bytes: Some(Bytes(1 << 30)),
            vram_total_bytes: Some(Bytes(80 << 30)),
            utilization_percent: Some(12.0),
            power_w,
            temperature_c: Some(41.0),
            throttle: Some(Throttle::default()),
            ..GpuSample::unknown(GpuIndex(gpu), Timestamp::from_second(second).unwrap())
        }
    }

    fn shard(second: i64, number: u32) -> ShardSample {
        let shard = ShardId::new(format!("stairs, \"flat\" {number}")).unwrap();
        let key = AttemptKey { shard, attempt: AttemptNumber::FIRST };
        ShardSample {
            cpu_percent: Some(f64::from(number) / 3.0),
            rss_bytes: Some(Bytes(12345)),
            processes: 3,
            energy_shared: Some(false),
            ..ShardSample::unknown(&key, Timestamp::from_second(second).unwrap())
        }
    }

    fn host(second: i64) -> HostSample {
        HostSample {
            timestamp: Timestamp::from_second(second).unwrap(),
            cpu_percent: None,
            cores: 2,
            ram_used_bytes: Some(Bytes(1)),
            ram_total_bytes: Some(Bytes(2)),
            load_1m: Some(0.5),
            ..HostSample::unknown(Timestamp::UNIX_EPOCH)
        }
    }

    #[test]
    fn a_round_comes_back_as_it_went() {
        let (_folder, run) = run();
        let round = TelemetrySample {
            gpus: vec![gpu(1, 0, Some(100.25)), gpu(1, 1, None)],
            host: Some(host(1)),
            shards: vec![shard(1, 1), shard(1, 2)],
        };
        TelemetryWriter::open(&run, |text| panic!("{text}")).append_round(&round).unwrap();
        let text = run.gpu_metrics().read_text(1 << 20).unwrap();
        assert!(
            text.starts_with("timestamp,gpu,vram_used_bytes,vram_total_bytes,utilization_percent,power_w,")
        );
        assert!(
            text.contains("\n1970-01-01T00:00:01Z,0,1073741824,85899345920,12.0,100.25,,41.0,,,none,,,,,,\n"),
            "{text}"
        );
        assert_eq!(read_rows::<GpuSample>(&run.gpu_metrics(), 0).unwrap().rows, round.gpus);
        let host = read_rows::<HostSample>(&run.host_metrics(), 0).unwrap().rows;
        assert_eq!(host.first(), round.host.as_ref());
        assert_eq!(read_rows::<ShardSample>(&run.shard_metrics(), 0).unwrap().rows, round.shards);
        assert_eq!(read_latest(&run).unwrap(), round);
    }

    #[test]
    fn the_latest_round_is_whole_even_where_it_is_longer_than_the_tail() {
        let (_folder, run) = run();
        let mut writer = TelemetryWriter::open(&run, |text| panic!("{text}"));
        for second in 1..=3 {
            let shards = (0..1000).map(|number| shard(second, number)).collect();
            writer.append_round(&TelemetrySample { shards, ..TelemetrySample::default() }).unwrap();
        }
        let latest = read_latest(&run).unwrap();
        assert_eq!(latest.shards, (0..1000).map(|number| shard(3, number)).collect::<Vec<_>>());
        assert_eq!((latest.gpus.len(), latest.host), (0, None));
    }

    #[test]
    fn a_gpu_that_hangs_keeps_its_last_row_beside_newer_ones_of_others() {
        let (_folder, run) = run();
        let mut writer = TelemetryWriter::open(&run, |text| panic!("{text}"));
        for (second, gpus) in [(1, vec![0, 1]), (2, vec![1]), (3, vec![1])] {
            let gpus = gpus.into_iter().map(|index| gpu(second, index, None)).collect();
            writer.append_round(&TelemetrySample { gpus, ..TelemetrySample::default() }).unwrap();
        }
        assert_eq!(read_latest(&run).unwrap().gpus, [gpu(1, 0, None), gpu(3, 1, None)]);
    }

    #[test]
    fn tables_without_rows_have_their_columns_once() {
        let (_folder, run) = run();
        drop(TelemetryWriter::open(&run, |text| panic!("{text}")));
        let files = [run.gpu_metrics(), run.host_metrics(), run.shard_metrics()];
        for file in &files {
            let text = file.read_text(1 << 20).unwrap();
            assert!(text.starts_with("timestamp,") && text.lines().count() == 1, "{text}");
        }
        assert_eq!(read_latest(&run).unwrap(), TelemetrySample::default());
        let round =
            TelemetrySample { gpus: vec![gpu(1, 0, None)], host: Some(host(1)), shards: vec![shard(1, 1)] };
        TelemetryWriter::open(&run, |text| panic!("{text}")).append_round(&round).unwrap();
        assert_eq!(read_latest(&run).unwrap(), round);
        for file in &files {
            assert_eq!(file.read_text(1 << 20).unwrap().matches("timestamp").count(), 1);
        }
    }

    #[test]
    fn a_file_in_place_of_the_folder_is_set_aside() {
        let (_folder, run) = run();
        let folder = run.telemetry_folder();
        std::fs::remove_dir_all(folder.full_path()).unwrap();
        std::fs::write(folder.full_path(), "noise").unwrap();
        let mut told = Vec::new();
        let mut writer = TelemetryWriter::open(&run, |text| told.push(text));
        let round = TelemetrySample { shards: vec![shard(1, 1)], ..TelemetrySample::default() };
        writer.append_round(&round).unwrap();
        assert_eq!(read_latest(&run).unwrap(), round);
        assert!(matches!(&told[..], [one] if one.contains("it is now telemetry.set-aside")), "{told:?}");
    }

    #[test]
    fn a_file_that_cannot_be_opened_is_tried_again_with_each_round() {
        let (_folder, run) = run();
        let mut file = TelemetryFile::Closed(run.shard_metrics());
        std::fs::remove_dir_all(run.telemetry_folder().full_path()).unwrap();
        assert!(file.append_rows(&[shard(1, 1)]).is_err(), "the folder is not there");
        std::fs::create_dir(run.telemetry_folder().full_path()).unwrap();
        file.append_rows(&[shard(2, 1)]).unwrap();
        assert_eq!(read_latest(&run).unwrap().shards, [shard(2, 1)]);
    }

    #[test]
    fn a_run_without_telemetry_has_none() {
        let (_folder, run) = run();
        assert_eq!(read_latest(&run).unwrap(), TelemetrySample::default());
        assert_eq!(read_inventory(&run).unwrap(), None);
        let absent = GpuInventory::Absent { reason: "no NVIDIA driver".to_owned() };
        write_inventory(&run, &absent).unwrap();
        assert_eq!(read_inventory(&run).unwrap(), Some(absent));
    }
}
