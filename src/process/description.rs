//! What a process is: whose, what was typed to start it, and for which attempt it works.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::stat;

/// No tree of processes is as deep; a longer way up would be a circle of pids that were reused.
const HIGHEST: usize = 64;

/// A command line is cut here: no one reads further, and it may have megabytes.
const LONGEST: usize = 512;

/// Description of a living process for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The number of the user whose it is.
    pub user: u32,
    /// Its command line with blanks between the words; in brackets the name of one that has none.
    pub command: String,
    /// The folder of the attempt that it works for.
    pub attempt: Option<PathBuf>,
}

/// Describes a process; `None` when it is gone.
pub fn describe_process(pid: u32) -> Option<Description> {
    let user = fs::metadata(format!("/proc/{pid}")).ok()?.uid();
    let words = command_line(pid);
    let command = if words.is_empty() {
        format!("[{}]", stat::read_stat(pid)?.name)
    } else {
        words.iter().map(|word| String::from_utf8_lossy(word)).collect::<Vec<_>>().join(" ")
    };
    Some(Description { user, command, attempt: attempt_above(pid) })
}

/// The working directory of a process; `None` where it is gone or may not be seen.
pub fn working_directory(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// The attempt whose holder is above a process. Every user may read this, and programs that rewrite their environment
/// cannot hide it.
fn attempt_above(pid: u32) -> Option<PathBuf> {
    let mut pid = stat::read_stat(pid)?.parent;
    for _ in 0..HIGHEST {
        if pid <= 1 {
            return None;
        }
        if let Some(attempt) = held_attempt(&command_line(pid)) {
            return Some(attempt);
        }
        pid = stat::read_stat(pid)?.parent;
    }
    None
}

/// The attempt that a holder with this command line serves.
fn held_attempt(words: &[Vec<u8>]) -> Option<PathBuf> {
    let [program, verb, folder] = words else { return None };
    let path = |bytes: &[u8]| PathBuf::from(std::ffi::OsStr::from_bytes(bytes));
    let is_holder = path(program).file_name() == Some("sweepdeck".as_ref()) && verb == b"hold";
    is_holder.then(|| path(folder)).filter(|folder| folder.is_absolute())
}

/// The words of a command line; none of a process that has none or is gone.
fn command_line(pid: u32) -> Vec<Vec<u8>> {
    let mut line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let is_cut = line.len() > LONGEST;
    line.truncate(LONGEST);
    if !is_cut && line.last() == Some(&0) {
        line.pop();
    }
    if line.is_empty() {
        return Vec::new();
    }
    line.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect()
}

/// Run and shard of an attempt's folder, `RUN/shards/ID/attempt-NN`.
pub fn run_and_shard(attempt: &Path) -> Option<(&Path, &str)> {
    let shard = attempt.parent()?;
    let shards = shard.parent()?;
    (shards.file_name()? == "shards").then_some(())?;
    Some((shards.parent()?, shard.file_name()?.to_str()?))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    fn words(line: &str) -> Vec<Vec<u8>> {
        line.split(' ').map(|word| word.as_bytes().to_vec()).collect()
    }

    #[test]
    fn a_process_is_told_with_its_words_and_its_user() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(20);
        let told = loop {
            let told = describe_process(child.id()).unwrap();
            // Between its start and its first word it has another name or none.
            if told.command == "sleep 60" || Instant::now() > deadline {
                break told;
            }
            std::thread::yield_now();
        };
        child.kill().unwrap();
        child.wait().unwrap();
        let user = rustix::process::getuid().as_raw();
        assert_eq!(told, Description { user, command: "sleep 60".to_owned(), attempt: None });
        assert_eq!(describe_process(child.id()), None);
    }

    #[test]
    fn a_holder_is_known_by_its_command_line() {
        let attempt = Path::new("/runs/x/shards/a_b/attempt-01");
        assert_eq!(
            held_attempt(&words("/usr/bin/sweepdeck hold /runs/x/shards/a_b/attempt-01")).as_deref(),
            Some(attempt)
        );
        for other in
            ["sweepdeck hold a", "sweepdeck supervise /runs/x", "vim hold /runs/x", "sweepdeck hold /a /b"]
        {
            assert_eq!(held_attempt(&words(other)), None, "{other}");
        }
        assert_eq!(run_and_shard(attempt), Some((Path::new("/runs/x"), "a_b")));
        assert_eq!(run_and_shard(Path::new("/runs/x/attempt-01")), None);
    }
}
