//! Stands before `write` of the C library: while the file that `SWEEPDECK_HUNG_DISK` names says `hung`, a write to a file
//! whose path contains `/attempt-` takes no end, and while it says `full`, there is no room. Built by `tests/preload` and
//! loaded with `LD_PRELOAD`.

use std::ffi::{c_char, c_int, c_long, c_uint};

unsafe extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
    fn getenv(name: *const c_char) -> *const c_char;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn read(file: c_int, buffer: *mut u8, length: usize) -> isize;
    fn close(file: c_int) -> c_int;
    fn readlink(path: *const c_char, buffer: *mut u8, length: usize) -> isize;
    fn usleep(time: c_uint) -> c_int;
    fn __errno_location() -> *mut c_int;
}

#[cfg(target_arch = "x86_64")]
const WRITE: c_long = 1;
#[cfg(not(target_arch = "x86_64"))]
const WRITE: c_long = 64;

const CLOSE_ON_EXEC: c_int = 0o2000000;
const NO_SPACE: c_int = 28;
const PAUSE: c_uint = 5000;

/// # Safety
/// As the function of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn write(file: c_int, bytes: *const u8, length: usize) -> isize {
    if file > 2 && unsafe { is_of_attempt(file) } {
        loop {
            let mut text = [0u8; 4];
            match unsafe { state(&mut text) } {
                b"hung" => _ = unsafe { usleep(PAUSE) },
                b"full" => {
                    unsafe { *__errno_location() = NO_SPACE };
                    return -1;
                }
                _ => break,
            }
        }
    }
    unsafe { syscall(WRITE, file, bytes, length) as isize }
}

/// Without memory of its own, because it is called everywhere, also between fork and exec.
unsafe fn state(text: &mut [u8; 4]) -> &[u8] {
    let path = unsafe { getenv(c"SWEEPDECK_HUNG_DISK".as_ptr()) };
    let file = if path.is_null() { -1 } else { unsafe { open(path, CLOSE_ON_EXEC) } };
    if file < 0 {
        return b"";
    }
    let length = unsafe { read(file, text.as_mut_ptr(), text.len()) };
    unsafe { close(file) };
    &text[..usize::try_from(length).unwrap_or(0)]
}

unsafe fn is_of_attempt(file: c_int) -> bool {
    const PREFIX: &[u8] = b"/proc/self/fd/";
    let mut link = [0u8; 32];
    link[..PREFIX.len()].copy_from_slice(PREFIX);
    let mut digits = [0u8; 10];
    let (mut rest, mut count) = (file, 0);
    while rest > 0 {
        digits[count] = b'0' + (rest % 10) as u8;
        rest /= 10;
        count += 1;
    }
    for place in 0..count {
        link[PREFIX.len() + place] = digits[count - 1 - place];
    }
    let mut path = [0u8; 512];
    let length = unsafe { readlink(link.as_ptr().cast(), path.as_mut_ptr(), path.len()) };
    let path = &path[..usize::try_from(length).unwrap_or(0)];
    path.windows(9).any(|part| part == b"/attempt-")
}
