//! Reads one GPU through NVML: each field by itself, so that one that is missing costs no other.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::ErrorKind;

use jiff::Timestamp;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{
    Clock, EccCounter, MemoryError, TemperatureSensor, TemperatureThreshold,
};
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};

use crate::model::ids::GpuIndex;
use crate::model::machine::gpu_health::GpuFaultKind;
use crate::model::machine::sample::{GpuCard, GpuProcess, GpuSample};
use crate::model::machine::throttle::{Throttle, ThrottleReason};
use crate::model::units::Bytes;
use crate::telemetry::gpu_processes::merge_lists;
use crate::telemetry::gpu_source::{GpuReader, GpuReading};
use crate::telemetry::nvml::error::{self, FieldError};
use crate::telemetry::nvml::lists::{GpuProcessLists, ProcessList};
use crate::telemetry::nvml::raw;
use crate::telemetry::nvml::violations::{ViolationCounter, Violations};
use crate::telemetry::nvml::xids::Xids;
use crate::telemetry::proc_files;

/// The questions to one GPU.
#[derive(Debug)]
pub struct NvmlReader {
    nvml: &'static Nvml,
    gpu: GpuIndex,
    questions: Questions,
    lists: GpuProcessLists,
    violations: Violations,
    xids: Xids,
    slowdown_c: Option<u32>,
    vram_total: Option<Bytes>,
    /// Memory errors at the last reading; what was there before the first is no news.
    ecc: Option<u64>,
}

/// Answers of a GPU so far, and what went wrong in this round.
#[derive(Debug, Default)]
struct Questions {
    /// Fields that it answered never to have.
    unsupported: HashSet<GpuField>,
    /// Fields that it has reported at least once.
    answered: HashSet<GpuField>,
    faults: Vec<GpuFaultKind>,
    /// Whether it answers nothing any more: another twenty questions would only wait.
    is_gone: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum GpuField {
    Mig,
    Memory,
    Utilization,
    Power,
    PowerCap,
    Energy,
    Temperature,
    Slowdown,
    SlowdownMargin,
    ClockSm,
    ClockMemory,
    Throttle,
    Violation(ViolationCounter),
    Ecc,
    List(ProcessList),
}

impl NvmlReader {
    /// A reader that has asked nothing yet.
    pub fn new(nvml: &'static Nvml, gpu: GpuIndex, driver: Option<&str>) -> Self {
        Self {
            nvml,
            gpu,
            questions: Questions::default(),
            lists: GpuProcessLists::new(driver),
            violations: Violations::default(),
            xids: Xids::default(),
            slowdown_c: None,
            vram_total: None,
            ecc: None,
        }
    }
}

impl GpuReader for NvmlReader {
    fn read_card(&mut self) -> GpuCard {
        let card = GpuCard::unknown(self.gpu);
        // A card that does not answer keeps its place, so that the numbers of the others stay true.
        let Ok(device) = self.nvml.device_by_index(self.gpu.0) else { return card };
        // Before anything happens: only what comes after this is reported.
        self.xids.start_listening(self.nvml, &device);
        let slowdown = || device.temperature_threshold(TemperatureThreshold::Slowdown);
        self.slowdown_c = self.questions.ask_field(GpuField::Slowdown, slowdown);
        self.vram_total = raw::read_memory(&device).ok().map(|memory| memory.total);
        GpuCard {
            uuid: device.uuid().unwrap_or(card.uuid),
            name: device.name().unwrap_or(card.name),
            vram_total: self.vram_total,
            slowdown_c: self.slowdown_c,
            mig: self.questions.ask_field(GpuField::Mig, || device.mig_mode()).map(|mode| mode.current == 1),
            withheld: device.minor_number().ok().and_then(explain_barred),
            index: self.gpu,
        }
    }

    fn take_reading(&mut self, at: Timestamp) -> GpuReading {
        let mut reading = GpuReading::unknown(self.gpu, at);
        match self.nvml.device_by_index(self.gpu.0) {
            Ok(device) => {
                self.questions.is_gone = false;
                // The lists first: what a process has taken by then is in the memory that is read after them, and what
                // it takes in between counts as promised and not used. The other way round it would count as used
                // while it was missing from the memory in use, and the room for it would be given away twice.
                reading.processes = self.read_processes(&device, at);
                reading.sample = self.read_sample(&device, at);
                reading.sample.outside_processes =
                    self.lists.is_known().then(|| count_outside(&reading.processes));
                self.note_memory_errors(reading.sample.ecc_uncorrected);
            }
            Err(error) => self.questions.faults.push(error::of_handle(&error)),
        }
        self.questions.faults.extend(self.xids.take_new_faults());
        reading.faults = std::mem::take(&mut self.questions.faults);
        reading
    }
}

impl NvmlReader {
    fn read_sample(&mut self, device: &Device<'_>, at: Timestamp) -> GpuSample {
        let questions = &mut self.questions;
        if questions.ask_field(GpuField::Mig, || device.mig_mode()).is_some_and(|mode| mode.current == 1) {
            questions.faults.push(GpuFaultKind::Mig);
        }
        let milli = |thousandths: u32| f64::from(thousandths) / 1000.0;
        let memory = questions.ask_field(GpuField::Memory, || raw::read_memory(device));
        self.vram_total = memory.map(|memory| memory.total).or(self.vram_total);
        let utilization = questions.ask_field(GpuField::Utilization, || device.utilization_rates());
        let temperature_c = questions
            .ask_field(GpuField::Temperature, || device.temperature(TemperatureSensor::Gpu))
            .map(f64::from);
        let margin =
            questions.ask_field(GpuField::SlowdownMargin, || raw::slowdown_margin(device)).map(f64::from);
        let throttle = questions
            .ask_field(GpuField::Throttle, || device.current_throttle_reasons())
            .map(throttle_reasons);
        let counter = |counter: ViolationCounter| {
            questions
                .ask_field(GpuField::Violation(counter), || device.violation_status(counter.nvml_policy()))
        };
        let throttled_percent = self.violations.throttled_share(at, throttle, counter);
        let energy = questions.ask_field(GpuField::Energy, || device.total_energy_consumption());
        let ecc = || device.total_ecc_errors(MemoryError::Uncorrected, EccCounter::Volatile);
        GpuSample {
            timestamp: at,
            gpu: self.gpu,
            vram_used_bytes: memory.map(|memory| memory.used),
            vram_total_bytes: memory.map(|memory| memory.total),
            utilization_percent: utilization.as_ref().map(|rates| f64::from(rates.gpu)),
            power_w: questions.ask_field(GpuField::Power, || device.power_usage()).map(milli),
            power_cap_w: questions.ask_field(GpuField::PowerCap, || device.enforced_power_limit()).map(milli),
            temperature_c,
            clock_sm_mhz: questions
                .ask_field(GpuField::ClockSm, || device.clock_info(Clock::SM))
                .map(f64::from),
            clock_memory_mhz: questions
                .ask_field(GpuField::ClockMemory, || device.clock_info(Clock::Memory))
                .map(f64::from),
            throttle,
            throttled_percent,
            slowdown_margin_c: margin.or_else(|| Some(f64::from(self.slowdown_c?) - temperature_c?)),
            energy_j: energy.map(|millijoules| millijoules as f64 / 1000.0),
            ecc_uncorrected: questions.ask_field(GpuField::Ecc, ecc),
            outside_processes: None,
            memory_utilization_percent: utilization.map(|rates| f64::from(rates.memory)),
        }
    }

    fn read_processes(&mut self, device: &Device<'_>, at: Timestamp) -> Vec<GpuProcess> {
        for list in ProcessList::ALL {
            let (lists, total) = (&mut self.lists, self.vram_total);
            let new = self.questions.ask_field(GpuField::List(list), || lists.read_list(device, list, total));
            let is_absent = self.questions.unsupported.contains(&GpuField::List(list));
            self.lists.keep_list(list, new, is_absent, at);
        }
        merge_lists(self.gpu, self.lists.all_entries())
    }

    fn note_memory_errors(&mut self, errors: Option<u64>) {
        let Some(errors) = errors else { return };
        if self.ecc.is_some_and(|before| errors > before) {
            self.questions.faults.push(GpuFaultKind::Ecc { errors });
        }
        self.ecc = Some(errors);
    }
}

impl Questions {
    fn ask_field<T>(&mut self, field: GpuField, mut call: impl FnMut() -> Result<T, NvmlError>) -> Option<T> {
        if self.is_gone || self.unsupported.contains(&field) {
            return None;
        }
        let answer = match call() {
            Err(error) if error::of_field(&error) == FieldError::Grew => call(),
            answer => answer,
        };
        let error = match answer {
            Ok(value) => {
                self.answered.insert(field);
                return Some(value);
            }
            Err(error) => error,
        };
        match error::of_field(&error) {
            FieldError::Unsupported => _ = self.unsupported.insert(field),
            FieldError::Gone(fault) => {
                self.faults.push(fault);
                self.is_gone = true;
            }
            // Some GPUs answer some questions with an unknown error all their lives: those lack the field.
            FieldError::Sick if self.answered.contains(&field) => {
                let message = format!("{field:?}: {error}").to_lowercase();
                let fault = GpuFaultKind::Sick { message };
                if !self.faults.contains(&fault) {
                    self.faults.push(fault);
                }
            }
            FieldError::Sick | FieldError::Grew | FieldError::Passing => {}
        }
        None
    }
}

/// Why programs here cannot use the GPU with that device node, such as one that a container was not given.
fn explain_barred(minor: u32) -> Option<String> {
    let path = format!("/dev/nvidia{minor}");
    // The driver has it open already, so that this wakes no card.
    match OpenOptions::new().read(true).write(true).open(&path).map_err(|error| error.kind()) {
        Err(ErrorKind::NotFound) => Some(format!("{path} does not exist")),
        Err(ErrorKind::PermissionDenied) => Some(format!("{path} may not be opened")),
        Ok(_) | Err(_) => None,
    }
}

/// Counts the processes that are not of this pid namespace, e.g. when this is a container and the driver gives the
/// numbers of the host.
fn count_outside(processes: &[GpuProcess]) -> u32 {
    let count = processes.iter().filter(|process| !proc_files::process_exists(process.pid)).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn throttle_reasons(bits: ThrottleReasons) -> Throttle {
    let is_said =
        bits.intersects(ThrottleReasons::HW_THERMAL_SLOWDOWN.union(ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN));
    let named = [
        (ThrottleReasons::SW_POWER_CAP, ThrottleReason::PowerCap),
        (ThrottleReasons::SW_THERMAL_SLOWDOWN, ThrottleReason::ThermalSlowdown),
        (ThrottleReasons::HW_THERMAL_SLOWDOWN, ThrottleReason::HardwareThermal),
        (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, ThrottleReason::PowerBrake),
        (ThrottleReasons::HW_SLOWDOWN, ThrottleReason::HardwareSlowdown),
        (ThrottleReasons::SYNC_BOOST, ThrottleReason::SyncBoost),
    ];
    // A hardware slowdown comes with its reason where the GPU knows it; the bare word is for those that do not.
    let counts = |(bit, _): &(ThrottleReasons, ThrottleReason)| {
        bits.contains(*bit) && !(is_said && *bit == ThrottleReasons::HW_SLOWDOWN)
    };
    named.into_iter().filter(counts).map(|(_, reason)| reason).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_without_support_is_asked_once_and_a_list_that_grew_twice() {
        let mut questions = Questions::default();
        let asked = std::cell::Cell::new(0);
        let counted = |error: fn() -> NvmlError| {
            let asked = &asked;
            move || -> Result<(), NvmlError> {
                asked.set(asked.get() + 1);
                Err(error())
            }
        };
        for _ in 0..3 {
            assert_eq!(questions.ask_field(GpuField::Power, counted(|| NvmlError::NotSupported)), None);
        }
        assert_eq!(asked.replace(0), 1);
        let list = GpuField::List(ProcessList::Compute);
        assert_eq!(questions.ask_field(list, counted(|| NvmlError::InsufficientSize(None))), None);
        assert_eq!(asked.replace(0), 2);
        assert_eq!(questions.faults, []);
    }

    #[test]
    fn an_error_is_a_fault_only_of_a_field_that_was_told_before() {
        let mut questions = Questions::default();
        let fails = || Err::<u32, _>(NvmlError::Unknown);
        assert_eq!(questions.ask_field(GpuField::Utilization, fails), None);
        assert_eq!(questions.faults, []);
        assert_eq!(questions.ask_field(GpuField::Utilization, || Ok(1)), Some(1));
        assert_eq!(questions.ask_field(GpuField::Utilization, fails), None);
        assert!(
            matches!(&questions.faults[..], [GpuFaultKind::Sick { message }] if message.contains("internal"))
        );
    }

    #[test]
    fn a_gpu_that_is_gone_is_asked_nothing_more() {
        let mut questions = Questions::default();
        assert_eq!(questions.ask_field(GpuField::Memory, || Err::<(), _>(NvmlError::GpuLost)), None);
        let asked =
            questions.ask_field(GpuField::Power, || -> Result<(), NvmlError> { panic!("it was asked") });
        assert_eq!((asked, questions.faults), (None, vec![GpuFaultKind::Lost]));
    }

    #[test]
    fn a_slowdown_is_called_by_its_reason_where_there_is_one() {
        let both = ThrottleReasons::HW_SLOWDOWN | ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN;
        assert_eq!(throttle_reasons(both).to_string(), "power-brake");
        assert_eq!(throttle_reasons(ThrottleReasons::HW_SLOWDOWN).to_string(), "hardware-slowdown");
        let harmless = ThrottleReasons::GPU_IDLE | ThrottleReasons::APPLICATIONS_CLOCKS_SETTING;
        assert_eq!(throttle_reasons(harmless).to_string(), "none");
    }
}
