//! What `ps` shows for a forked process: its own command line instead of its parent's.

use std::ffi::{CString, OsStr, c_void};
use std::fs;
use std::os::unix::ffi::OsStrExt;

use rustix::process::{PrctlMmMap, configure_virtual_memory_map};

/// Makes `/proc/PID/cmdline` read as these arguments and `/proc/PID/comm` as the name.
///
/// It is a courtesy to people and their tools: where the kernel was built without it
/// (`CONFIG_CHECKPOINT_RESTORE`), the title of the parent stays.
pub fn set_title(arguments: &[&OsStr], name: &str) {
    set_name(name);
    let mut text: Vec<u8> = Vec::new();
    for argument in arguments {
        text.extend_from_slice(argument.as_bytes());
        text.push(0);
    }
    // The kernel reads the text whenever a process asks, so it must stay where it is until the process ends.
    let _ = point_at(Box::leak(text.into_boxed_slice()));
}

/// Makes `/proc/PID/comm` read as the name, of which the kernel keeps 15 bytes.
pub fn set_name(name: &str) {
    if let Ok(name) = CString::new(name) {
        let _ = rustix::thread::set_name(&name);
    }
}

/// Sets where the kernel finds the arguments. Overwriting the first ones in place, as `setproctitle` does, would cut
/// long paths off and take the environment's memory, which must stay readable for the search by tag.
fn point_at(text: &'static [u8]) -> Option<()> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<u64> = stat[stat.rfind(')')? + 1..]
        .split_ascii_whitespace()
        .skip(1)
        .map(|field| field.parse().unwrap_or(0))
        .collect();
    // `proc(5)` counts from 1; the first number after the state is its field 4.
    let field = |number: usize| fields.get(number - 4).copied();
    let range = text.as_ptr_range();
    let mut map = PrctlMmMap {
        start_code: field(26)?,
        end_code: field(27)?,
        start_stack: field(28)?,
        start_data: field(45)?,
        end_data: field(46)?,
        start_brk: field(47)?,
        brk: 0,
        arg_start: range.start as u64,
        arg_end: range.end as u64,
        env_start: field(50)?,
        env_end: field(51)?,
        auxv: std::ptr::null_mut(),
        auxv_size: 0,
        exe_fd: -1,
    };
    // SAFETY: every address is the one the kernel has already, but for the arguments, which are leaked memory.
    // Nothing allocates between sbrk and the call, so the end of the heap is the present one.
    #[expect(unsafe_code, reason = "the kernel takes the whole map or nothing")]
    unsafe {
        let end_of_heap: *mut c_void = libc::sbrk(0);
        map.brk = end_of_heap as u64;
        configure_virtual_memory_map(&map).ok()
    }
}
