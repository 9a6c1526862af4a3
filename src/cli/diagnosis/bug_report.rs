//! The file of `doctor --report`: what a bug report needs, as text that its sender can read, without secrets.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use jiff::Timestamp;

use super::redaction::{PrivateNames, redact};
use crate::cli::error::CliError;
use crate::cli::overview::ls;
use crate::cli::{settings, settings_file};
use crate::model::logs::printable::printable_lines;
use crate::process::panics::report;
use crate::process::user;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::residence;
use crate::telemetry::system;

/// Variables that say how the program behaves, and no secret.
const VARIABLES: &[&str] = &[
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "LANG",
    "LC_ALL",
    "TZ",
    "SHELL",
    "TMUX",
    "STY",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "SLURM_JOB_ID",
    "SWEEPDECK_NVML",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
];

/// The end of the newest supervisor's log that is taken along.
const LOG_LINES: usize = 200;

const FOREWORD: &str = "This report holds the checks of `sweepdeck doctor`, versions, some variables, the state of the \
    newest run with the end of its supervisor's log, and the newest reports of panics. It holds no sweep, no command, \
    no log of a shard, no settings and no other variable. Words that look like secrets, and the names of user, home and \
    machine, are left out. Read it before you send it.";

/// Writes the report; an existing file is not replaced.
pub fn write_report(file: &Path, checks: &str) -> Result<(), CliError> {
    let text = compose(&[
        ("sweepdeck", describe_program()),
        ("checks", checks.to_owned()),
        ("variables", list_variables()),
        ("settings", describe_settings()),
        ("newest run", describe_newest_run()),
        ("panics", report::read_newest().unwrap_or_else(|| "none".to_owned())),
    ]);
    let text = printable_lines(&redact(&text, &private_names())).into_owned();
    let mut new = fs::File::create_new(file).map_err(CliError::for_file("create", file))?;
    std::io::Write::write_all(&mut new, text.as_bytes()).map_err(CliError::for_file("write", file))
}

fn compose(parts: &[(&str, String)]) -> String {
    let mut text = format!("{FOREWORD}\n");
    for (title, part) in parts {
        let _ = write!(text, "\n== {title}\n{}\n", part.trim_end());
    }
    text
}

fn private_names() -> PrivateNames {
    PrivateNames {
        home: std::env::var("HOME").ok(),
        user: Some(user::name_of(rustix::process::geteuid().as_raw())),
        host: Some(residence::host_name()),
    }
}

fn describe_program() -> String {
    let root = Path::new("/");
    let known = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    format!(
        "version {}\nwritten {}\nkernel {}\nsystem {}\nprocessor {}\n",
        env!("CARGO_PKG_VERSION"),
        Timestamp::now(),
        known(system::kernel_release(root)),
        known(system::distribution_name(root)),
        known(system::cpu_model(root)),
    )
}

fn list_variables() -> String {
    let line = |name: &&str| Some(format!("{name}={}\n", std::env::var(name).ok()?));
    VARIABLES.iter().filter_map(line).collect()
}

fn describe_settings() -> String {
    let path = settings_file::path().filter(|path| path.exists());
    let Some(path) = path else { return "no file".to_owned() };
    let state = match settings::load_settings().wrong {
        Some(_) => "it has mistakes, which `sweepdeck keys` shows",
        None => "without a mistake",
    };
    format!("{}: {state}", path.display())
}

fn describe_newest_run() -> String {
    let runs = match discover::list_runs() {
        Ok(runs) => runs,
        Err(error) => return error.to_string(),
    };
    let Some(newest) = runs.into_iter().next() else { return "no run".to_owned() };
    let log = RunDir::at(&newest.dir).supervisor_log();
    let entry = ls::format_runs(&[ls::look_at(newest)]);
    format!("{entry}\nthe last lines of its supervisor.log:\n{}", last_lines(log.full_path()))
}

fn last_lines(file: &Path) -> String {
    let Ok(text) = fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()) else {
        return "it cannot be read".to_owned();
    };
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}
