//! The Slurm job that this process belongs to, and how long it lasts.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

/// Number of the job.
const JOB: &str = "SLURM_JOB_ID";

/// End of the job in seconds since 1970, where Slurm is new enough (23.11) to say so.
const END: &str = "SLURM_JOB_END_TIME";

/// Returns the number of the job that this process belongs to.
pub fn find_own_job() -> Option<String> {
    std::env::var(JOB).ok().filter(|job| !job.is_empty() && job.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Asks Slurm how long the job may go on; `None` where it has no limit. May take as long as a busy or dead controller
/// lets it.
pub fn ask_time_left(job: &str) -> io::Result<Option<Duration>> {
    ask_squeue(job).or_else(|error| end_by_environment().map(Some).ok_or(error))
}

fn ask_squeue(job: &str) -> io::Result<Option<Duration>> {
    let said = Command::new("squeue")
        .args(["--noheader", "--jobs", job, "--format", "%L"])
        .stdin(Stdio::null())
        .output()?;
    let text = String::from_utf8_lossy(&said.stdout);
    parse_time_left(text.trim()).ok_or_else(|| {
        let error = String::from_utf8_lossy(&said.stderr);
        let why = error.lines().next_back().unwrap_or(text.trim()).to_owned();
        io::Error::other(format!("squeue does not say how long job {job} lasts: {why}"))
    })
}

fn end_by_environment() -> Option<Duration> {
    let end: u64 = std::env::var(END).ok()?.parse().ok()?;
    let end = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(end))?;
    Some(end.duration_since(SystemTime::now()).unwrap_or_default())
}

/// Reads `[days-][[hours:]minutes:]seconds`, as `squeue` writes it. `None` where it is something else.
fn parse_time_left(text: &str) -> Option<Option<Duration>> {
    if text == "UNLIMITED" {
        return Some(None);
    }
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (days.parse::<u64>().ok()?, clock),
        None => (0, text),
    };
    let parts: Vec<u64> = clock.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    if parts.is_empty() || parts.len() > 3 {
        return None;
    }
    let seconds = parts.iter().fold(0, |sum: u64, part| sum.saturating_mul(60).saturating_add(*part));
    Some(Some(Duration::from_secs(days.saturating_mul(86_400).saturating_add(seconds))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_squeue_writes_is_read() {
        let left = |text| parse_time_left(text);
        let seconds = |seconds| Some(Some(Duration::from_secs(seconds)));
        assert_eq!(left("1-02:03:04"), seconds(93_784));
        assert_eq!(left("2:03:04"), seconds(7384));
        assert_eq!(left("3:04"), seconds(184));
        assert_eq!(left("0:00"), seconds(0));
        assert_eq!(left("UNLIMITED"), Some(None));
        for nothing in ["", "NOT_SET", "INVALID", "1-", "1:2:3:4", "-1:00", "x:1"] {
            assert_eq!(left(nothing), None, "{nothing}");
        }
    }
}
