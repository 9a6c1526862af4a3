//! Commands on other machines by `ssh`, without a question and within a time limit.

use std::process::Command;
use std::time::Duration;

use super::patient_command::run_command;

/// A host that is frozen accepts a connection and then says nothing.
const CONNECT_TIMEOUT: u64 = 15;

/// Runs a line of a shell on that host and waits for its end. The reason of a failure is one line for people: the last
/// that was printed there or by ssh. That ssh failed does not show that the host is down.
pub fn run_remotely(host: &str, line: &str, patience: Duration) -> Result<(), String> {
    let mut command = Command::new("ssh");
    let timeout = format!("ConnectTimeout={CONNECT_TIMEOUT}");
    command.args(["-o", "BatchMode=yes", "-o", &timeout, "--", host, line]);
    run_command(command, "", patience).map(drop)
}
