//! What a run that stands still shows, for the person who reads why a test has failed: its folders are gone by then.

use std::fs;
use std::path::Path;

use rustix::fs::statvfs;

use crate::nodes::machines::node_folders;

/// Lines of a log or journal that are shown.
const NEWEST_LINES: usize = 6;

/// State of the machine, and the newest lines of the run and of its nodes.
pub fn describe_standstill(run: &Path) -> String {
    let mut text = describe_machine(run);
    for folder in node_folders(run).iter().map(|node| node.as_path()).chain([run]) {
        for file in ["supervisor.log", "journal.jsonl"] {
            let path = folder.join(file);
            text += &format!("\n  {}:{}", path.display(), newest_lines(&path));
        }
    }
    text
}

fn describe_machine(run: &Path) -> String {
    let space = match statvfs(run) {
        Ok(disk) => {
            format!("{} MiB free, {} files free", (disk.f_bavail * disk.f_frsize) >> 20, disk.f_favail)
        }
        Err(error) => format!("no answer: {error}"),
    };
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let memory = memory.lines().find(|line| line.starts_with("MemAvailable")).unwrap_or_default().to_owned();
    format!("disk: {space}; load: {}; {memory}", load.trim_end())
}

fn newest_lines(path: &Path) -> String {
    match fs::read(path) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            let lines: Vec<&str> = text.lines().collect();
            let newest = &lines[lines.len().saturating_sub(NEWEST_LINES)..];
            newest.iter().map(|line| format!("\n    {line}")).collect()
        }
        Err(error) => format!(" {error}"),
    }
}
