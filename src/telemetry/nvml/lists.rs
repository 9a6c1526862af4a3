//! The lists of processes of one GPU, through whichever version of the calls the driver gets right.

use jiff::{SignedDuration, Timestamp};
use nvml_wrapper::Device;
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::struct_wrappers::device::ProcessInfo;

use crate::model::units::Bytes;
use crate::telemetry::gpu_processes::{Listed, are_garbled, lists_are_scrambled};
use crate::telemetry::nvml::raw::{self, FirstList};

/// List of processes that a GPU keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProcessList {
    /// Programs that compute on the GPU.
    Compute,
    /// Programs that draw: simulators that render are here, often in both.
    Graphics,
    /// Programs that compute through a shared server.
    Mps,
}

impl ProcessList {
    /// All lists that a GPU keeps.
    pub const ALL: [Self; 3] = [Self::Compute, Self::Graphics, Self::Mps];
}

/// The versions of the calls. Each has its own struct, and a call with the wrong one reads nonsense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallVersion {
    /// Drivers from 510 on, but for some of 535.
    Third,
    /// Drivers from 450 on.
    Second,
    /// All drivers, whatever their version.
    First,
}

/// A list that cannot be read this once is taken to be what it was, up to this age.
const HOLDS: SignedDuration = SignedDuration::from_secs(5);

/// The last good state of each list.
#[derive(Debug)]
pub struct GpuProcessLists {
    version: CallVersion,
    kept: [Option<(Timestamp, Vec<Listed>)>; 3],
}

impl GpuProcessLists {
    /// Nothing is known yet.
    pub fn new(driver: Option<&str>) -> Self {
        // They write more than there is room for, so it must not even be tried.
        let is_scrambled = driver.is_some_and(lists_are_scrambled);
        let version = if is_scrambled { CallVersion::Second } else { CallVersion::Third };
        Self { version, kept: [None, None, None] }
    }

    /// Asks for one list. An entry above `total`, the memory of the GPU, is none.
    pub fn read_list(
        &mut self,
        device: &Device<'_>,
        list: ProcessList,
        total: Option<Bytes>,
    ) -> Result<Vec<Listed>, NvmlError> {
        loop {
            let answer = query_list(device, list, self.version);
            let is_wrong = match &answer {
                Err(NvmlError::FailedToLoadSymbol(_) | NvmlError::FunctionNotFound) => true,
                Ok(listed) => are_garbled(listed, total),
                Err(_) => false,
            };
            self.version = match self.version {
                _ if !is_wrong => return answer,
                // Without the present list of MPS an old driver still has its others.
                CallVersion::Third if list == ProcessList::Mps => return Err(NvmlError::NotSupported),
                CallVersion::Third => CallVersion::Second,
                CallVersion::Second => CallVersion::First,
                CallVersion::First => return answer.and(Err(NvmlError::NotSupported)),
            }
        }
    }

    /// Keeps what was read; what could not be read stays for a while as it was.
    pub fn keep_list(&mut self, list: ProcessList, new: Option<Vec<Listed>>, is_absent: bool, at: Timestamp) {
        let kept = &mut self.kept[list as usize];
        match new {
            Some(listed) => *kept = Some((at, listed)),
            None if is_absent => *kept = None,
            None => _ = kept.take_if(|(since, _)| at.duration_since(*since) > HOLDS),
        }
    }

    /// At least one list can be read.
    pub fn is_known(&self) -> bool {
        self.kept.iter().any(Option::is_some)
    }

    /// The entries of all lists.
    pub fn all_entries(&self) -> impl Iterator<Item = Listed> {
        self.kept.iter().flatten().flat_map(|(_, listed)| listed.iter().copied())
    }
}

fn query_list(
    device: &Device<'_>,
    list: ProcessList,
    version: CallVersion,
) -> Result<Vec<Listed>, NvmlError> {
    let infos = match (version, list) {
        (CallVersion::Third, ProcessList::Compute) => device.running_compute_processes(),
        (CallVersion::Third, ProcessList::Graphics) => device.running_graphics_processes(),
        (CallVersion::Third, ProcessList::Mps) => device.mps_running_compute_processes(),
        (CallVersion::Second, ProcessList::Compute) => device.running_compute_processes_v2(),
        (CallVersion::Second, ProcessList::Graphics) => device.running_graphics_processes_v2(),
        (CallVersion::First, ProcessList::Compute) => {
            return raw::first_processes(device, FirstList::Compute);
        }
        (CallVersion::First, ProcessList::Graphics) => {
            return raw::first_processes(device, FirstList::Graphics);
        }
        (CallVersion::Second | CallVersion::First, ProcessList::Mps) => Err(NvmlError::NotSupported),
    };
    infos.map(|infos| infos.iter().map(to_listed).collect())
}

fn to_listed(process: &ProcessInfo) -> Listed {
    let vram = match process.used_gpu_memory {
        UsedGpuMemory::Used(bytes) => Some(Bytes(bytes)),
        UsedGpuMemory::Unavailable => None,
    };
    (process.pid, vram)
}
