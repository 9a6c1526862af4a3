//! Which processes belong to an attempt: by parentage, by session and by the tag in their environment.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::stat::{self, ProcessState, Stat};
use super::tag::AttemptTag;

/// Living descendants of a process, itself excluded, parents before their children.
///
/// This reads only the processes it finds, so it is cheap on a machine with thousands of them. A process that ends
/// during the walk may hide a sibling for this one time: a caller that must have all of them looks again.
pub fn find_descendants(root: u32) -> Vec<Stat> {
    stat::read_stat(root).map(|stat| walk_below(root, child_pids(&stat))).unwrap_or_default()
}

/// Living descendants of a process that has one thread, as a holder has, for which one file less is read.
pub fn descendants_of_one_thread(root: u32) -> Vec<Stat> {
    walk_below(root, children_of_thread(root, root))
}

/// Children of a process that has one thread, dead ones included.
pub fn children_of_one_thread(root: u32) -> Vec<Stat> {
    children_of_thread(root, root).into_iter().filter_map(stat::read_stat).collect()
}

fn walk_below(root: u32, first: Vec<u32>) -> Vec<Stat> {
    let mut found: Vec<Stat> = Vec::new();
    let mut seen = HashSet::from([root]);
    let mut next = vec![first];
    while let Some(pids) = next.pop() {
        let new = pids.into_iter().filter(|pid| seen.insert(*pid)).filter_map(stat::read_stat);
        for child in new {
            if child.state != ProcessState::Dead {
                found.push(child.clone());
            }
            // A dead one may still have living children for a moment, until they get their new parent.
            next.push(child_pids(&child));
        }
    }
    found
}

/// Living processes with the tag or in the session, found by looking at every process of the machine.
pub fn find_marked(tag: &AttemptTag, session: Option<u32>) -> Vec<Stat> {
    let own = std::process::id();
    stat::all_processes()
        .filter(|stat| stat.pid != own && stat.state != ProcessState::Dead)
        .filter(|stat| Some(stat.session) == session || tag.marks_process(stat.pid))
        .collect()
}

fn child_pids(parent: &Stat) -> Vec<u32> {
    // Children are listed with the thread that forked them. Most processes have one, and to list it takes longer than
    // to read its content.
    if parent.threads == 1 {
        return children_of_thread(parent.pid, parent.pid);
    }
    let threads = fs::read_dir(format!("/proc/{}/task", parent.pid)).into_iter().flatten().flatten();
    threads.flat_map(|thread| children_in(&thread.path().join("children"))).collect()
}

fn children_of_thread(pid: u32, thread: u32) -> Vec<u32> {
    children_in(Path::new(&format!("/proc/{pid}/task/{thread}/children")))
}

fn children_in(list: &Path) -> Vec<u32> {
    // Files of /proc give no size: to ask for it is in vain, and room for a usual list saves reading it in small
    // pieces.
    let mut text = Vec::with_capacity(512);
    let read = File::open(list).and_then(|file| file.take(u64::MAX).read_to_end(&mut text));
    let pids = read.ok().and_then(|_| str::from_utf8(&text).ok()).unwrap_or_default();
    pids.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::model::ids::{AttemptKey, AttemptNumber, ShardId};

    #[test]
    fn grandchildren_are_found_by_parentage_and_strays_by_their_tag() {
        let key = AttemptKey { shard: ShardId::new("tree-test").unwrap(), attempt: AttemptNumber(3) };
        let folder = tempfile::tempdir().unwrap();
        let tag = AttemptTag::new(folder.path(), &key);
        let mut shell = Command::new("sh")
            .args(["-c", "setsid sleep 61 & sleep 62 & echo ready; wait"])
            .envs(tag.variables())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(shell.stdout.take().unwrap()).read_line(&mut line).unwrap();

        // The environment of a process that is about to become its program is empty for a moment, and `setsid` becomes
        // another one: a second look may find fewer.
        let deadline = Instant::now() + Duration::from_secs(20);
        let mut marked: Vec<u32> = Vec::new();
        while marked.len() < 3 && Instant::now() < deadline {
            std::thread::yield_now();
            marked = find_marked(&tag, None).iter().map(|stat| stat.pid).collect();
        }
        let below: Vec<u32> = find_descendants(shell.id()).iter().map(|stat| stat.pid).collect();
        assert_eq!(descendants_of_one_thread(shell.id()).len(), below.len());
        let other = AttemptTag::new(Path::new("/nowhere"), &key);
        let strangers = find_marked(&other, None);
        for pid in &marked {
            let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
        shell.wait().unwrap();

        assert_eq!(below.len(), 2);
        assert!(below.iter().all(|pid| marked.contains(pid)));
        assert!(marked.contains(&shell.id()));
        assert_eq!(strangers, []);
    }
}
