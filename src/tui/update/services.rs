//! Keys about services: what ending one costs, and starting one again.

use super::acting::{self, name, these};
use crate::model::command::Command;
use crate::model::service_state::{FIRST_SERVICE, ServicePhase};
use crate::tui::format::plural;
use crate::tui::model::screen::Model;

/// What happens to the shards that use these services.
pub fn losses(model: &Model, targets: &[usize]) -> Vec<String> {
    let services = targets.iter().filter_map(|position| model.service_at(*position));
    let users: usize = services.map(|service| model.state.users_of(service.id()).count()).sum();
    let sentence = || format!("{} it now: ended, and queued again", who_uses(users));
    if users > 0 { vec![sentence()] } else { Vec::new() }
}

fn who_uses(users: usize) -> String {
    let verb = if users == 1 { "uses" } else { "use" };
    format!("{} {verb}", plural(users, "shard"))
}

/// Asks before services are started again; false where the keys are about shards.
pub fn ask_restart(model: &mut Model) -> bool {
    let targets = acting::targets(model, |_| true);
    if targets.is_empty() || targets.iter().any(|position| *position < FIRST_SERVICE) {
        return false;
    }
    let command = Command::Restart { services: these(model, &targets) };
    let title = format!("Start {} again?", name(model, &targets));
    let mut lines = losses(model, &targets);
    let failed = targets.iter().filter_map(|position| model.service_at(*position));
    let failed = failed.filter(|service| service.phase() == ServicePhase::Failed);
    lines.extend(failed.filter_map(|service| Some(format!("it failed: {}", service.last_failure()?))));
    acting::ask(model, title, lines, &targets, command);
    true
}
