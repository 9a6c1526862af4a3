//! A sweep file on its way to becoming a run.

use std::path::{Path, PathBuf};

use super::error::CliError;
use super::output;
use crate::config::plan::{self, Origin};
use crate::model::plan::Plan;
use crate::telemetry::host::cores;

/// A sweep that was read.
#[derive(Debug)]
pub struct Sweep {
    /// Its file, absolute; none for the one that is embedded in the program.
    pub file: Option<PathBuf>,
    /// Its text.
    pub source: String,
    /// What it comes to.
    pub plan: Plan,
}

impl Sweep {
    /// Reads a file; all its problems are told at once.
    pub fn open(path: &Path) -> Result<Self, CliError> {
        let source = std::fs::read_to_string(path).map_err(CliError::file("read", path))?;
        let file = path.canonicalize().map_err(CliError::file("find", path))?;
        let plan = parse(&source, file.clone())?;
        Ok(Self { file: Some(file), source, plan })
    }

    /// Takes a text that is not in a file; its paths start at the current folder.
    pub fn embedded(name: &str, source: String) -> Result<Self, CliError> {
        let folder = std::env::current_dir().map_err(CliError::system("find the current folder"))?;
        let plan = parse(&source, folder.join(name))?;
        Ok(Self { file: None, source, plan })
    }
}

fn parse(source: &str, file: PathBuf) -> Result<Plan, CliError> {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let origin = Origin { file, home, cores: cores() };
    plan::read(source, &origin)
        .map_err(|problems| CliError::usage(problems.render(output::colour()).trim_end().to_owned()))
}
