//! Keys about services: starting one again.

use super::acting::{self, name, service_losses, these};
use crate::model::command::Command;
use crate::model::state::service_state::{FIRST_SERVICE, ServicePhase};
use crate::tui::model::screen::Model;

/// Asks before services are started again; false where the keys are about shards.
pub fn ask_restart(model: &mut Model) -> bool {
    let targets = acting::targets(model, |_| true);
    if targets.is_empty() || targets.iter().any(|position| *position < FIRST_SERVICE) {
        return false;
    }
    let command = Command::Restart { services: these(model, &targets) };
    let title = format!("Start {} again?", name(model, &targets));
    let mut lines = service_losses(model, &targets);
    let failed = targets.iter().filter_map(|position| model.service_at(*position));
    let failed = failed.filter(|service| service.phase() == ServicePhase::Failed);
    lines.extend(failed.filter_map(|service| Some(format!("it failed: {}", service.last_failure()?))));
    acting::ask(model, title, lines, &targets, command);
    true
}
