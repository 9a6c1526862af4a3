//! Memory, power, temperature and everything else that is a number.

use std::ffi::{c_int, c_uint, c_ulonglong};

use super::holders::{processes, used};
use super::machine::{Handle, INVALID_ARGUMENT, Return, SUCCESS, about};
use super::script::Failure;

#[repr(C)]
struct Memory {
    total: c_ulonglong,
    free: c_ulonglong,
    used: c_ulonglong,
}

#[cfg(not(old))]
#[repr(C)]
struct Memory2 {
    version: c_uint,
    total: c_ulonglong,
    reserved: c_ulonglong,
    free: c_ulonglong,
    used: c_ulonglong,
}

#[repr(C)]
struct Utilization {
    gpu: c_uint,
    memory: c_uint,
}

#[repr(C)]
struct Violation {
    /// Microseconds; nobody reads it.
    reference: c_ulonglong,
    /// Nanoseconds.
    violation: c_ulonglong,
}

#[repr(C)]
struct Margin {
    version: c_uint,
    margin: c_int,
}

/// Writes an answer to where the caller wants it.
///
/// # Safety
///
/// The place may be written.
unsafe fn answer<T>(value: Result<T, Return>, place: *mut T) -> Return {
    match value {
        Ok(value) => {
            // SAFETY: as the caller promises.
            unsafe { place.write(value) };
            SUCCESS
        }
        Err(code) => code,
    }
}

fn number(device: Handle, field: &str) -> Result<f64, Return> {
    about(device, |_, gpu| gpu.number(field))
}

/// Total and used.
fn memory(device: Handle) -> Result<(u64, u64), Return> {
    about(device, |script, gpu| match gpu.failure("memory") {
        Some(failure) => Err(failure),
        None => {
            let used = used(gpu, &processes(script, gpu, device - 1));
            Ok((gpu.size("total").unwrap_or(80 << 30), used))
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetMemoryInfo(device: Handle, place: *mut Memory) -> Return {
    let memory = memory(device).map(|(total, used)| Memory { total, free: total.saturating_sub(used), used });
    // SAFETY: as the caller promises.
    unsafe { answer(memory, place) }
}

#[cfg(not(old))]
#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetMemoryInfo_v2(device: Handle, place: *mut Memory2) -> Return {
    // SAFETY: as the caller promises.
    unsafe {
        let version = (*place).version;
        if version != 40 | 2 << 24 {
            return INVALID_ARGUMENT;
        }
        let memory = memory(device);
        let free = |total: u64, used| total.saturating_sub(used);
        let info = |(total, used)| Memory2 { version, total, reserved: 0, free: free(total, used), used };
        answer(memory.map(info), place)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetUtilizationRates(device: Handle, place: *mut Utilization) -> Return {
    let rates = number(device, "utilization").map(|gpu| Utilization { gpu: gpu as c_uint, memory: 0 });
    // SAFETY: as the caller promises.
    unsafe { answer(rates, place) }
}

macro_rules! numbers {
    ($($function:ident $field:literal $factor:literal $type:ty;)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $function(device: Handle, place: *mut $type) -> Return {
                // SAFETY: as the caller promises.
                unsafe { answer(number(device, $field).map(|number| (number * $factor) as $type), place) }
            }
        )*
    };
}

numbers! {
    nvmlDeviceGetPowerUsage "power" 1000.0 c_uint;
    nvmlDeviceGetEnforcedPowerLimit "power-cap" 1000.0 c_uint;
    nvmlDeviceGetTotalEnergyConsumption "energy" 1000.0 c_ulonglong;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetTemperature(device: Handle, _sensor: c_uint, place: *mut c_uint) -> Return {
    // SAFETY: as the caller promises.
    unsafe { answer(number(device, "temperature").map(|celsius| celsius as c_uint), place) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetTemperatureThreshold(
    device: Handle,
    threshold: c_uint,
    place: *mut c_uint,
) -> Return {
    if threshold != 1 {
        return INVALID_ARGUMENT;
    }
    // SAFETY: as the caller promises.
    unsafe { answer(number(device, "slowdown").map(|celsius| celsius as c_uint), place) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetMarginTemperature(device: Handle, place: *mut Margin) -> Return {
    // SAFETY: as the caller promises.
    unsafe {
        let version = (*place).version;
        if version != 8 | 1 << 24 {
            return INVALID_ARGUMENT;
        }
        answer(number(device, "margin").map(|margin| Margin { version, margin: margin as c_int }), place)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetClockInfo(device: Handle, clock: c_uint, place: *mut c_uint) -> Return {
    let field = match clock {
        1 => "clock-sm",
        2 => "clock-memory",
        _ => return INVALID_ARGUMENT,
    };
    // SAFETY: as the caller promises.
    unsafe { answer(number(device, field).map(|clock| clock as c_uint), place) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetCurrentClocksThrottleReasons(
    device: Handle,
    place: *mut c_ulonglong,
) -> Return {
    let bit = |name: &str| match name {
        "idle" => 0x1,
        "application-clocks" => 0x2,
        "power-cap" => 0x4,
        "hw-slowdown" => 0x8,
        "sync-boost" => 0x10,
        "sw-thermal" => 0x20,
        "hw-thermal" => 0x40,
        "power-brake" => 0x80,
        other => panic!("`{other}` is no reason to throttle"),
    };
    let bits = about(device, |_, gpu| Ok(gpu.field("throttle")?.split_whitespace().map(bit).sum()));
    // SAFETY: as the caller promises.
    unsafe { answer(bits, place) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetViolationStatus(
    device: Handle,
    policy: c_uint,
    place: *mut Violation,
) -> Return {
    let field = match policy {
        0 => "power-violation",
        1 => "thermal-violation",
        _ => return INVALID_ARGUMENT,
    };
    let violation =
        about(device, |_, gpu| Ok(Violation { reference: 0, violation: (gpu.number(field)? * 1e9) as u64 }));
    // SAFETY: as the caller promises.
    unsafe { answer(violation, place) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetTotalEccErrors(
    device: Handle,
    error: c_uint,
    counter: c_uint,
    place: *mut c_ulonglong,
) -> Return {
    // Uncorrected, since the driver was loaded.
    if (error, counter) != (1, 0) {
        return INVALID_ARGUMENT;
    }
    // SAFETY: as the caller promises.
    unsafe { answer(number(device, "ecc").map(|errors| errors as c_ulonglong), place) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetMinorNumber(device: Handle, place: *mut c_uint) -> Return {
    // SAFETY: as the caller promises.
    unsafe { answer(number(device, "minor").map(|minor| minor as c_uint), place) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetMigMode(
    device: Handle,
    current: *mut c_uint,
    pending: *mut c_uint,
) -> Return {
    let mode = about(device, |_, gpu| match gpu.field("mig")? {
        "on" => Ok(1),
        "off" => Ok(0),
        _ => Err(Failure::Code(INVALID_ARGUMENT)),
    });
    // SAFETY: as the caller promises.
    unsafe {
        if let Ok(mode) = mode {
            pending.write(mode);
        }
        answer(mode, current)
    }
}
