//! Jobs that are asked for: submitted, listed and cancelled by the commands of Slurm.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::process::start::patient_command::run_command;

/// A controller that is down lets a command fail after ten seconds; one with too many jobs lets `sbatch` wait for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// What Slurm says of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobStatus {
    /// The number of the job.
    pub id: String,
    /// How far it is.
    pub stage: JobStage,
}

/// How far a job is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobStage {
    /// It has not begun.
    Pending {
        /// Why, in the word of Slurm: `Priority`.
        reason: String,
    },
    /// It runs, or is about to end.
    Running,
    /// It is over.
    Ended {
        /// The word of Slurm: `TIMEOUT`.
        state: String,
        /// Its processes are over too. Of a node that does not answer Slurm knows only that: they may go on.
        is_certain: bool,
    },
}

/// A job to submit.
#[derive(Debug)]
pub struct JobRequest<'a> {
    /// The name by which it is found again.
    pub name: &'a str,
    /// Options of the user, as written.
    pub options: &'a [String],
    /// File for what it prints.
    pub output: &'a Path,
    /// Lines of bash.
    pub script: &'a str,
}

/// Lists jobs of this user that have one of these names, by name. Of several with one name, which a lost answer of
/// `sbatch` leaves, the one that is furthest from its end counts.
pub fn list_jobs<'n>(names: impl Iterator<Item = &'n str>) -> Result<BTreeMap<String, JobStatus>, String> {
    let names: Vec<&str> = names.collect();
    let mut command = Command::new("squeue");
    let user = rustix::process::getuid().as_raw().to_string();
    command.args(["--noheader", "--array", "--states=all", "--format=%i|%T|%j|%r", "--user", &user]);
    command.args(["--name", &names.join(",")]);
    let lines = run_command(command, "", PATIENCE)?;
    let mut jobs: BTreeMap<String, JobStatus> = BTreeMap::new();
    for line in &lines {
        // A job that is not seen because its line is cut would be submitted again.
        let (name, job) =
            parse_line(line).ok_or_else(|| format!("squeue prints what is no line of its list: {line}"))?;
        let is_over = |job: &JobStatus| matches!(job.stage, JobStage::Ended { .. });
        if jobs.get(&name).is_none_or(is_over) {
            jobs.insert(name, job);
        }
    }
    Ok(jobs)
}

/// Submits a job and gives its number. One that fails may have submitted it all the same.
pub fn submit_job(request: &JobRequest<'_>) -> Result<String, String> {
    let mut command = Command::new("sbatch");
    // What the user writes comes later and wins; what this program relies on comes last.
    command.args(["--signal=B:USR1@60", "--nodes=1", "--ntasks=1"]);
    command.arg(format!("--output={}", request.output.display()));
    command.args(request.options);
    command.args(["--parsable", "--no-requeue", "--open-mode=append", "--job-name", request.name]);
    let said = run_command(command, request.script, PATIENCE)?.join(" ");
    // `17`, or `17;cluster` where there are several.
    let id = said.trim().split(';').next().unwrap_or_default().to_owned();
    match !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(id),
        false => Err(format!("sbatch does not say which job it submitted: {}", said.trim())),
    }
}

/// Tries how a job with these options would fare, without submitting it.
pub fn test_job(options: &[String]) -> Result<(), String> {
    let mut command = Command::new("sbatch");
    command.args(["--nodes=1", "--ntasks=1"]).args(options).arg("--test-only");
    run_command(command, "#!/bin/bash\ntrue\n", PATIENCE).map(drop)
}

/// Asks for the end of a job. That it succeeds says nothing of the job.
pub fn cancel_job(id: &str) -> Result<(), String> {
    let mut command = Command::new("scancel");
    command.arg(id);
    run_command(command, "", PATIENCE).map(drop)
}

/// Reads `17|PENDING|name|Priority`. A reason may hold a comma and a blank.
fn parse_line(line: &str) -> Option<(String, JobStatus)> {
    let mut parts = line.splitn(4, '|');
    let (id, state, name, reason) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let stage = match state {
        "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "SPECIAL_EXIT" | "RESV_DEL_HOLD" => {
            JobStage::Pending { reason: reason.to_owned() }
        }
        "BOOT_FAIL" | "CANCELLED" | "COMPLETED" | "DEADLINE" | "FAILED" | "OUT_OF_MEMORY" | "PREEMPTED"
        | "REVOKED" | "TIMEOUT" => JobStage::Ended { state: state.to_owned(), is_certain: true },
        "NODE_FAIL" => JobStage::Ended { state: state.to_owned(), is_certain: false },
        // `RUNNING`, `CONFIGURING`, `COMPLETING`, `SUSPENDED`, and words of later versions: it may have processes.
        _other => JobStage::Running,
    };
    Some((name.to_owned(), JobStatus { id: id.to_owned(), stage }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_squeue_are_read() {
        let stage = |line| parse_line(line).map(|(_, job)| job.stage);
        let pending = |reason: &str| Some(JobStage::Pending { reason: reason.to_owned() });
        let line = "17|PENDING|sweepdeck-a-slurm1|ReqNodeNotAvail, UnavailableNodes:gpu1";
        assert_eq!(stage(line), pending("ReqNodeNotAvail, UnavailableNodes:gpu1"));
        assert_eq!(parse_line(line).unwrap().1.id, "17");
        assert_eq!(parse_line(line).unwrap().0, "sweepdeck-a-slurm1");
        assert_eq!(stage("3|RUNNING|a|None"), Some(JobStage::Running));
        assert_eq!(stage("3|COMPLETING|a|None"), Some(JobStage::Running));
        let ended = |state: &str, is_certain| Some(JobStage::Ended { state: state.to_owned(), is_certain });
        assert_eq!(stage("3|TIMEOUT|a|TimeLimit"), ended("TIMEOUT", true));
        assert_eq!(stage("3|NODE_FAIL|a|None"), ended("NODE_FAIL", false));
        assert_eq!(stage("slurm_load_jobs error"), None);
        assert_eq!(stage("12345|PEND"), None);
    }
}
