//! Reads `statm`, `status` and the names of single processes in `/proc`, without walking over all of them.

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

/// The names of one process: its own, its program and what the program was given first, without their folders; none
/// when it is gone. Programs that rename themselves (`ray::EnvWorker`) change the first two.
pub fn process_names(pid: u32) -> Vec<String> {
    let read = |file: &str| {
        let mut buffer = [0; 1024];
        let length = read_file(&format!("/proc/{pid}/{file}"), &mut buffer).ok()?;
        Some(String::from_utf8_lossy(&buffer[..length]).into_owned())
    };
    let own = read("comm").unwrap_or_default();
    let command = read("cmdline").unwrap_or_default();
    let words = std::iter::once(own.trim()).chain(command.split('\0').take(2));
    let names = words.map(|word| word.rsplit('/').next().unwrap_or(word).to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

/// Whether a process has this pid here.
pub fn process_exists(pid: u32) -> bool {
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
        assert!(process_exists(me));
        let program = std::env::current_exe().unwrap();
        let program = program.file_name().unwrap().to_string_lossy().into_owned();
        assert!(process_names(me).contains(&program), "{:?}", process_names(me));
        assert_eq!(process_names(u32::MAX), Vec::<String>::new());
    }
}
