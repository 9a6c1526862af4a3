//! The calls that the wrapper does not wrap: those of old drivers, and the margin to the slowdown of new ones.

use nvml_wrapper::Device;
use nvml_wrapper::error::{NvmlError, nvml_sym, nvml_try};

use crate::model::units::Bytes;

/// Memory of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GpuMemory {
    /// Memory in use by any process.
    pub used: Bytes,
    /// Size of the whole memory.
    pub total: Bytes,
}

/// `NVML_VALUE_NOT_AVAILABLE` as the memory of a process.
const NOT_AVAILABLE: u64 = u64::MAX;

/// Asks the present call for memory and, where there is none (drivers before 510, WSL, vGPU), the one before it.
pub fn read_memory(device: &Device<'_>) -> Result<GpuMemory, NvmlError> {
    match device.memory_info() {
        Ok(memory) => Ok(GpuMemory { used: Bytes(memory.used), total: Bytes(memory.total) }),
        Err(NvmlError::GpuLost) => Err(NvmlError::GpuLost),
        Err(_) => first_memory(device),
    }
}

#[expect(unsafe_code, reason = "the wrapper has no safe form of the first version of this call")]
fn first_memory(device: &Device<'_>) -> Result<GpuMemory, NvmlError> {
    let call = nvml_sym(device.nvml().lib().nvmlDeviceGetMemoryInfo.as_ref())?;
    // SAFETY: the struct is three integers, for which all zeros is a value; the handle is used while its
    // `Nvml` is borrowed; the call writes only into the struct that is passed, whose type the binding fixes.
    let memory = unsafe {
        let mut memory = std::mem::zeroed();
        nvml_try(call(device.handle(), &mut memory))?;
        memory
    };
    Ok(GpuMemory { used: Bytes(memory.used), total: Bytes(memory.total) })
}

/// Degrees until the nearest of the GPU's sensors reaches its slowdown; drivers from 570 on know it.
#[expect(unsafe_code, reason = "the wrapper has no safe form of this call")]
pub fn slowdown_margin(device: &Device<'_>) -> Result<i32, NvmlError> {
    let call = nvml_sym(device.nvml().lib().nvmlDeviceGetMarginTemperature.as_ref())?;
    // `nvmlMarginTemperature_v1_t`: its size and version as `NVML_STRUCT_VERSION` makes them, then the margin.
    let mut margin: [u32; 2] = [8 | 1 << 24, 0];
    // SAFETY: the struct is two integers of 32 bits; the handle is used while its `Nvml` is borrowed.
    unsafe { nvml_try(call(device.handle(), margin.as_mut_ptr().cast()))? };
    Ok(margin[1] as i32)
}

/// The lists that drivers before 450 have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstList {
    /// Programs that compute on the GPU.
    Compute,
    /// Programs that draw with the GPU.
    Graphics,
}

/// Pids, each with the memory it holds where the driver reports it, of drivers before 450.
#[expect(unsafe_code, reason = "the wrapper has no safe form of the first version of these calls")]
pub fn first_processes(device: &Device<'_>, list: FirstList) -> Result<Vec<(u32, Option<Bytes>)>, NvmlError> {
    let lib = device.nvml().lib();
    let call = match list {
        FirstList::Compute => nvml_sym(lib.nvmlDeviceGetComputeRunningProcesses.as_ref())?,
        FirstList::Graphics => nvml_sym(lib.nvmlDeviceGetGraphicsRunningProcesses.as_ref())?,
    };
    let mut count = 0;
    // SAFETY: the handle is used while its `Nvml` is borrowed; with a count of 0 the call writes the count only.
    match unsafe { nvml_try(call(device.handle(), &mut count, std::ptr::null_mut())) } {
        Ok(()) => return Ok(Vec::new()),
        Err(NvmlError::InsufficientSize(_)) => {}
        Err(error) => return Err(error),
    }
    // Room for those that come in between.
    count = count * 2 + 5;
    let mut infos = Vec::with_capacity(count as usize);
    // SAFETY: there is room for as many entries as the call is given, and it has written as many as it
    // reports.
    unsafe {
        nvml_try(call(device.handle(), &mut count, infos.as_mut_ptr()))?;
        infos.set_len((count as usize).min(infos.capacity()));
    }
    let held = |used: u64| (used != NOT_AVAILABLE).then_some(Bytes(used));
    Ok(infos.into_iter().map(|info| (info.pid, held(info.usedGpuMemory))).collect())
}
