//! `service install`, `uninstall` and `status`: the unit of the user's own systemd.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::service_args::{ServiceAction, ServiceArgs};
use super::unit::{KEPT, UNIT, unit_text};
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;

/// Does what was asked with the unit.
pub fn run(args: &ServiceArgs) -> Result<CliExit, CliError> {
    match args.action {
        ServiceAction::Install => install(),
        ServiceAction::Uninstall => uninstall(),
        ServiceAction::Status => show_status(),
    }
}

fn install() -> Result<CliExit, CliError> {
    let program = std::env::current_exe().map_err(CliError::system("find this program"))?;
    if !systemctl(&["--version"]) {
        let line = format!("@reboot {} recover --all", shell_words::quote(&program.to_string_lossy()));
        return Err(CliError::new(CliExit::Refused, "this machine has no systemd to hold a unit").with_hint(format!(
            "give cron this line with `crontab -e`, or run it where the container or machine starts: {line}"
        )));
    }
    let path = unit_path()?;
    let kept: Vec<(&str, OsString)> =
        KEPT.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))).collect();
    let environment = kept.iter().map(|(name, value)| (*name, value.as_os_str()));
    let text = unit_text(&program, environment).ok_or_else(|| {
        CliError::usage(format!(
            "the path {} or the environment cannot be written into a unit",
            program.display()
        ))
    })?;
    let folder = path.parent().unwrap_or(OsStr::new("/").as_ref());
    fs::create_dir_all(folder).map_err(CliError::for_file("create", folder))?;
    fs::write(&path, text).map_err(CliError::for_file("write", &path))?;
    output::print_message(&format!("written: {}", path.display()));
    if !systemctl(&["daemon-reload"]) || !systemctl(&["enable", UNIT]) {
        return Err(CliError::unreachable("your systemd does not answer, so that the unit is not enabled")
            .with_hint(format!("log in with a session of your own, then: systemctl --user enable {UNIT}")));
    }
    output::print_message("at boot all runs continue by themselves");
    if !lingers() && !call("loginctl", &["enable-linger"]) {
        output::print_message(
            "  but only after you log in: `loginctl enable-linger` lets them continue before that, and may need an \
             administrator",
        );
    }
    Ok(CliExit::Done)
}

fn uninstall() -> Result<CliExit, CliError> {
    let path = unit_path()?;
    if !path.exists() {
        output::print_message("there is no unit; nothing is changed");
        return Ok(CliExit::Done);
    }
    // Where it does not answer, the file is what it would read the next time.
    systemctl(&["disable", UNIT]);
    fs::remove_file(&path).map_err(CliError::for_file("remove", &path))?;
    systemctl(&["daemon-reload"]);
    output::print_message(&format!("removed: {}; runs at work go on", path.display()));
    Ok(CliExit::Done)
}

fn show_status() -> Result<CliExit, CliError> {
    let path = unit_path()?;
    let (is_there, is_enabled) = (path.exists(), systemctl(&["is-enabled", "--quiet", UNIT]));
    let words = match (is_there, is_enabled) {
        (false, _) => "not installed: runs wait for `sweepdeck recover --all` after a reboot".to_owned(),
        (true, false) => {
            format!("{} is there and not enabled: systemctl --user enable {UNIT}", path.display())
        }
        (true, true) if lingers() => "installed: all runs continue at boot".to_owned(),
        (true, true) => {
            "installed: all runs continue at your first login (at boot: loginctl enable-linger)".to_owned()
        }
    };
    output::print_text(&format!("{words}\n"))?;
    Ok(CliExit::Done)
}

fn unit_path() -> Result<PathBuf, CliError> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    let config = config.ok_or_else(|| CliError::usage("neither XDG_CONFIG_HOME nor HOME is set"))?;
    Ok(config.join("systemd/user").join(UNIT))
}

fn systemctl(words: &[&str]) -> bool {
    call("systemctl", &[&["--user"], words].concat())
}

/// The user's processes are started at boot and not at the first login.
fn lingers() -> bool {
    let mut command = Command::new("loginctl");
    command
        .args(["show-user", "--property=Linger", "--value"])
        .arg(rustix::process::geteuid().as_raw().to_string());
    let shown = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
    shown.is_ok_and(|shown| shown.stdout.starts_with(b"yes"))
}

/// Whether the tool is there and succeeds; it prints nothing.
fn call(tool: &str, words: &[&str]) -> bool {
    let mut command = Command::new(tool);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
