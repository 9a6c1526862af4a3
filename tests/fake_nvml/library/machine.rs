//! The machine as the script has it at this moment, and the calls about it as a whole.

use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use super::script::{Failure, Gpu, Script, parse};

/// What a call returns.
pub type Return = c_uint;

/// A GPU as callers know it: its number and one more, so that it is not null.
pub type Handle = usize;

/// The call worked.
pub const SUCCESS: Return = 0;
/// An argument is wrong.
pub const INVALID_ARGUMENT: Return = 2;
/// The buffer is too small.
pub const INSUFFICIENT_SIZE: Return = 7;
/// Anything else.
pub const UNKNOWN: Return = 999;

/// The folder of this library.
pub fn folder() -> PathBuf {
    #[repr(C)]
    struct Info {
        name: *const c_char,
        base: *mut c_void,
        symbol: *const c_char,
        address: *mut c_void,
    }
    unsafe extern "C" {
        fn dladdr(address: *const c_void, info: *mut Info) -> c_int;
    }
    // SAFETY: all zeros are null pointers; the address is one of this library, so the name is set and lives as long.
    let name = unsafe {
        let mut info: Info = std::mem::zeroed();
        dladdr(folder as *const c_void, &mut info);
        CStr::from_ptr(info.name)
    };
    Path::new(OsStr::from_bytes(name.to_bytes())).parent().map(Path::to_owned).unwrap_or_default()
}

/// The script as it is now; none after the test has removed it.
pub fn script() -> Option<Script> {
    fs::read_to_string(folder().join("gpus.txt")).ok().map(|text| parse(&text))
}

/// Takes a part of the delay that the script asks for, another one at each call.
fn dawdle(script: &Script) {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    if script.delay > 0 {
        // A multiple of the golden ratio modulo one: its multiples fall everywhere and never repeat.
        let call = CALLS.fetch_add(1, Ordering::Relaxed) + u64::from(std::process::id());
        let part = call.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        thread::sleep(Duration::from_micros((script.delay * 1000 * part) >> 32));
    }
}

/// Answers a call about one GPU; hangs where the script says so, until it says something else.
pub fn about<T>(handle: Handle, question: impl Fn(&Script, &Gpu) -> Result<T, Failure>) -> Result<T, Return> {
    dawdle(&script().ok_or(UNKNOWN)?);
    let answer = ask(handle, question);
    if let Some(script) = script() {
        dawdle(&script);
    }
    answer
}

fn ask<T>(handle: Handle, question: impl Fn(&Script, &Gpu) -> Result<T, Failure>) -> Result<T, Return> {
    loop {
        let script = script().ok_or(UNKNOWN)?;
        let number = handle.checked_sub(1).ok_or(INVALID_ARGUMENT)?;
        let gpu = script.gpus.get(number).ok_or(INVALID_ARGUMENT)?;
        let answer = match gpu.failure("answer") {
            Some(failure) => Err(failure),
            None => question(&script, gpu),
        };
        match answer {
            Ok(value) => return Ok(value),
            Err(Failure::Code(code)) => return Err(code),
            Err(Failure::Hang) => thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Writes a text with its end into a buffer of the caller.
///
/// # Safety
///
/// The buffer has the given length.
unsafe fn put(text: &str, buffer: *mut c_char, length: c_uint) -> Return {
    if text.len() >= length as usize {
        return INSUFFICIENT_SIZE;
    }
    // SAFETY: text and its end are not longer than the buffer.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), buffer, text.len());
        *buffer.add(text.len()) = 0;
    }
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn nvmlInit_v2() -> Return {
    loop {
        match script().map(|script| script.init) {
            None => return UNKNOWN,
            Some(None) => return SUCCESS,
            Some(Some(Failure::Code(code))) => return code,
            Some(Some(Failure::Hang)) => thread::sleep(Duration::from_millis(5)),
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn nvmlShutdown() -> Return {
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlSystemGetDriverVersion(buffer: *mut c_char, length: c_uint) -> Return {
    let Some(script) = script() else { return UNKNOWN };
    // SAFETY: as the caller promises.
    unsafe { put(script.driver.as_deref().unwrap_or("570.86.10"), buffer, length) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetCount_v2(count: *mut c_uint) -> Return {
    let Some(script) = script() else { return UNKNOWN };
    // SAFETY: the caller gives a place for the number.
    unsafe { *count = script.gpus.len() as c_uint };
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetHandleByIndex_v2(index: c_uint, device: *mut Handle) -> Return {
    let handle = index as Handle + 1;
    match about(handle, |_, gpu| gpu.failure("handle").map_or(Ok(()), Err)) {
        Ok(()) => {
            // SAFETY: the caller gives a place for the handle.
            unsafe { *device = handle };
            SUCCESS
        }
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetUUID(device: Handle, buffer: *mut c_char, length: c_uint) -> Return {
    match about(device, |_, gpu| Ok(uuid(gpu, device - 1))) {
        // SAFETY: as the caller promises.
        Ok(uuid) => unsafe { put(&uuid, buffer, length) },
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetName(device: Handle, buffer: *mut c_char, length: c_uint) -> Return {
    match about(device, |_, gpu| Ok(gpu.field("name").unwrap_or("NVIDIA H100 80GB HBM3").to_owned())) {
        // SAFETY: as the caller promises.
        Ok(name) => unsafe { put(&name, buffer, length) },
        Err(code) => code,
    }
}

/// The UUID of a GPU.
pub fn uuid(gpu: &Gpu, number: usize) -> String {
    gpu.field("uuid").map_or_else(|_| format!("GPU-00000000-0000-0000-0000-{number:012}"), str::to_owned)
}
