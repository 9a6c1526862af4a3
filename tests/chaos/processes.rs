//! The processes of a run, by their parts.

use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

/// Part of a process in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Keeper,
    Supervisor,
    Spawner,
    Holder,
    /// A node that is being started.
    Start,
    Program,
}

/// Living processes of the run, its own before its programs: a holder that saw its program die first would rightly
/// record that.
pub fn list(run: &Path) -> Vec<(Part, u32)> {
    let tag = format!("SWEEPDECK_RUN={}\0", run.display());
    let (supervise, hold) = (run.display().to_string(), format!("{}/shards/", run.display()));
    let mut found = Vec::new();
    for pid in all_pids() {
        let Some(parent) = living_parent(pid) else { continue };
        let command = read(pid, "cmdline");
        let words: Vec<&str> = command.split('\0').collect();
        match words[..] {
            [_, "supervise", path, ..] if path == supervise => found.push((Part::Keeper, pid, parent)),
            [_, "begin-node", folder, node, ..] if Path::new(folder).join("nodes").join(node) == run => {
                found.push((Part::Start, pid, parent));
            }
            [_, "hold", path, ..] if path.starts_with(&hold) => found.push((Part::Holder, pid, parent)),
            [_, "spawner", path, ..] if path == supervise => found.push((Part::Spawner, pid, parent)),
            _ if format!("{}\0", read(pid, "environ")).contains(&tag) => {
                found.push((Part::Program, pid, parent))
            }
            _ => {}
        }
    }
    let keepers: Vec<u32> =
        found.iter().filter(|(part, ..)| *part == Part::Keeper).map(|(_, pid, _)| *pid).collect();
    let holders: Vec<u32> =
        found.iter().filter(|(part, ..)| *part == Part::Holder).map(|(_, pid, _)| *pid).collect();
    for (part, _, parent) in &mut found {
        // A program that was forked and not executed yet has the title of its holder.
        if *part == Part::Holder && holders.contains(parent) {
            *part = Part::Program;
        }
        if *part == Part::Keeper && keepers.contains(parent) {
            *part = Part::Supervisor;
        }
    }
    found.sort_unstable();
    found.into_iter().map(|(part, pid, _)| (part, pid)).collect()
}

/// Living connections by `ssh` that the run has opened.
pub fn connections(run: &Path) -> Vec<u32> {
    let run = run.display().to_string();
    let is_connection = |pid: &u32| {
        let command = read(*pid, "cmdline");
        let is_ssh = command.split('\0').take(2).any(|word| word == "ssh" || word.ends_with("/ssh"));
        is_ssh && command.contains(&run) && living_parent(*pid).is_some()
    };
    all_pids().filter(is_connection).collect()
}

fn all_pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").unwrap();
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != std::process::id())
}

pub fn send(pid: u32, signal: Signal) -> bool {
    Pid::from_raw(pid.cast_signed()).is_some_and(|pid| kill_process(pid, signal).is_ok())
}

fn living_parent(pid: u32) -> Option<u32> {
    let stat = read(pid, "stat");
    let mut fields = stat.get(stat.rfind(')')? + 2..)?.split(' ');
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(parent)
}

fn read(pid: u32, file: &str) -> String {
    fs::read(format!("/proc/{pid}/{file}"))
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default()
}
