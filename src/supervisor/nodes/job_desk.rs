//! One thread that asks Slurm for jobs of all nodes of a run, and how they are: rarely, because Slurm is shared by many,
//! and by name, because an answer may be lost.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tracing::warn;

use crate::model::ids::RunId;
use crate::model::sweep::node_spec::NodeId;
use crate::process::slurm::jobs::{self, JobRequest, JobStage, JobStatus};

/// Between two lists of jobs while something changes, and at most while nothing does.
const FIRST_PAUSE: Duration = Duration::from_secs(30);
const LAST_PAUSE: Duration = Duration::from_secs(120);

/// A busy Slurm is asked less: at most this part of the time.
const BUSY_PART: u32 = 5;

/// How often is looked whether another job is wanted, or one is not.
const LOOK: Duration = Duration::from_secs(1);

/// A job that so many lists in a row do not show is over.
const MISSED: u32 = 2;

/// What is known of the job of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JobSign {
    /// No job was asked for.
    Nothing,
    /// It could not be submitted; it is tried again.
    Refused(String),
    /// It was submitted, and Slurm has not said more.
    Asked,
    /// Slurm has said how it is.
    Known {
        /// Number of the job.
        id: String,
        /// How far it is.
        stage: JobStage,
    },
}

/// What a node wants of its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobWish {
    /// One is to be submitted, unless there is one.
    Submit,
    /// The one that it lives in, or lived in, is left alone.
    Keep,
    /// None: one that has not begun is cancelled.
    Cancel,
}

/// The jobs of a run's nodes.
#[derive(Clone)]
pub(super) struct JobDesk(Arc<Mutex<Jobs>>);

struct Jobs {
    run: RunId,
    by_node: BTreeMap<NodeId, NodeJob>,
    /// When they were last listed, whether or not Slurm answered, and when they may be listed again.
    listed: Option<Instant>,
    next: Instant,
    pause: Duration,
    last_error: String,
}

struct NodeJob {
    wish: JobWish,
    need: JobNeed,
    sign: JobSign,
    /// Number of the job, once it is known.
    id: Option<String>,
    /// The newest list was made after all that was done for it: what it does not show is not there.
    is_listed: bool,
    missed: u32,
    is_cancelled: bool,
}

/// What a node needs of its job.
#[derive(Debug, Clone)]
pub(super) struct JobNeed {
    /// Options for `sbatch`.
    pub(super) options: Vec<String>,
    /// File for what it prints.
    pub(super) output: PathBuf,
    /// Lines of bash.
    pub(super) script: String,
}

impl JobDesk {
    /// Opens the desk. `is_closed` says when it is not needed any more.
    pub(super) fn open(run: RunId, is_closed: impl Fn() -> bool + Send + 'static) -> std::io::Result<Self> {
        let jobs = Jobs {
            run,
            by_node: BTreeMap::new(),
            listed: None,
            next: Instant::now(),
            pause: FIRST_PAUSE,
            last_error: String::new(),
        };
        let desk = Self(Arc::new(Mutex::new(jobs)));
        let own = desk.clone();
        let serve = move || {
            while !is_closed() {
                own.serve();
                thread::sleep(LOOK);
            }
        };
        thread::Builder::new().name("slurm jobs".to_owned()).spawn(serve)?;
        Ok(desk)
    }

    /// Sets what a node wants, and gives what is known of its job.
    pub(super) fn ask(&self, node: &NodeId, wish: JobWish, need: impl FnOnce() -> JobNeed) -> JobSign {
        let mut jobs = self.lock();
        if let Some(job) = jobs.by_node.get_mut(node) {
            job.wish = wish;
            let sign = job.sign.clone();
            // Nothing is submitted before a list has shown what is there.
            return match sign {
                JobSign::Nothing if wish == JobWish::Submit && !jobs.last_error.is_empty() => {
                    JobSign::Refused(jobs.last_error.clone())
                }
                known => known,
            };
        }
        let sign = JobSign::Nothing;
        let job = NodeJob {
            wish,
            need: need(),
            sign: sign.clone(),
            id: None,
            is_listed: false,
            missed: 0,
            is_cancelled: false,
        };
        jobs.by_node.insert(node.clone(), job);
        jobs.hurry();
        sign
    }

    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One look: lists where it is time, submits what is wanted and cancels what is not. The lock is not held while Slurm
    /// is asked.
    fn serve(&self) {
        let names = self.lock().names_to_list(Instant::now());
        if !names.is_empty() {
            let begin = Instant::now();
            let listed = jobs::list_jobs(names.values().map(String::as_str));
            self.lock().take_list(&names, listed, begin);
        }
        let due = self.lock().jobs_to_submit();
        for (node, name, JobNeed { options, output, script }) in due {
            let request = JobRequest { name: &name, options: &options, output: &output, script: &script };
            let submitted = jobs::submit_job(&request);
            self.lock().take_submission(&node, submitted);
        }
        let unwanted = self.lock().jobs_to_cancel();
        for id in unwanted {
            if let Err(reason) = jobs::cancel_job(&id) {
                self.lock().note_error(&format!("job {id} cannot be cancelled: {reason}"));
            }
        }
    }
}

impl Jobs {
    fn name(&self, node: &NodeId) -> String {
        format!("sweepdeck-{}-{node}", self.run)
    }

    /// Something has changed: the next list is due as soon as one may be made.
    fn hurry(&mut self) {
        self.pause = FIRST_PAUSE;
        let earliest = self.listed.map_or_else(Instant::now, |listed| listed + FIRST_PAUSE);
        self.next = self.next.min(earliest);
    }

    /// Names of the jobs that are to be listed now, by node; none while it is too early.
    fn names_to_list(&self, now: Instant) -> BTreeMap<NodeId, String> {
        let is_open = |job: &NodeJob| {
            let is_over =
                matches!(job.sign, JobSign::Known { stage: JobStage::Ended { is_certain: true, .. }, .. });
            !is_over && (job.wish != JobWish::Cancel || job.sign != JobSign::Nothing)
        };
        let open = self.by_node.iter().filter(|(_, job)| now >= self.next && is_open(job));
        open.map(|(node, _)| (node.clone(), self.name(node))).collect()
    }

    fn take_list(
        &mut self,
        names: &BTreeMap<NodeId, String>,
        listed: Result<BTreeMap<String, JobStatus>, String>,
        begin: Instant,
    ) {
        let before: Vec<JobSign> = self.by_node.values().map(|job| job.sign.clone()).collect();
        match listed {
            Ok(found) => {
                self.last_error.clear();
                for (node, name) in names {
                    if let Some(job) = self.by_node.get_mut(node) {
                        job.take_status(found.get(name));
                    }
                }
            }
            Err(reason) => self.note_error(&name_command("squeue", reason)),
        }
        let is_same = self.by_node.values().map(|job| &job.sign).eq(before.iter());
        self.pause = if is_same { (self.pause * 2).min(LAST_PAUSE) } else { FIRST_PAUSE };
        self.listed = Some(begin);
        self.next = begin + self.pause.max(begin.elapsed() * BUSY_PART);
    }

    /// Nodes that want a job and have none, as the newest list has shown.
    fn jobs_to_submit(&self) -> Vec<(NodeId, String, JobNeed)> {
        let is_due = |job: &NodeJob| {
            let has_none = matches!(job.sign, JobSign::Nothing | JobSign::Refused(_));
            job.wish == JobWish::Submit && job.is_listed && has_none
        };
        let due = self.by_node.iter().filter(|(_, job)| is_due(job));
        due.map(|(node, job)| (node.clone(), self.name(node), job.need.clone())).collect()
    }

    fn take_submission(&mut self, node: &NodeId, submitted: Result<String, String>) {
        let Some(job) = self.by_node.get_mut(node) else { return };
        // It may have been submitted all the same: it is looked up by its name before another one is.
        job.is_listed = false;
        job.missed = 0;
        let sign = match submitted {
            Ok(id) => {
                job.id = Some(id);
                JobSign::Asked
            }
            Err(reason) => JobSign::Refused(name_command("sbatch", reason)),
        };
        // What is refused again for the same reason, such as a limit, is tried less and less often.
        if job.sign == sign {
            return;
        }
        if let JobSign::Refused(reason) = &sign {
            warn!("no job for node {node}: {reason}");
        }
        job.sign = sign;
        self.hurry();
    }

    /// Jobs that have not begun and that no node wants any more, each once.
    fn jobs_to_cancel(&mut self) -> Vec<String> {
        let mut cancelled = Vec::new();
        for job in self.by_node.values_mut() {
            let has_not_begun =
                matches!(job.sign, JobSign::Asked | JobSign::Known { stage: JobStage::Pending { .. }, .. });
            if let Some(id) = &job.id
                && has_not_begun
                && job.wish == JobWish::Cancel
                && !std::mem::replace(&mut job.is_cancelled, true)
            {
                cancelled.push(id.clone());
            }
        }
        cancelled
    }

    fn note_error(&mut self, text: &str) {
        if self.last_error != text {
            warn!("{text}");
            text.clone_into(&mut self.last_error);
        }
    }
}

/// The reason of a failure with the command that failed; most errors of Slurm name it already.
fn name_command(command: &str, reason: String) -> String {
    if reason.starts_with(command) { reason } else { format!("{command}: {reason}") }
}

impl NodeJob {
    fn take_status(&mut self, found: Option<&JobStatus>) {
        self.is_listed = true;
        let Some(JobStatus { id, stage }) = found else {
            self.missed += 1;
            let was_there =
                self.wish == JobWish::Keep || matches!(self.sign, JobSign::Asked | JobSign::Known { .. });
            if was_there && self.missed >= MISSED {
                let stage =
                    JobStage::Ended { state: "not in the queue any more".to_owned(), is_certain: false };
                self.sign = JobSign::Known { id: self.id.clone().unwrap_or_default(), stage };
            }
            return;
        };
        self.missed = 0;
        // Where that did not help, because Slurm did not answer, it is asked for again.
        self.is_cancelled = false;
        self.id = Some(id.clone());
        self.sign = JobSign::Known { id: id.clone(), stage: stage.clone() };
    }
}

#[cfg(test)]
mod tests;
