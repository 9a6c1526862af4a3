//! How an attempt ended: the exit status, the verdict, its reason and what was measured.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::machine::throttle::Throttle;
use super::results::episode_list::EpisodeList;
use super::units::{Bytes, maybe_seconds, seconds};

/// Why a shard failed; the words of the contract.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum FailureReason {
    /// Ended with a code other than 0.
    ExitCode,
    /// Ended by a signal that this program did not send.
    Signal,
    /// Out of GPU memory.
    GpuOom,
    /// Out of main memory.
    HostOom,
    /// Ran longer than allowed.
    Timeout,
    /// No output or progress for too long.
    Stalled,
    /// Exit code 0 but less done than there was to do.
    Incomplete,
    /// A file it had to write is missing or empty.
    MissingArtifact,
    /// The results are wrong by a rule.
    Invalid,
    /// The attempt could not be started.
    LaunchError,
    /// Its holder or the machine died.
    Lost,
    /// Killed by the user.
    Killed,
    /// Cancelled by the scheduler of a cluster: preempted, its node failed, or a user or administrator cancelled the
    /// job.
    Cancelled,
    /// A traceback although the exit code is 0.
    Exception,
    /// A service that it used ended.
    ServiceLost,
}

impl FailureReason {
    /// All reasons, in the order of the documentation.
    pub const ALL: [Self; 15] = [
        Self::ExitCode,
        Self::Signal,
        Self::GpuOom,
        Self::HostOom,
        Self::Timeout,
        Self::Stalled,
        Self::Incomplete,
        Self::MissingArtifact,
        Self::Invalid,
        Self::LaunchError,
        Self::Lost,
        Self::Killed,
        Self::Cancelled,
        Self::Exception,
        Self::ServiceLost,
    ];

    /// The word used in files, JSON and on the screen.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for FailureReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Prefix of a message that is only the last line a program printed: a likely cause, but not a certain one.
pub const LAST_LINE: &str = "last line: ";

impl Failure {
    /// The message as short as a row needs it.
    pub fn short_message(&self) -> &str {
        self.message.strip_prefix(LAST_LINE).unwrap_or(&self.message)
    }

    /// Why, the cause before the word for it; a message that has the word itself needs no other.
    pub fn to_sentence(&self) -> String {
        self.with_reason(&self.message)
    }

    /// The same, as short as a row needs it.
    pub fn brief_text(&self) -> String {
        self.with_reason(self.short_message())
    }

    fn with_reason(&self, message: &str) -> String {
        let reason = self.reason.as_str();
        match self.reason {
            // Code and signal are in the message already, and who killed it too.
            FailureReason::ExitCode | FailureReason::Signal | FailureReason::Killed
                if !message.is_empty() =>
            {
                message.to_owned()
            }
            _any if message.is_empty() => reason.to_owned(),
            _any if message.starts_with(reason) => message.to_owned(),
            _any => format!("{message} ({reason})"),
        }
    }
}

/// How a process ended, as the kernel reported it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitStatus {
    /// The status word of `waitpid`, undecoded.
    pub raw: i32,
}

impl ExitStatus {
    /// The exit code, when it exited.
    pub fn code(self) -> Option<i32> {
        (self.raw & 0x7f == 0).then_some((self.raw >> 8) & 0xff)
    }

    /// The signal that ended it, when one did.
    pub fn signal(self) -> Option<i32> {
        let signal = self.raw & 0x7f;
        (signal != 0 && signal != 0x7f).then_some(signal)
    }

    /// Exited with code 0.
    pub fn success(self) -> bool {
        self.code() == Some(0)
    }
}

/// The name of a signal, e.g. `SIGKILL`; numbers without a name are shown as such.
pub fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        10 => "SIGUSR1",
        11 => "SIGSEGV",
        12 => "SIGUSR2",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        18 => "SIGCONT",
        19 => "SIGSTOP",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}

/// The verdict on one attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// Everything that was asked for was done.
    Succeeded,
    /// Something that was asked for was not done.
    Failed(Failure),
    /// The whole run was stopped while it ran.
    Cancelled,
}

/// A reason and the sentence that explains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The reason as a word of the contract.
    pub reason: FailureReason,
    /// Single line for people with what was seen.
    pub message: String,
}

/// The line of the log that proves a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The 1-based number of the line.
    pub line: u64,
    /// Byte offset of the line in `output.log`.
    pub offset: u64,
    /// Text of the line, shortened.
    pub text: String,
}

/// A process that held GPU memory when a shard ran out of it, as the allocator's message names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryHolder {
    /// Its pid, in the namespace of the driver.
    pub pid: u32,
    /// GPU memory that the process held.
    pub held: Bytes,
    /// The driver lists it here, and no run of this user has started it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stranger: bool,
}

/// Episodes, iterations or batches done, of how many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Number of units done so far.
    pub done: u64,
    /// Number of units in all, where it is known.
    pub total: Option<u64>,
}

impl Progress {
    /// The part that is done, 0 to 1, where the total is known and not 0.
    pub fn fraction(self) -> Option<f64> {
        let total = self.total.filter(|total| *total > 0)?;
        Some((self.done as f64 / total as f64).min(1.0))
    }

    /// The same, with `part` of the next one counted.
    pub fn fraction_with(self, part: Option<Self>) -> Option<f64> {
        let part = part.and_then(Self::fraction).unwrap_or(0.0) / self.total? as f64;
        Some((self.fraction()? + part).min(1.0))
    }
}

/// Metrics by name; several numbers read from the log or the results.
pub type Metrics = BTreeMap<String, f64>;

/// The energy that an attempt's GPUs drew for it, from its first to its last reading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Amount of energy in joules.
    pub joules: f64,
    /// Others were on its GPUs, or may have been: this is an equal part of what they all drew.
    pub shared: bool,
}

/// How much an attempt's GPUs were held back.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Throttled {
    /// Percentage of the time in which the clocks were held back.
    pub percent: f64,
    /// The reasons for which the clocks were held back.
    pub reasons: Throttle,
}

/// Measurements of an attempt while it ran: maxima of what goes up and down, and sums; what was never measured is
/// unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Peaks {
    /// VRAM over all its GPUs.
    pub vram: Option<Bytes>,
    /// The driver listed no processes: that is the rise on its GPUs, on which it was alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vram_by_rise: bool,
    /// Power of the GPUs it ran on, all tenants included.
    pub power_w: Option<f64>,
    /// Temperature of the hottest GPU it ran on.
    pub temperature_c: Option<f64>,
    /// Resident memory of its process tree.
    pub rss: Option<Bytes>,
    /// Energy of its GPUs.
    #[serde(default)]
    pub energy: Option<Energy>,
    /// How much its GPUs were held back.
    #[serde(default)]
    pub throttled: Option<Throttled>,
}

/// Everything known about an attempt once it has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Success, failure with its reason, or cancellation.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// The exit status, unless it was lost or never started.
    pub exit: Option<ExitStatus>,
    /// From start to end.
    #[serde(with = "maybe_seconds", default)]
    pub elapsed: Option<Duration>,
    /// How much of the elapsed time the attempt was paused.
    #[serde(with = "seconds", default)]
    pub paused: Duration,
    /// Time before the first step, without pauses, where the log shows it.
    #[serde(with = "maybe_seconds", rename = "loading_s", default, skip_serializing_if = "Option::is_none")]
    pub loading: Option<Duration>,
    /// Time after the last step, without pauses, where the log shows it.
    #[serde(with = "maybe_seconds", rename = "closing_s", default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Duration>,
    /// The last progress seen.
    pub progress: Option<Progress>,
    /// The unit that the progress counts, in the plural; journals of earlier versions do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The final value of each metric.
    #[serde(default)]
    pub metrics: Metrics,
    /// The most that was measured.
    #[serde(default)]
    pub peaks: Peaks,
    /// The line that proves the verdict, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// Processes that held the memory, where the attempt ran out of GPU memory and the message names other processes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory_holders: Vec<MemoryHolder>,
    /// Remarks in addition to the verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Patterns of the sweep's ladder that its log shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
    /// How each of its episodes ended, where its files or its log show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episodes: Option<EpisodeList>,
}

impl Outcome {
    /// The outcome of an attempt of which nothing is known but the verdict.
    pub fn of_verdict(verdict: Verdict) -> Self {
        Self {
            verdict,
            exit: None,
            elapsed: None,
            paused: Duration::ZERO,
            loading: None,
            closing: None,
            progress: None,
            unit: None,
            metrics: Metrics::new(),
            peaks: Peaks::default(),
            proof: None,
            memory_holders: Vec::new(),
            warnings: Vec::new(),
            patterns: Vec::new(),
            episodes: None,
        }
    }

    /// How long the program ran without pauses; `None` if it did not start.
    pub fn worked_time(&self) -> Option<Duration> {
        Some(self.elapsed?.saturating_sub(self.paused))
    }

    /// Why it failed, if it did.
    pub fn failure_reason(&self) -> Option<FailureReason> {
        match &self.verdict {
            Verdict::Failed(failure) => Some(failure.reason),
            Verdict::Succeeded | Verdict::Cancelled => None,
        }
    }
}
