//! The row of a service among those of shards, and its lines in the details.

use ratatui::style::Style;

use crate::model::state::phase::PhaseKind;
use crate::model::state::service_state::{ServicePhase, ServiceState};
use crate::tui::format;
use crate::tui::model::screen::Model;
use crate::tui::model::shards::column::ShardColumn;
use crate::tui::model::shards::columns::Placed;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::text::TextWriter;

/// Returns the glyph, the word and the colour of a service's phase.
pub fn phase_label(service: &ServiceState, theme: &Theme) -> (&'static str, &'static str, Role) {
    let phase = service.phase();
    let (kind, role) = match phase {
        ServicePhase::Waiting { .. } => (PhaseKind::Queued, Role::Dim),
        ServicePhase::Starting { .. } => (PhaseKind::Starting, Role::Starting),
        ServicePhase::Ready { .. } => (PhaseKind::Running, Role::Running),
        ServicePhase::Paused => (PhaseKind::Paused, Role::Paused),
        ServicePhase::Stopping => (PhaseKind::Stopping, Role::Stopping),
        ServicePhase::Ended => (PhaseKind::Cancelled, Role::Dim),
        ServicePhase::Failed => (PhaseKind::Failed, Role::Failed),
    };
    (theme.glyphs.for_phase(kind), phase.as_str(), role)
}

/// The colour of all services together: that of the worst.
pub fn role_of_all(model: &Model) -> Role {
    let failed = |service: &ServiceState| service.phase() == ServicePhase::Failed;
    if model.state.services.iter().any(failed) { Role::Failed } else { Role::Dim }
}

/// Returns how many shards use the service, such as `2/3 shards`.
pub fn use_of(model: &Model, service: &ServiceState) -> String {
    let users = model.state.users_of(service).count();
    let serves = model.plan.service(&service.instance.service).and_then(|spec| spec.serves);
    match serves {
        Some(serves) => format!("{users}/{serves} shards"),
        None => format::plural(users, "shard"),
    }
}

/// Draws what a service has in a column where a shard has something else; false where it has the same.
pub fn draw_cell(
    model: &Model,
    position: usize,
    placed: &Placed,
    theme: &Theme,
    writer: &mut TextWriter<'_>,
) -> bool {
    let Some(service) = model.service_at(position) else { return false };
    let ellipsis = theme.glyphs.ellipsis;
    match &placed.column {
        ShardColumn::State => {
            let (glyph, word, role) = phase_label(service, theme);
            writer.put_field(&format!("{glyph} {word}"), placed.width, theme.style(role), ellipsis);
            true
        }
        ShardColumn::Axis(axis) => {
            let value = service.instance.vars.get(axis).map(ToString::to_string).unwrap_or_default();
            writer.put_field(&value, placed.width, theme.style(Role::Text), ellipsis);
            true
        }
        ShardColumn::Progress => match service.phase() {
            ServicePhase::Ready { port, .. } => {
                let used = use_of(model, service);
                // The column is narrow: `2/3 on :40123`.
                let count = used.split(' ').next().unwrap_or_default();
                let text = port.map_or_else(|| used.clone(), |port| format!("{count} on :{port}"));
                writer.put_field(&text, placed.width, theme.style(Role::Text), ellipsis);
                true
            }
            ServicePhase::Starting { .. }
            | ServicePhase::Paused
            | ServicePhase::Ended
            | ServicePhase::Failed => {
                writer.put_field("", placed.width, theme.style(Role::Dim), ellipsis);
                true
            }
            ServicePhase::Waiting { .. } | ServicePhase::Stopping => false,
        },
        // It works towards no end and succeeds at nothing.
        ShardColumn::Rate | ShardColumn::Left | ShardColumn::Metric(_) if service.is_active() => {
            writer.put_field("", placed.width, theme.style(Role::Dim), ellipsis);
            true
        }
        ShardColumn::Rate
        | ShardColumn::Left
        | ShardColumn::Metric(_)
        | ShardColumn::Shard
        | ShardColumn::Node
        | ShardColumn::Elapsed
        | ShardColumn::Vram
        | ShardColumn::Ram
        | ShardColumn::Cpu
        | ShardColumn::Gpus
        | ShardColumn::Energy
        | ShardColumn::Attempt
        | ShardColumn::Started
        | ShardColumn::Remark => false,
    }
}

/// Why a service that waits is not there, where it failed before.
pub fn why_waiting(service: &ServiceState, theme: &Theme) -> Option<(String, Style)> {
    let failure = service.last_failure()?;
    Some((format!("failed: {failure}; it is started again"), theme.style(Role::Warning)))
}
