//! Who holds memory on a GPU: the processes of the script, and real ones that the script or they themselves name.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::machine::{folder, uuid};
use super::script::{Gpu, Process, Script, bytes};

/// The processes of all lists of a GPU.
pub fn processes(script: &Script, gpu: &Gpu, number: usize) -> Vec<Process> {
    let mut processes = gpu.processes.clone();
    let folder = folder();
    let names = [number.to_string(), uuid(gpu, number)];
    let mut add = |pid, held| processes.push(Process { list: "compute", pid, held: Some(held) });
    for pid in pids(&folder.join("held")).filter(|pid| is_alive(*pid) && sees(*pid, &names)) {
        let text = fs::read_to_string(folder.join("held").join(pid.to_string())).unwrap_or_default();
        if let Some(held) = bytes(text.trim()) {
            add(pid, held);
        }
    }
    if let Some(held) = script.shards {
        let run = format!("SWEEPDECK_RUN={}", folder.display());
        let is_shard = |pid: &u32| {
            is_leader(*pid)
                && variable(*pid, "SWEEPDECK_SHARD=").is_some()
                && variable(*pid, &run).is_some()
                && sees(*pid, &names)
        };
        pids(Path::new("/proc")).filter(is_shard).for_each(|pid| add(pid, held));
    }
    processes
}

/// What is in use: a process in two lists holds the larger figure.
pub fn used(gpu: &Gpu, processes: &[Process]) -> u64 {
    let mut held: BTreeMap<u32, u64> = BTreeMap::new();
    for process in processes {
        let known = held.entry(process.pid).or_default();
        *known = (*known).max(process.held.unwrap_or(0));
    }
    gpu.size("used").unwrap_or(0) + held.values().sum::<u64>()
}

fn pids(folder: &Path) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// State and session, which are the first and the fourth after the name in parentheses.
fn stat(pid: u32) -> Option<(String, u32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut words = stat[stat.rfind(')')? + 2..].split(' ');
    Some((words.next()?.to_owned(), words.nth(2)?.parse().ok()?))
}

fn is_alive(pid: u32) -> bool {
    // The driver takes a process's memory back when it exits, whether or not somebody waits for it.
    stat(pid).is_some_and(|(state, _)| !matches!(state.as_str(), "Z" | "X"))
}

fn is_leader(pid: u32) -> bool {
    is_alive(pid) && stat(pid).is_some_and(|(_, session)| session == pid)
}

fn sees(pid: u32, names: &[String; 2]) -> bool {
    variable(pid, "CUDA_VISIBLE_DEVICES=")
        .is_some_and(|value| value.split(',').any(|name| names.iter().any(|known| known == name)))
}

/// What follows a begin in the first variable that has it.
fn variable(pid: u32, begin: &str) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut variables = environment.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    variables.find_map(|variable| variable.strip_prefix(begin).map(str::to_owned))
}
