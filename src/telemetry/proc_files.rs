//! Reads `/proc/PID/statm` and `/proc/PID/status` of single processes, without walking over all of them.

use std::fs::File;
use std::io::{self, Read};

/// Pages of one process in main memory.
///
/// `stat` has a figure too, but newer kernels leave what each core has not yet booked out of it: on a machine of
/// many cores it can be off by many mebibytes.
pub fn resident_pages(pid: u32) -> Option<u64> {
    let mut buffer = [0; 256];
    let length = read_file(&format!("/proc/{pid}/statm"), &mut buffer).ok()?;
    std::str::from_utf8(&buffer[..length]).ok()?.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// The pids of one process from the outermost visible namespace inwards.
pub fn namespace_pids(pid: u32) -> Vec<u32> {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{pid}/status")) else { return Vec::new() };
    let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    line.map_or_else(Vec::new, |pids| pids.split_whitespace().filter_map(|pid| pid.parse().ok()).collect())
}

/// Whether a process has this pid here.
pub fn exists(pid: u32) -> bool {
    std::fs::exists(format!("/proc/{pid}")).unwrap_or(false)
}

fn read_file(path: &str, buffer: &mut [u8]) -> io::Result<usize> {
    let mut file = File::open(path)?;
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..])? {
            0 => break,
            read => length += read,
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_reads_itself() {
        let me = std::process::id();
        assert!(resident_pages(me).unwrap() > 0);
        assert_eq!(namespace_pids(me).first(), Some(&me));
        assert!(exists(me));
    }
}
