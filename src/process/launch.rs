//! A program on a terminal of its own: everything is prepared before the fork, and what fails after it is told.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString, c_char};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::thread::CpuSet;

use super::error::ProcessError;
use super::fork::{self, Fork};
use super::shim;

/// What is to be run.
#[derive(Debug)]
pub struct Program<'a> {
    /// The program and its arguments.
    pub argv: &'a [String],
    /// The whole environment.
    pub env: &'a BTreeMap<OsString, OsString>,
    /// Where it starts.
    pub cwd: &'a Path,
    /// The cores it is pinned to; empty is all.
    pub cores: &'a [u32],
    /// Added to the niceness.
    pub nice: i32,
    /// Written to its `oom_score_adj`, where this process has changed its own.
    pub oom_score_adj: Option<&'a str>,
}

/// A [`Program`] in the words of the kernel.
#[derive(Debug)]
pub struct Launch {
    pub(super) candidates: Vec<CString>,
    pub(super) argv: CStrings,
    pub(super) env: CStrings,
    pub(super) cwd: CString,
    pub(super) cores: Option<CpuSet>,
    pub(super) nice: i32,
    pub(super) oom_score_adj: Option<Vec<u8>>,
}

/// Texts and the null-terminated array of pointers to them that exec wants.
#[derive(Debug)]
pub(super) struct CStrings {
    _texts: Vec<CString>,
    pub(super) pointers: Vec<*const c_char>,
}

/// Where starting a program failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Its own session and the controlling terminal.
    Terminal,
    /// The signal that ends it with its holder.
    DeathSignal,
    /// The working directory.
    Directory,
    /// The cores.
    Cores,
    /// The niceness.
    Nice,
    /// The program itself.
    Exec,
}

/// A program that could not be started, and the reason of the kernel.
#[derive(Debug)]
pub struct LaunchFailure {
    /// Where.
    pub step: Step,
    /// Why.
    pub source: io::Error,
}

/// A forked child that is about to become the program.
#[derive(Debug)]
pub struct Launched {
    /// Its pid, which is also its session and its process group.
    pub pid: u32,
    report: File,
}

impl Launch {
    /// Translates a program; fails on zero bytes in its texts.
    pub fn prepare(program: &Program<'_>) -> Result<Self, ProcessError> {
        let path = program.env.get(OsStr::new("PATH"));
        let name = program.argv.first().map_or("", String::as_str);
        let candidates = candidates(name, path.map(OsString::as_os_str));
        let entries = program.env.iter().map(|(name, value)| {
            let mut entry = name.clone();
            entry.push("=");
            entry.push(value);
            entry
        });
        Ok(Self {
            candidates: candidates
                .into_iter()
                .map(|path| c_string(path.into_os_string(), "the program's path"))
                .collect::<Result<_, _>>()?,
            argv: CStrings::new(program.argv.iter().map(OsString::from), "an argument")?,
            env: CStrings::new(entries, "the environment")?,
            cwd: c_string(program.cwd.as_os_str().to_owned(), "the working directory")?,
            cores: cpu_set(program.cores),
            nice: program.nice,
            oom_score_adj: program.oom_score_adj.map(|value| value.as_bytes().to_vec()),
        })
    }

    /// Forks the child on the slave side of a terminal. Ask [`Launched::outcome`] how it went.
    pub fn start(&self, terminal: BorrowedFd<'_>) -> Result<Launched, ProcessError> {
        let (receiver, sender) =
            pipe_with(PipeFlags::CLOEXEC).map_err(ProcessError::refused("make a pipe"))?;
        let holder = rustix::process::getpid();
        let pid = match fork::fork()? {
            Fork::Parent(pid) => pid,
            Fork::Child => fork::finish(|| {
                let failure = shim::become_program(self, terminal, holder);
                let _ = rustix::io::write(&sender, &encode(&failure));
                127
            }),
        };
        Ok(Launched { pid, report: File::from(receiver) })
    }
}

impl Launched {
    /// Waits until the child has become the program, which takes the time of an exec, or has failed to.
    pub fn outcome(mut self) -> Result<(), LaunchFailure> {
        let mut record = Vec::with_capacity(RECORD);
        match self.report.read_to_end(&mut record) {
            // The pipe is closed by exec: no word is a good word.
            Ok(_) => decode(&record).map_or(Ok(()), Err),
            Err(source) => Err(LaunchFailure { step: Step::Exec, source }),
        }
    }
}

impl CStrings {
    fn new(texts: impl Iterator<Item = OsString>, what: &str) -> Result<Self, ProcessError> {
        let texts = texts.map(|text| c_string(text, what)).collect::<Result<Vec<_>, _>>()?;
        let ends = std::iter::once(std::ptr::null());
        // A CString keeps its bytes on the heap, so the pointers stay true when the vector moves.
        let pointers = texts.iter().map(|text| text.as_ptr()).chain(ends).collect();
        Ok(Self { _texts: texts, pointers })
    }
}

fn c_string(text: OsString, what: &str) -> Result<CString, ProcessError> {
    CString::new(text.into_vec()).map_err(|source| ProcessError::ZeroByte { what: what.to_owned(), source })
}

/// Where a shell would look for the program, in this order.
pub fn candidates(program: &str, path: Option<&OsStr>) -> Vec<PathBuf> {
    if program.is_empty() {
        return Vec::new();
    }
    if program.contains('/') {
        return vec![PathBuf::from(program)];
    }
    let path = path.unwrap_or(OsStr::new("/usr/local/bin:/usr/bin:/bin"));
    let folders = path.as_bytes().split(|byte| *byte == b':');
    // An empty entry is the working directory.
    folders.map(|folder| Path::new(OsStr::from_bytes(folder)).join(program)).collect()
}

fn cpu_set(cores: &[u32]) -> Option<CpuSet> {
    let mut set = CpuSet::new();
    for core in cores.iter().map(|core| *core as usize).filter(|core| *core < CpuSet::MAX_CPU) {
        set.set(core);
    }
    (!cores.is_empty()).then_some(set)
}

const STEPS: [Step; 6] =
    [Step::Terminal, Step::DeathSignal, Step::Directory, Step::Cores, Step::Nice, Step::Exec];

/// One byte for the step and four for the errno.
const RECORD: usize = 5;

fn encode(failure: &LaunchFailure) -> [u8; RECORD] {
    let step = STEPS.iter().position(|step| *step == failure.step).unwrap_or(0);
    let [a, b, c, d] = failure.source.raw_os_error().unwrap_or(0).to_le_bytes();
    [step as u8, a, b, c, d]
}

fn decode(record: &[u8]) -> Option<LaunchFailure> {
    let [step, errno @ ..] = <[u8; RECORD]>::try_from(record).ok()?;
    let step = *STEPS.get(usize::from(step))?;
    Some(LaunchFailure { step, source: io::Error::from_raw_os_error(i32::from_le_bytes(errno)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_looked_for_like_a_shell_does() {
        let found = candidates("python", Some(OsStr::new("/a::/b")));
        assert_eq!(found, [Path::new("/a/python"), Path::new("python"), Path::new("/b/python")]);
        assert_eq!(candidates("./eval.sh", Some(OsStr::new("/a"))), [Path::new("./eval.sh")]);
        assert_eq!(candidates("", None), [] as [PathBuf; 0]);
    }

    #[test]
    fn failures_cross_the_pipe_unchanged() {
        for step in STEPS {
            let sent = LaunchFailure { step, source: io::Error::from_raw_os_error(libc::ENOEXEC) };
            let received = decode(&encode(&sent)).unwrap();
            assert_eq!((received.step, received.source.raw_os_error()), (step, Some(libc::ENOEXEC)));
        }
        assert!(decode(b"").is_none());
    }
}
