//! A program in the words of the kernel: everything that takes memory is done before the fork.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString, c_char};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::thread::CpuSet;

use crate::process::error::ProcessError;

/// Program to be run, with its surroundings.
#[derive(Debug)]
pub struct Program<'a> {
    /// The program and its arguments.
    pub argv: &'a [String],
    /// Environment, complete: no variable is inherited.
    pub env: &'a BTreeMap<OsString, OsString>,
    /// Folder in which the program starts.
    pub cwd: &'a Path,
    /// The cores it is pinned to; empty is all.
    pub cores: &'a [u32],
    /// Added to the niceness.
    pub nice: i32,
    /// Value that [`crate::process::oom::shield_self`] gave, to be restored.
    pub oom_score_adj: Option<&'a str>,
}

/// A [`Program`] in the words of the kernel.
#[derive(Debug)]
pub struct Prepared {
    pub(in crate::process) candidates: Vec<CString>,
    pub(in crate::process) argv: CStrings,
    pub(in crate::process) env: CStrings,
    pub(in crate::process) cwd: CString,
    pub(in crate::process) cores: Option<CpuSet>,
    pub(in crate::process) nice: i32,
    pub(in crate::process) oom_score_adj: Option<String>,
}

/// Texts and the null-terminated array of pointers to them that exec wants.
#[derive(Debug)]
pub(in crate::process) struct CStrings {
    _texts: Vec<CString>,
    pub(in crate::process) pointers: Vec<*const c_char>,
}

impl Program<'_> {
    /// Translates it; fails on zero bytes in its texts.
    pub fn prepare(&self) -> Result<Prepared, ProcessError> {
        let path = self.env.get(OsStr::new("PATH"));
        let name = self.argv.first().map_or("", String::as_str);
        let candidates = list_candidates(name, path.map(OsString::as_os_str));
        let entries = self.env.iter().map(|(name, value)| {
            let mut entry = name.clone();
            entry.push("=");
            entry.push(value);
            entry
        });
        Ok(Prepared {
            candidates: candidates
                .into_iter()
                .map(|path| c_string(path.into_os_string(), "the program's path"))
                .collect::<Result<_, _>>()?,
            argv: CStrings::new(self.argv.iter().map(OsString::from), "an argument")?,
            env: CStrings::new(entries, "the environment")?,
            cwd: c_string(self.cwd.as_os_str().to_owned(), "the working directory")?,
            cores: cpu_set(self.cores),
            nice: self.nice,
            oom_score_adj: self.oom_score_adj.map(str::to_owned),
        })
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

/// Lists where a shell would look for the program, in this order.
pub fn list_candidates(program: &str, path: Option<&OsStr>) -> Vec<PathBuf> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_looked_for_like_a_shell_does() {
        let found = list_candidates("python", Some(OsStr::new("/a::/b")));
        assert_eq!(found, [Path::new("/a/python"), Path::new("python"), Path::new("/b/python")]);
        assert_eq!(list_candidates("./eval.sh", Some(OsStr::new("/a"))), [Path::new("./eval.sh")]);
        assert_eq!(list_candidates("", None), [] as [PathBuf; 0]);
    }
}
