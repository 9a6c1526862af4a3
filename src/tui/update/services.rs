//! Keys about services: starting one again.

use super::acting::{self, build_selection, describe_targets, service_losses};
use crate::model::command::Command;
use crate::model::state::service_state::{FIRST_SERVICE, ServicePhase};
use crate::tui::model::screen::Model;

/// Asks before services are started again; false where the keys are about shards.
pub fn ask_restart(model: &mut Model) -> bool {
    let targets = acting::collect_targets(model, |_| true);
    if targets.is_empty() || targets.iter().any(|position| *position < FIRST_SERVICE) {
        return false;
    }
    let command = Command::Restart { services: build_selection(model, &targets) };
    let title = format!("Start {} again?", describe_targets(model, &targets));
    let mut lines = service_losses(model, &targets);
    let failed = targets.iter().filter_map(|position| model.service_at(*position));
    let failed = failed.filter(|service| service.phase() == ServicePhase::Failed);
    lines.extend(failed.filter_map(|service| Some(format!("it failed: {}", service.last_failure()?))));
    acting::ask_confirmation(model, title, lines, &targets, command);
    true
}
