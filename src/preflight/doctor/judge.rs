//! Judges a machine from its facts: one check for each concern, in an order that never changes.

use super::check::Check;
use super::facts::MachineFacts;
use super::{judge_gpus, judge_limits, judge_places, judge_session};

/// Returns all checks. GPUs may have several, every other concern has one.
pub fn judge_machine(facts: &MachineFacts) -> Vec<Check> {
    let mut checks = judge_gpus::judge(&facts.gpus);
    checks.push(judge_limits::judge_host(&facts.host));
    checks.push(judge_limits::judge_descriptors(facts.descriptors));
    checks.push(judge_limits::judge_processes(&facts.processes));
    checks.push(judge_limits::judge_terminals(&facts.terminals));
    checks.push(judge_limits::judge_inotify(&facts.inotify_instances, facts.inotify_watches));
    checks.push(judge_places::judge_folder(&facts.folder));
    checks.push(judge_places::judge_sockets(&facts.session.sockets));
    checks.push(judge_places::judge_state(&facts.session.state));
    checks.push(judge_session::judge_terminal(facts.session.terminal.as_ref()));
    checks.push(judge_session::judge_clock(&facts.clock));
    checks.push(judge_session::judge_logout(facts.logout.as_ref()));
    checks
}
