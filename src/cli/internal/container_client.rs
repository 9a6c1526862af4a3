//! This program under the name of a container engine: it has containers marked, notes them with the attempt, and
//! becomes the real engine.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use rustix::fs::{Access, access};

use crate::model::ids::{AttemptKey, AttemptNumber, ShardId};
use crate::process::containers::{ContainerRecord, Containers};
use crate::process::identity;
use crate::process::start::container_args::{self, ENGINES};
use crate::rundir::layout::RunDir;

/// Set for the real engine: one that is a script for another engine has its container marked once.
const MARKED: &str = "SWEEPDECK_CONTAINER_MARKED";

/// Exit code of a shell that does not find the program.
const NOT_FOUND: u8 = 127;

/// The engine by whose name this program was called.
pub fn called_engine() -> Option<&'static str> {
    let name = env::args_os().next()?;
    let name = Path::new(&name).file_name()?;
    ENGINES.into_iter().find(|engine| name == OsStr::new(engine))
}

/// Becomes the engine; returns only where there is none.
pub fn run(engine: &str) -> ExitCode {
    let Some(program) = find_real(engine) else {
        let _ = writeln!(io::stderr(), "{engine}: command not found");
        return ExitCode::from(NOT_FOUND);
    };
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let marked = mark_arguments(&program, &arguments);
    let mut command = Command::new(&program);
    if marked.is_some() {
        command.env(MARKED, "1");
    }
    let error = command.args(marked.unwrap_or(arguments)).exec();
    let _ = writeln!(io::stderr(), "{}: {error}", program.display());
    ExitCode::from(NOT_FOUND)
}

/// The arguments with marks, where they make a container for an attempt. What cannot be noted is not marked: the
/// container must run all the same.
fn mark_arguments(program: &Path, arguments: &[OsString]) -> Option<Vec<OsString>> {
    if env::var_os(MARKED).is_some() {
        return None;
    }
    let variable = |name| env::var(name).ok();
    let (run, shard) = (variable("SWEEPDECK_RUN")?, variable("SWEEPDECK_SHARD")?);
    let attempt = variable("SWEEPDECK_ATTEMPT")?;
    let key = AttemptKey {
        shard: ShardId::new(shard.as_str()).ok()?,
        attempt: AttemptNumber(attempt.parse().ok()?),
    };
    let folder = RunDir::at(&run).attempt_dir(&key);
    let containers = Containers::in_folder(folder.containers_folder().full_path());
    // It stays the same process when it becomes the engine's client.
    let client = identity::identify_self().ok()?;
    let tag = [("SWEEPDECK_RUN", &*run), ("SWEEPDECK_SHARD", &*shard), ("SWEEPDECK_ATTEMPT", &*attempt)];
    let marked = container_args::mark_start(arguments, &containers.cidfile(&client), &tag)?;
    let globals = marked.globals.into_iter().map(OsString::into_string).collect::<Result<_, _>>().ok()?;
    let cidfile = std::path::absolute(marked.cidfile).ok()?;
    let record = ContainerRecord { program: program.to_owned(), globals, cidfile, client };
    containers.write_record(&record).ok()?;
    Some(marked.arguments)
}

/// The first program of that name that is not this one.
fn find_real(engine: &str) -> Option<PathBuf> {
    let identity = |path: &Path| fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
    let own = identity(Path::new("/proc/self/exe"));
    let path = env::var_os("PATH")?;
    let candidates = env::split_paths(&path).map(|folder| folder.join(engine));
    let mut real = candidates
        .filter(|candidate| candidate.is_file() && access(candidate, Access::EXEC_OK).is_ok())
        .filter(|candidate| identity(candidate) != own);
    real.next()
}
