//! Watching GPUs of a scripted driver: readings follow one another, and one that hangs takes nobody with it.

use super::*;
use crate::model::machine::gpu_health::GpuFaultKind;
use crate::model::units::Bytes;
use crate::telemetry::scripted::{ScriptedSource, sample_card, sample_round};

/// Fast, and never silent.
const PACE: PollTiming = PollTiming {
    period: Duration::from_millis(1),
    introduction: Duration::from_secs(60),
    silent_after: Duration::from_secs(60),
};

fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "the monitor did not get there");
        thread::yield_now();
    }
}

fn wait_for_power(monitor: &GpuMonitor, gpu: usize, power_w: f64) {
    wait_for(|| {
        monitor.latest_readings().filter(|latest| {
            latest
                .samples
                .iter()
                .any(|sample| sample.gpu.0 as usize == gpu && sample.power_w == Some(power_w))
        })
    });
}

#[test]
fn rounds_of_the_source_appear_one_after_the_other() {
    let mut source = ScriptedSource::default();
    let go = source.add_gpu(vec![sample_round(40.0), sample_round(50.0)]);
    let monitor = GpuMonitor::start_with(|| Ok(source), PACE);
    go.send(()).unwrap();
    let inventory = wait_for(|| monitor.inventory());
    assert_eq!(inventory.cards(), [sample_card(0)]);
    wait_for_power(&monitor, 0, 40.0);
    go.send(()).unwrap();
    wait_for_power(&monitor, 0, 50.0);
}

#[test]
fn a_gpu_that_hangs_is_silent_since_its_last_answer_and_the_other_goes_on() {
    let mut source = ScriptedSource::default();
    let mut first = sample_round(40.0);
    first.processes = vec![GpuProcess { gpu: GpuIndex(0), pid: 7, vram: Some(Bytes(5)) }];
    let (hangs, works) = (
        source.add_gpu(vec![first]),
        source.add_gpu(vec![sample_round(1.0), sample_round(2.0), sample_round(3.0)]),
    );
    let monitor =
        GpuMonitor::start_with(|| Ok(source), PollTiming { silent_after: Duration::from_millis(20), ..PACE });
    hangs.send(()).unwrap();
    wait_for_power(&monitor, 0, 40.0);
    // From here on the first GPU hangs as a sick driver does.
    for (power, _) in [1.0, 2.0, 3.0].into_iter().zip(0..) {
        works.send(()).unwrap();
        wait_for_power(&monitor, 1, power);
    }
    let silent = wait_for(|| {
        let latest = monitor.latest_readings()?;
        latest.health[0].blocking_fault().is_some().then_some(latest)
    });
    let fault = silent.health[0].blocking_fault().unwrap();
    assert_eq!(fault.kind, GpuFaultKind::Silent);
    let since = silent.samples[0].timestamp.duration_since(fault.since).abs();
    assert!(since.as_secs() < 20, "it is silent since it last answered");
    assert_eq!(silent.samples[0].power_w, Some(40.0), "the last figures stay with their time");
    assert_eq!(silent.processes[0].vram, None, "what they hold now is unknown");
    hangs.send(()).unwrap();
    wait_for(|| monitor.latest_readings()?.health[0].faults.is_empty().then_some(()));
}

#[test]
fn a_card_that_does_not_say_what_it_is_keeps_its_place() {
    struct Mute;
    impl GpuSource for Mute {
        type Reader = Mute;
        fn driver_version(&self) -> String {
            "1".to_owned()
        }
        fn create_readers(&self) -> Result<Vec<Mute>, String> {
            Ok(vec![Mute])
        }
    }
    impl GpuReader for Mute {
        fn read_card(&mut self) -> GpuCard {
            loop {
                thread::park();
            }
        }
        fn take_reading(&mut self, _: Timestamp) -> GpuReading {
            unreachable!("it was not introduced")
        }
    }
    let (inventory, readings) = inspect_with(|| Ok(Mute), Duration::from_millis(20));
    assert_eq!(inventory.cards(), [GpuCard::unknown(GpuIndex(0))]);
    assert_eq!(inventory.cards()[0].cuda_name(), None);
    assert_eq!(readings.health[0].blocking_fault().map(|fault| &fault.kind), Some(&GpuFaultKind::Silent));
}

#[test]
fn a_driver_that_does_not_open_in_time_is_absent_with_a_reason() {
    let (never, hang) = std::sync::mpsc::channel::<()>();
    let open = move || {
        let _ = hang.recv();
        Ok(ScriptedSource::default())
    };
    let (inventory, readings) = inspect_with(open, Duration::from_millis(20));
    drop(never);
    let GpuInventory::Absent { reason } = inventory else { panic!("nothing has answered") };
    assert!(reason.contains("did not answer within"), "{reason}");
    assert_eq!(readings, GpuReadings::default());
}

#[test]
fn a_missing_driver_is_said_in_a_sentence() {
    let open = || driver::open_library("/nowhere/libnvidia-ml.so.1".as_ref());
    let (inventory, _) = inspect_with(open, Duration::from_secs(20));
    let reason = "no NVIDIA driver: libnvidia-ml.so.1 was not found".to_owned();
    assert_eq!(inventory, GpuInventory::Absent { reason: reason.clone() });
    let monitor = GpuMonitor::start_with(open, PACE);
    assert_eq!(wait_for(|| monitor.inventory()), GpuInventory::Absent { reason });
    assert_eq!(monitor.latest_readings(), None);
}

#[test]
fn a_reading_that_is_wanted_comes_before_its_time() {
    let mut source = ScriptedSource::default();
    let go = source.add_gpu(vec![sample_round(40.0), sample_round(50.0)]);
    let pace = PollTiming { period: Duration::from_secs(600), ..PACE };
    let monitor = GpuMonitor::start_with(|| Ok(source), pace);
    go.send(()).unwrap();
    wait_for_power(&monitor, 0, 40.0);
    go.send(()).unwrap();
    let renewed = monitor.renew_readings(Duration::from_secs(20)).unwrap();
    assert_eq!(renewed.samples[0].power_w, Some(50.0));
    // Its next reading waits for a word that never comes.
    let before = monitor.renew_readings(Duration::from_millis(1)).unwrap();
    assert_eq!(before.samples[0].power_w, Some(50.0));
}
