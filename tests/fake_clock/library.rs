//! Stands before `clock_gettime` of the C library: wall time is as far off as a file says, in seconds; every other clock is
//! the kernel's. Built by `mod.rs` and loaded with `LD_PRELOAD`; `SWEEPDECK_FAKE_CLOCK` names the file.

use std::ffi::{c_char, c_int, c_long};

#[repr(C)]
pub struct Time {
    seconds: i64,
    nanoseconds: c_long,
}

unsafe extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
    fn getenv(name: *const c_char) -> *const c_char;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn read(file: c_int, buffer: *mut u8, length: usize) -> isize;
    fn close(file: c_int) -> c_int;
}

#[cfg(target_arch = "x86_64")]
const CLOCK_GETTIME: c_long = 228;
#[cfg(not(target_arch = "x86_64"))]
const CLOCK_GETTIME: c_long = 113;

const REALTIME: c_int = 0;
const REALTIME_COARSE: c_int = 5;

/// # Safety
/// As the function of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: c_int, time: *mut Time) -> c_int {
    let result = unsafe { syscall(CLOCK_GETTIME, clock, time) } as c_int;
    if result == 0 && (clock == REALTIME || clock == REALTIME_COARSE) {
        unsafe { (*time).seconds += offset() };
    }
    result
}

/// Without memory of its own, because it is called everywhere, also between fork and exec.
unsafe fn offset() -> i64 {
    let path = unsafe { getenv(c"SWEEPDECK_FAKE_CLOCK".as_ptr()) };
    if path.is_null() {
        return 0;
    }
    let file = unsafe { open(path, 0o2000000) };
    if file < 0 {
        return 0;
    }
    let mut text = [0u8; 32];
    let length = unsafe { read(file, text.as_mut_ptr(), text.len()) };
    unsafe { close(file) };
    let text = &text[..usize::try_from(length).unwrap_or(0)];
    std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}
