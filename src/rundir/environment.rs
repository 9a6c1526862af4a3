//! The environment a run was started in, kept for the supervisors that come later from other shells.
//!
//! `$XDG_STATE_HOME/sweepdeck/environments/RUN-ID`, 0600: `NAME=VALUE` and a NUL byte, as in `/proc/PID/environ`.
//! Secret variables are written there by their name alone.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::beneath::{PRIVATE_MODE, PathBeneath};
use super::error::RunDirError;
use super::machine_wide::discover;
use super::trust;
use crate::model::ids::RunId;

/// The kernel gives a program no more than this of arguments and environment together, by default.
const LONGEST: u64 = 16 << 20;

/// Variables that Slurm gives to the processes of a job begin so.
const OF_SLURM: &[u8] = b"SLURM";

/// Variables of a process.
pub type Environment = Vec<(OsString, OsString)>;

/// Keeps our own environment for the run, and forgets those of runs that are gone.
pub fn save_environment(run: &RunId, secret: &[String]) -> Result<(), RunDirError> {
    let folder = environments_folder()?;
    let path = PathBeneath::of_file(folder.join(&run.0));
    let bytes = encode_variables(std::env::vars_os(), secret);
    let write = || -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        path.create_with(PRIVATE_MODE)?.write_all(&bytes)
    };
    write().map_err(RunDirError::io("write", &path))?;
    forget_gone(&folder);
    Ok(())
}

/// The environment that was kept for the run; none for a run from before or of another user. Secret variables are taken
/// from our own.
pub fn load_environment(run: &RunId) -> Result<Option<Environment>, RunDirError> {
    let path = PathBeneath::of_file(environments_folder()?.join(&run.0));
    match path.read(LONGEST) {
        // What is in it runs programs, as `LD_PRELOAD` does.
        Ok(bytes) => {
            trust::verify_file(&path)?;
            let kept = decode_variables(&bytes, |name| std::env::var_os(name));
            Ok(Some(move_to_own_job(kept, std::env::vars_os())))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(RunDirError::io("read", &path)(error)),
    }
}

/// The variables that Slurm gave belong to the job where they are used, not to the one in which the run was started.
fn move_to_own_job(mut kept: Environment, own: impl Iterator<Item = (OsString, OsString)>) -> Environment {
    let is_of_job = |name: &OsStr| name.as_bytes().starts_with(OF_SLURM);
    kept.retain(|(name, _)| !is_of_job(name));
    kept.extend(own.filter(|(name, _)| is_of_job(name)));
    kept
}

fn environments_folder() -> Result<PathBuf, RunDirError> {
    Ok(discover::pointers_folder()?.with_file_name("environments"))
}

/// Nothing depends on it: what cannot be removed now is removed when the next run starts.
fn forget_gone(folder: &Path) {
    let Ok(runs) = discover::list_runs() else { return };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !runs.iter().any(|run| entry.file_name() == run.id.0.as_str()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn encode_variables(variables: impl Iterator<Item = (OsString, OsString)>, secret: &[String]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, value) in variables {
        bytes.extend_from_slice(name.as_bytes());
        if !secret.iter().any(|secret| name == secret.as_str()) {
            bytes.push(b'=');
            bytes.extend_from_slice(value.as_bytes());
        }
        bytes.push(0);
    }
    bytes
}

fn decode_variables(bytes: &[u8], own: impl Fn(&OsStr) -> Option<OsString>) -> Environment {
    let entries = bytes.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
    let variable = |entry: &[u8]| match entry.iter().position(|byte| *byte == b'=') {
        Some(end) => {
            Some((OsString::from_vec(entry[..end].to_vec()), OsString::from_vec(entry[end + 1..].to_vec())))
        }
        None => {
            let name = OsStr::from_bytes(entry);
            Some((name.to_owned(), own(name)?))
        }
    };
    entries.filter_map(variable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_slurm_gave_is_of_the_job_at_hand() {
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let kept = vec![pair("PATH", "/bin"), pair("SLURM_JOB_ID", "17"), pair("SLURMD_NODENAME", "n1")];
        let own = [pair("PATH", "/other"), pair("SLURM_JOB_ID", "18")];
        let moved = move_to_own_job(kept, own.into_iter());
        assert_eq!(moved, [pair("PATH", "/bin"), pair("SLURM_JOB_ID", "18")]);
    }

    #[test]
    fn variables_come_back_and_secrets_come_from_the_present() {
        let pair = |name: &str, value: &[u8]| (OsString::from(name), OsString::from_vec(value.to_vec()));
        let variables = vec![
            pair("PATH", b"/bin:/x=y"),
            pair("ODD", b"\xff\n"),
            pair("TOKEN", b"old"),
            pair("EMPTY", b""),
        ];
        let bytes = encode_variables(variables.into_iter(), &["TOKEN".to_owned()]);
        assert!(!bytes.windows(3).any(|part| part == b"old"));
        let present = |name: &OsStr| (name == "TOKEN").then(|| OsString::from("new"));
        let expected =
            [pair("PATH", b"/bin:/x=y"), pair("ODD", b"\xff\n"), pair("TOKEN", b"new"), pair("EMPTY", b"")];
        assert_eq!(decode_variables(&bytes, present), expected);
        assert_eq!(decode_variables(&bytes, |_| None).len(), 3, "a secret that nobody has any more is unset");
    }
}
