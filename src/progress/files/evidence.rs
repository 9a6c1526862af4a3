//! What result files mean for the verdict, held against the log of the same attempt.

use super::compare::Disagreement;
use super::reading::{FileFault, ResultReading};
use super::tally::FileCompletion;
use crate::model::outcome::{Metrics, Verdict};
use crate::model::results::episode_list::EpisodeList;
use crate::model::sweep::rule::BuiltInRule;
use crate::progress::reading::LogSummary;
use crate::progress::remarks::{RemarkSeverity, RuleRemark};
use crate::progress::trouble::built_in::BuiltInRules;

/// The evidence of result files for the verdict; empty where there are none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileEvidence {
    /// How much was done by their account.
    pub coverage: Coverage,
    /// Remarks of rules on their numbers, the worst first.
    pub remarks: Vec<RuleRemark>,
    /// Metrics for which the log gives another value.
    pub disagreements: Vec<Disagreement>,
    /// Faults of the files: one is missing, or something is wrong with it.
    pub faults: Vec<FileFault>,
    /// Metrics that the files give, as numbers.
    pub metrics: Metrics,
    /// Metrics that are no finite number in the files, whatever the log says.
    pub unknown: Vec<String>,
    /// How single episodes ended by their account.
    pub episodes: Option<EpisodeList>,
}

/// How much was done by the account of the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Coverage {
    /// The files do not say how much.
    #[default]
    Unknown,
    /// Everything there was to do.
    Complete,
    /// Fewer episodes than there should be.
    Short {
        /// Episodes with a result.
        done: u64,
        /// Number of episodes that there should be.
        asked: u64,
        /// Name of the file that says so.
        file: String,
    },
}

impl FileEvidence {
    /// Weighs what the files say. `asked` is how many episodes the sweep asked for; otherwise the log may know.
    pub fn weigh(files: &ResultReading, log: &LogSummary, asked: Option<u64>, rules: &BuiltInRules) -> Self {
        let asked = asked.or_else(|| log.progress.filter(|_| log.counts_episodes())?.total);
        let not_a_number = |name: &String, file: &String| RuleRemark {
            severity: RemarkSeverity::Warning,
            message: format!("{name} is not a number in {file}"),
        };
        let remarks = rules.meaning(BuiltInRule::Nan).into_iter().flat_map(|severity| {
            files
                .not_numbers
                .iter()
                .map(move |(name, file)| RuleRemark { severity, ..not_a_number(name, file) })
        });
        Self {
            coverage: coverage(files, asked),
            remarks: remarks.collect(),
            disagreements: disagreements(files, log),
            faults: files.faults.clone(),
            metrics: files.metrics.iter().map(|(name, figure)| (name.clone(), figure.value)).collect(),
            unknown: files.not_numbers.keys().chain(&files.infinite).cloned().collect(),
            episodes: files.episodes.clone(),
        }
    }

    /// The first remark of this severity.
    pub fn remark(&self, severity: RemarkSeverity) -> Option<&RuleRemark> {
        self.remarks.iter().find(|remark| remark.severity == severity)
    }

    /// Reports whether the files show that everything is done.
    pub fn is_complete(&self) -> bool {
        self.coverage == Coverage::Complete
    }

    /// `87 of 100 episodes in eval_info.json`, where that is less than there should be.
    pub fn shortfall(&self) -> Option<String> {
        match &self.coverage {
            Coverage::Unknown | Coverage::Complete => None,
            Coverage::Short { done, asked, file } => Some(format!("{done} of {asked} episodes in {file}")),
        }
    }

    /// The metrics of the log, with those of the files in their place: a file has all digits, and a log may lack lines.
    pub fn amend(&self, log: &Metrics) -> Metrics {
        let mut metrics = log.clone();
        metrics.extend(self.metrics.clone());
        metrics.retain(|name, _| !self.unknown.contains(name));
        metrics
    }

    /// Lists the remarks that go next to the verdict, one line each.
    pub fn warnings(&self, verdict: &Verdict) -> Vec<String> {
        let soft = self.remarks.iter().filter(|remark| remark.severity == RemarkSeverity::Warning);
        let soft = soft.map(|remark| remark.message.clone());
        let disagreements = self.disagreements.iter().map(Disagreement::told);
        let faults = self.faults.iter().filter_map(|fault| match fault {
            // A program that failed before it wrote is judged by how it failed.
            FileFault::Absent(told) => (*verdict == Verdict::Succeeded).then(|| told.clone()),
            FileFault::Odd(told) => Some(told.clone()),
        });
        soft.chain(disagreements).chain(faults).collect()
    }
}

fn coverage(files: &ResultReading, asked: Option<u64>) -> Coverage {
    let closed = !files.recognised.is_empty()
        && files.recognised.iter().all(|file| file.ending == FileCompletion::Closed);
    let figure = files.metrics.get("episodes");
    let done = figure.map(|figure| figure.value as u64);
    match (done, asked, figure) {
        // A file that says it is whole, or a log that says so, counted nothing.
        (Some(0), None | Some(0), Some(figure)) if closed || asked.is_some() => {
            Coverage::Short { done: 0, asked: 0, file: figure.file.clone() }
        }
        (Some(done), Some(asked), Some(figure)) if done < asked => {
            Coverage::Short { done, asked, file: figure.file.clone() }
        }
        (Some(_), Some(_), _) => Coverage::Complete,
        (Some(0), None, _) => Coverage::Unknown,
        (_, _, _) if closed => Coverage::Complete,
        (_, _, _) => Coverage::Unknown,
    }
}

fn disagreements(files: &ResultReading, log: &LogSummary) -> Vec<Disagreement> {
    let counted = log.progress.filter(|_| log.counts_episodes()).map(|progress| progress.done as f64);
    let lines = log.metrics.get("episodes").copied();
    // A log may show every tenth episode, or go on from where another one ended.
    let is_sample = counted.zip(lines).is_some_and(|(counted, lines)| lines < counted);
    let said = |name: &str| match name {
        "episodes" => counted.or(lines),
        "successes" | "success_rate" if is_sample => None,
        name => log.metrics.get(name).copied(),
    };
    let differing = files
        .metrics
        .iter()
        .filter_map(|(name, figure)| Disagreement::between(name, said(name)?, figure.value, &figure.file));
    differing.collect()
}
