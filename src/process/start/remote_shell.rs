//! Commands on other machines by `ssh`, without a question.

use std::process::Command;
use std::time::Duration;

use super::patient_command::PatientCommand;

/// A host that is frozen accepts a connection and then says nothing.
const CONNECT_TIMEOUT: u64 = 15;

/// Starts a line of a shell on that host.
pub fn start_remotely(host: &str, line: &str) -> Result<PatientCommand, String> {
    let mut command = Command::new("ssh");
    let timeout = format!("ConnectTimeout={CONNECT_TIMEOUT}");
    command.args(["-o", "BatchMode=yes", "-o", &timeout, "--", host, line]);
    PatientCommand::start(command, "")
}

/// Runs a line of a shell on that host and waits for its end. The reason of a failure is one line for people: the last
/// that was printed there or by ssh. That ssh failed does not show that the host is down.
pub fn run_remotely(host: &str, line: &str, patience: Duration) -> Result<(), String> {
    start_remotely(host, line)?.finish(patience).map(drop)
}
