//! Looking at processes through `/proc`, and ending those that a test left behind.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// The state letter of a process; none when it is gone or a zombie.
pub fn state(pid: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let state = stat[stat.rfind(')')? + 2..].chars().next()?;
    (!matches!(state, 'Z' | 'X')).then_some(state)
}

/// Sends a signal; a process that is gone is fine.
pub fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a pid from /proc");
    let _ = kill_process(pid, signal);
}

/// Its command line; nothing when it is gone.
pub fn command(pid: u32) -> String {
    read(pid, "cmdline").unwrap_or_default().replace('\0', " ")
}

/// Living processes whose command line contains the text.
pub fn with_command(text: &str) -> Vec<u32> {
    all().filter(|pid| command(*pid).contains(text)).collect()
}

/// The living spawner of a supervisor.
pub fn spawner(supervisor: u32) -> Option<u32> {
    with_command("sweepdeck spawner").into_iter().find(|pid| parent(*pid) == Some(supervisor))
}

/// The living processes that this one has started.
pub fn children(of: u32) -> Vec<u32> {
    all().filter(|pid| parent(*pid) == Some(of)).collect()
}

fn parent(pid: u32) -> Option<u32> {
    let stat = read(pid, "stat")?;
    stat[stat.rfind(')')? + 2..].split(' ').nth(1)?.parse().ok()
}

/// Living processes that belong to a run below `folder`: by their environment or by their command line.
pub fn of(folder: &Path) -> Vec<u32> {
    let folder = folder.to_str().expect("temporary folders have plain names");
    let tag = format!("SWEEPDECK_RUN={folder}");
    let own = std::process::id();
    all()
        .filter(|pid| *pid != own)
        .filter(|pid| {
            let environment = read(*pid, "environ").unwrap_or_default();
            let command = read(*pid, "cmdline").unwrap_or_default();
            environment.split('\0').any(|variable| variable.starts_with(&tag)) || command.contains(folder)
        })
        .collect()
}

/// Ends all of them as at a loss of power: they are stopped first, because what is killed is started again by the rest.
/// One look that finds nobody new is no proof: the command line of a process that is being started is empty for a moment.
/// So is that of one that dies, while it still has its files and locks: whoever was stopped is waited for by its pid.
pub fn end_all_of(folder: &Path) {
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut stopped: HashSet<u32> = HashSet::new();
    let mut looks_without = 0;
    while looks_without < 3 && Instant::now() < deadline {
        let new: Vec<u32> = of(folder).into_iter().filter(|pid| stopped.insert(*pid)).collect();
        new.iter().for_each(|pid| signal(*pid, Signal::STOP));
        looks_without = if new.is_empty() { looks_without + 1 } else { 0 };
        std::thread::sleep(Duration::from_millis(10));
    }
    while Instant::now() < deadline {
        stopped.extend(of(folder));
        stopped.retain(|pid| state(*pid).is_some());
        if stopped.is_empty() {
            return;
        }
        stopped.iter().for_each(|pid| signal(*pid, Signal::KILL));
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn all() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc")
        .expect("/proc is mounted")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| state(*pid).is_some())
}

fn read(pid: u32, file: &str) -> Option<String> {
    fs::read(format!("/proc/{pid}/{file}")).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
