//! What is read through NVML's real path (loading, structs, return codes) from a driver with every trap there is.

mod fake_nvml;
/// Only to have it checked and formatted as the rest; tests load it as a library of its own.
#[path = "fake_nvml/library/lib.rs"]
mod library;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fake_nvml::{Age, FakeDriver};
use jiff::Timestamp;
use sweepdeck::model::machine::gpu_health::GpuFaultKind;
use sweepdeck::model::machine::sample::GpuCard;
use sweepdeck::telemetry::gpu_source::{GpuReader, GpuReading, GpuSource};
use sweepdeck::telemetry::nvml::driver;
use sweepdeck::telemetry::nvml::reader::NvmlReader;

const GIB: u64 = 1 << 30;

/// A driver with a reader for each of its GPUs.
struct Machine {
    driver: FakeDriver,
    gpus: Vec<NvmlReader>,
    second: i64,
    _folder: tempfile::TempDir,
}

impl Machine {
    fn new(script: &str) -> Self {
        Self::of_age(Age::Present, script)
    }

    fn of_age(age: Age, script: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let driver = FakeDriver::of_age(age, folder.path(), script);
        let source = driver::open_library(driver.library().as_os_str()).expect("the driver opens");
        let gpus = source.create_readers().expect("it counts its GPUs");
        Self { driver, gpus, second: 0, _folder: folder }
    }

    fn card(&mut self, gpu: usize) -> GpuCard {
        self.gpus[gpu].read_card()
    }

    /// The next reading, a second after the one before.
    fn read(&mut self, gpu: usize) -> GpuReading {
        self.second += 1;
        self.gpus[gpu].take_reading(Timestamp::from_second(self.second).expect("a small number"))
    }

    /// The next reading of the only GPU after a change of the script.
    fn then(&mut self, script: &str) -> GpuReading {
        self.driver.says(script);
        self.read(0)
    }
}

fn held(reading: &GpuReading) -> Vec<(u32, Option<u64>)> {
    reading.processes.iter().map(|process| (process.pid, process.vram.map(|vram| vram.0))).collect()
}

#[test]
fn a_driver_that_cannot_be_used_says_why_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    for (word, said) in [("not-loaded", "modprobe"), ("mismatch", "reboot"), ("no-permission", "/dev/nvidia")]
    {
        let driver = FakeDriver::new(folder.path(), &format!("init {word}\n"));
        let refusal = driver::open_library(driver.library().as_os_str()).unwrap_err();
        assert!(refusal.contains(said), "{refusal}");
    }
}

#[test]
fn memory_that_a_list_names_is_in_the_memory_that_is_in_use() {
    let script = |gib: u64| format!("delay 1\ngpu 0\n total 90000 GiB\n compute 7 {gib} GiB\n");
    let mut machine = Machine::new(&script(1));
    let (driver, is_done) = (&machine.driver, AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            // Growing is the case that counts: what a process has got must not be missing from what is in use.
            let sizes = (2..80_000).take_while(|_| !is_done.load(Ordering::Relaxed));
            sizes.for_each(|gib| driver.says(&script(gib)));
        });
        for reading in (1..=50).map(|second| {
            machine.gpus[0].take_reading(Timestamp::from_second(second).expect("a small number"))
        }) {
            let listed = held(&reading)[0].1.expect("the list says how much");
            let used = reading.sample.vram_used_bytes.expect("memory is read").0;
            if listed > used {
                is_done.store(true, Ordering::Relaxed);
                panic!("the list is younger than the memory: {listed} of {used}");
            }
        }
        is_done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn every_gpu_keeps_its_number_and_its_name() {
    let mut machine =
        Machine::new("gpu 0\n name A\n uuid GPU-a\n slowdown 87\ngpu 1\n name B\n total 24 GiB\n");
    let cards = [machine.card(0), machine.card(1)];
    assert_eq!((cards[0].name.as_str(), cards[0].cuda_name()), ("A", Some("GPU-a")));
    assert_eq!((cards[0].slowdown_c, cards[1].slowdown_c), (Some(87), None));
    assert_eq!(cards[1].cuda_name(), Some("GPU-00000000-0000-0000-0000-000000000001"));
    assert_eq!(cards[1].vram_total.map(|bytes| bytes.0), Some(24 * GIB));
}

#[test]
fn figures_come_in_their_units_and_those_that_are_missing_stay_unknown() {
    let script = "gpu 0\n used 3 GiB\n utilization 97\n power 310.5\n power-cap 700\n temperature 61\n slowdown 87\n\
                  clock-sm 1980\n clock-memory 2619\n throttle power-cap\n energy 1234.5\n ecc 0\n";
    let mut machine = Machine::new(script);
    machine.card(0);
    let sample = machine.read(0).sample;
    assert_eq!(sample.vram_used_bytes.map(|bytes| bytes.0), Some(3 * GIB));
    assert_eq!((sample.power_w, sample.power_cap_w), (Some(310.5), Some(700.0)));
    assert_eq!((sample.temperature_c, sample.slowdown_margin_c), (Some(61.0), Some(26.0)));
    assert_eq!((sample.clock_sm_mhz, sample.clock_memory_mhz), (Some(1980.0), Some(2619.0)));
    assert_eq!(sample.throttle.map(|throttle| throttle.to_string()).as_deref(), Some("power-cap"));
    assert_eq!((sample.energy_j, sample.ecc_uncorrected), (Some(1234.5), Some(0)));

    let mut bare = Machine::new("gpu 0\n");
    let reading = bare.read(0);
    let sample = reading.sample;
    assert_eq!(sample.vram_used_bytes.map(|bytes| bytes.0), Some(0), "of memory it always knows");
    assert_eq!((sample.utilization_percent, sample.power_w, sample.power_cap_w), (None, None, None));
    assert_eq!((sample.temperature_c, sample.slowdown_margin_c, sample.throttle), (None, None, None));
    assert_eq!((sample.throttled_percent, sample.energy_j, sample.ecc_uncorrected), (None, None, None));
    assert_eq!(reading.faults, [], "to lack a figure is no fault");
}

#[test]
fn the_margin_that_the_driver_knows_wins_over_the_threshold() {
    let mut machine = Machine::new("gpu 0\n temperature 61\n slowdown 87\n margin -2\n");
    machine.card(0);
    assert_eq!(machine.read(0).sample.slowdown_margin_c, Some(-2.0));
}

#[test]
fn a_process_that_computes_and_draws_counts_once_and_memory_not_told_stays_unknown() {
    let script = "gpu 0\n compute 4101 38 GiB\n graphics 4101 2 GiB\n compute 4102 n/a\n mps 4103 1 GiB\n";
    let reading = Machine::new(script).read(0);
    assert_eq!(held(&reading), [(4101, Some(38 * GIB)), (4102, None), (4103, Some(GIB))]);
}

#[test]
fn a_list_that_grows_while_it_is_read_is_read_again_and_kept_when_it_grows_again() {
    let script = "gpu 0\n compute 4101 1 GiB\n";
    let mut machine = Machine::new(&format!("{script} short 1\n"));
    assert_eq!(held(&machine.read(0)), [(4101, Some(GIB))], "the second try worked");
    let reading = machine.then("gpu 0\n compute 4102 1 GiB\n short 1000\n");
    assert_eq!(held(&reading), [(4101, Some(GIB))], "it stays as it was for a while");
    machine.second += 10;
    assert_eq!(held(&machine.read(0)), [], "and not for ever");
    assert_eq!(machine.read(0).faults, []);
}

#[test]
fn drivers_before_510_and_those_of_early_535_are_asked_in_their_own_version() {
    let script = "gpu 0\n compute 4101 38 GiB\n compute 4102 2 GiB\n graphics 4103 1 GiB\n";
    let expected = [(4101, Some(38 * GIB)), (4102, Some(2 * GIB)), (4103, Some(GIB))];
    let mut old = Machine::of_age(Age::Old, &format!("driver 470.82\n{script}"));
    let reading = old.read(0);
    assert_eq!(held(&reading), expected);
    assert_eq!(reading.sample.vram_used_bytes.map(|bytes| bytes.0), Some(41 * GIB));
    assert_eq!(held(&Machine::of_age(Age::Old, &format!("driver 535.98\n{script}")).read(0)), expected);
    assert_eq!(held(&Machine::new(&format!("driver 535.86.10\n{script}")).read(0)), expected);
    assert_eq!(held(&Machine::new(&format!("{script} garbled\n")).read(0)), expected, "whatever its version");
}

#[test]
fn drivers_before_450_have_lists_too() {
    let script = "driver 440.33\ngpu 0\n compute 4101 38 GiB\n compute 4102 n/a\n";
    assert_eq!(held(&Machine::of_age(Age::Oldest, script).read(0)), [(4101, Some(38 * GIB)), (4102, None)]);
}

#[test]
fn processes_outside_this_container_are_counted() {
    let me = std::process::id();
    // Above the largest pid of any Linux in its default, and below that of any at all.
    let script = format!("gpu 0\n compute {me} 1 GiB\n compute 4194303 39 GiB\n");
    assert_eq!(Machine::new(&script).read(0).sample.outside_processes, Some(1));
    let hidden =
        Machine::new("gpu 0\n compute not-supported\n graphics not-supported\n mps no-permission\n").read(0);
    assert_eq!(hidden.sample.outside_processes, None, "without a list nobody knows");
}

#[test]
fn a_lost_gpu_is_a_fault_and_its_figures_are_unknown_until_it_is_back() {
    let script = "gpu 0\n power 100\n temperature 50\n";
    let mut machine = Machine::new(script);
    machine.card(0);
    assert_eq!(machine.read(0).faults, []);
    let lost = machine.then("gpu 0\n answer lost\n");
    assert_eq!(lost.faults, [GpuFaultKind::Lost]);
    assert_eq!((lost.sample.power_w, lost.sample.vram_used_bytes), (None, None));
    let halfway = machine.then("gpu 0\n power 100\n memory lost\n");
    assert_eq!(halfway.faults, [GpuFaultKind::Lost]);
    assert_eq!(halfway.sample.power_w, None, "it is not asked on");
    assert_eq!(machine.then("gpu 0\n answer reset-required\n").faults, [GpuFaultKind::NeedsReset]);
    assert_eq!(machine.then("gpu 0\n handle no-permission\n").faults, [GpuFaultKind::Refused]);
    let back = machine.then(script);
    assert_eq!((back.faults, back.sample.power_w), (vec![], Some(100.0)));
}

#[test]
fn an_unknown_error_is_a_fault_only_where_there_was_an_answer_before() {
    let mut machine = Machine::new("gpu 0\n power 100\n utilization unknown\n");
    assert_eq!(machine.read(0).faults, []);
    let faults = machine.then("gpu 0\n power unknown\n utilization unknown\n").faults;
    assert!(
        matches!(&faults[..], [GpuFaultKind::Sick { message }] if message.starts_with("power")),
        "{faults:?}"
    );
}

#[test]
fn xid_errors_are_told_once_and_only_those_that_come() {
    let script = "gpu 0\n events yes\n xid 13\n";
    let mut machine = Machine::new(&format!("{script}gpu 1\n events yes\n"));
    machine.card(0);
    assert_eq!(machine.read(0).faults, [], "13 was before");
    let xids = |codes: &[u64]| codes.iter().map(|code| GpuFaultKind::Xid { code: *code }).collect::<Vec<_>>();
    assert_eq!(machine.then(&format!("{script} xid 31\n xid 43\n")).faults, xids(&[31, 43]));
    assert_eq!(machine.read(0).faults, []);
    let lost = machine.then(&format!("{script} xid 31\n xid 43\n xid 79\n answer lost\n"));
    assert_eq!(lost.faults, [vec![GpuFaultKind::Lost], xids(&[79])].concat());
}

#[test]
fn memory_errors_are_a_fault_when_they_grow() {
    let mut machine = Machine::new("gpu 0\n ecc 3\n");
    let first = machine.read(0);
    assert_eq!((first.sample.ecc_uncorrected, first.faults), (Some(3), vec![]));
    assert_eq!(machine.then("gpu 0\n ecc 5\n").faults, [GpuFaultKind::Ecc { errors: 5 }]);
    assert_eq!(machine.read(0).faults, []);
}

#[test]
fn mig_is_told_and_its_absence_is_no_fault() {
    let mut machine = Machine::new("gpu 0\n mig on\n utilization not-supported\ngpu 1\n mig off\n");
    assert_eq!((machine.card(0).mig, machine.card(1).mig), (Some(true), Some(false)));
    assert_eq!(machine.read(0).faults, [GpuFaultKind::Mig]);
    assert_eq!(machine.read(1).faults, []);
}

#[test]
fn the_share_of_time_held_back_comes_from_counters() {
    let line =
        |power: f64| format!("gpu 0\n throttle power-cap\n power-violation {power}\n thermal-violation 0\n");
    let mut machine = Machine::new(&line(100.0));
    assert_eq!(machine.read(0).sample.throttled_percent, None);
    assert_eq!(machine.then(&line(100.25)).sample.throttled_percent, Some(25.0));
}
