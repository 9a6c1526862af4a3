//! Reads `/proc/PID/stat` and `/proc/PID/status` of single processes, without walking over all of them.

use std::fs::File;
use std::io::{self, Read};

/// What one process has used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessStat {
    /// Its parent.
    pub parent: u32,
    /// Clock ticks from boot to its start: with the pid, its identity.
    pub start_ticks: u64,
    /// Ticks on a core: its own, user and system.
    pub own_ticks: u64,
    /// Ticks of its children that ended and were waited for.
    pub children_ticks: u64,
}

/// Reads one process; `None` when it is gone.
pub fn read(pid: u32) -> Option<ProcessStat> {
    // A line has about 300 bytes; 52 fields of at most 20 digits and a short name fit in any case.
    let mut buffer = [0; 2048];
    let length = read_file(&format!("/proc/{pid}/stat"), &mut buffer).ok()?;
    parse(&buffer[..length])
}

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

fn parse(line: &[u8]) -> Option<ProcessStat> {
    // The name stands in parentheses and may hold spaces and parentheses itself: count from the last one.
    let after_name = memchr::memrchr(b')', line)? + 1;
    let rest = std::str::from_utf8(&line[after_name..]).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().take(20).collect();
    // The numbers of proc(5) begin at 1 with the pid; field 3, the state, is the first after the name.
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(ProcessStat {
        parent: number(4)?.try_into().ok()?,
        start_ticks: number(22)?,
        own_ticks: number(14)? + number(15)?,
        children_ticks: number(16)? + number(17)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_and_parentheses_does_not_shift_the_fields() {
        let line = b"42 (a) (b c) S 7 42 42 0 -1 4194304 100 0 0 0 11 22 33 44 20 0 1 0 5555 1000000 250\n";
        let expected = ProcessStat { parent: 7, start_ticks: 5555, own_ticks: 33, children_ticks: 77 };
        assert_eq!(parse(line), Some(expected));
    }

    #[test]
    fn a_line_that_is_cut_reads_as_nothing() {
        assert_eq!(parse(b"42 (name) S 7 42"), None);
        assert_eq!(parse(b""), None);
    }

    #[test]
    fn this_process_reads_itself() {
        let me = std::process::id();
        let stat = read(me).unwrap();
        assert_eq!(stat.parent, std::os::unix::process::parent_id());
        assert!(stat.start_ticks > 0);
        assert!(resident_pages(me).unwrap() > 0);
        assert_eq!(namespace_pids(me).first(), Some(&me));
        assert!(exists(me));
    }
}
