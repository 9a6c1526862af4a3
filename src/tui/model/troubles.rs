//! Troubles of the run besides those of its shards, in a few words each.

use super::hardware::gpu_remarks::{GpuRemark, collect_remarks, is_at_power_cap};
use super::hardware::machine::MachineHistory;
use super::hardware::machines::name_gpu;
use super::screen::{Model, ScreenAccess, Supervision};
use crate::model::shortage::Shortage;
use crate::model::state::phase::{Phase, PhaseKind};
use crate::model::state::run_state::RunStage;
use crate::model::sweep::node_spec::NodeId;
use crate::results::doubts::run_troubles::{self, Present};
use crate::tui::format::plural;
use crate::tui::theme::role::Role;

/// So full a memory makes the kernel kill processes soon, in percent.
const RAM_FULL: f64 = 95.0;

/// Returns the troubles of queue, machine and logs; empty while all of that is well.
pub(super) fn collect_troubles(model: &Model) -> Vec<GpuRemark> {
    let mut troubles = Vec::new();
    troubles.extend(shards_remark(model, |position| is_held(model, *position), "held back", Role::Warning));
    troubles.extend(short_starts(model));
    for (node, machine, card) in model.all_cards() {
        let grave = collect_remarks(machine, card.index, model.now).into_iter().next();
        let grave = grave.filter(|remark| remark.role != Role::Dim);
        let avoided = || {
            // Those of a node are in its own journal.
            let is_avoided = node.is_none() && model.state.run_holds.avoid_reason(card.index).is_some();
            is_avoided.then(|| GpuRemark { role: Role::Warning, text: "gets no shards".to_owned() })
        };
        let grave = grave.or_else(avoided);
        let name = name_gpu(node, card.index);
        troubles.extend(grave.map(|remark| GpuRemark { text: format!("{name} {}", remark.text), ..remark }));
    }
    troubles.extend(alerts_remark(model));
    troubles.extend(shards_remark(
        model,
        |position| has_remarks(model, *position),
        "succeeded with remarks",
        Role::Warning,
    ));
    troubles.extend(model.machines().into_iter().filter_map(|machine| memory_remark(model, machine)));
    troubles.extend(power_cap(model));
    troubles
}

/// Returns the troubles of the run as a whole: graver than any shard where they are grave.
pub(super) fn of_run(model: &Model) -> Vec<GpuRemark> {
    let state = &model.state;
    let mut found = run_troubles::recorded_troubles(state);
    if matches!(model.supervision, Supervision::Alive { .. }) && model.access != ScreenAccess::Replaying {
        let telemetry = model.machine.host.back().map(|sample| sample.timestamp);
        let present = Present { unwritten: &model.machine.unwritten, telemetry, now: model.now };
        found.extend(run_troubles::current_troubles(state, &present));
    }
    let role = |is_grave| if is_grave { Role::Failed } else { Role::Warning };
    let found =
        found.into_iter().map(|trouble| GpuRemark { role: role(trouble.is_grave), text: trouble.text });
    let unread = model.trouble.iter().map(|text| GpuRemark { role: Role::Failed, text: text.clone() });
    // The badge above explains it.
    let unsupervised =
        model.is_unsupervised().then(|| GpuRemark { role: Role::Failed, text: "unsupervised".to_owned() });
    let stopped = matches!(state.stage, RunStage::Ended { finished: false, .. });
    let stopped =
        stopped.then(|| GpuRemark { role: Role::Warning, text: "stopped before its end".to_owned() });
    let is_over = state.stage.is_over();
    let cancelled = |position: &usize| {
        let phase = &state.shards[*position].phase;
        is_over && phase.kind() == PhaseKind::Cancelled && !phase.is_unneeded()
    };
    let cancelled = shards_remark(model, cancelled, "cancelled", Role::Warning);
    unread.into_iter().chain(unsupervised).chain(found).chain(stopped).chain(cancelled).collect()
}

/// The one shard that is so, or how many are.
fn shards_remark(
    model: &Model,
    is_so: impl Fn(&usize) -> bool,
    words: &str,
    role: Role,
) -> Option<GpuRemark> {
    let mut all = (0..model.state.shards.len()).filter(is_so);
    let first = all.next()?;
    let more = all.count();
    let who = if more == 0 { model.state.shards[first].id.to_string() } else { (more + 1).to_string() };
    Some(GpuRemark { role, text: format!("{who} {words}") })
}

fn has_remarks(model: &Model, position: usize) -> bool {
    let phase = &model.state.shards[position].phase;
    phase.kind() == PhaseKind::Succeeded
        && phase.ended().is_some_and(|ended| !ended.outcome.warnings.is_empty())
}

/// Reports whether the shard failed in the same way as others too often, and waits for the user.
fn is_held(model: &Model, position: usize) -> bool {
    let shard = &model.state.shards[position];
    shard.phase.kind() == PhaseKind::Queued && model.state.run_holds.hold_of(&shard.id).is_some()
}

/// The machine cannot start more: `12 wait: no free terminals`.
fn short_starts(model: &Model) -> Option<GpuRemark> {
    let groups = &model.machine.waiting.as_ref()?.shortages;
    let (count, lack) = groups.iter().find_map(|group| {
        let Shortage::Start { lack } = group.short_of else { return None };
        Some((group.shards.len(), lack))
    })?;
    let is_over = model.state.stage.is_over();
    (!is_over).then(|| GpuRemark { role: Role::Warning, text: format!("{count} wait: {}", lack.as_text()) })
}

/// Returns the complaints in the logs of living shards.
fn alerts_remark(model: &Model) -> Option<GpuRemark> {
    let alert = |position: usize| {
        let (shard, track) = (&model.state.shards[position], model.tracks.get(position)?);
        let is_present = track.attempt.is_some() && track.attempt == shard.phase.attempt();
        let kind = &track.alerts.first()?.kind;
        (shard.phase.kind().is_active() && is_present).then_some((shard, kind))
    };
    let mut all = (0..model.state.shards.len()).filter_map(alert);
    let (shard, kind) = all.next()?;
    let more = all.count();
    let more = if more == 0 { String::new() } else { format!(" and {} more", plural(more, "shard")) };
    Some(GpuRemark { role: Role::Warning, text: format!("{} logs {kind}{more}", shard.id) })
}

/// A card at its power cap does what it was made for: one quiet entry for all of them, as long as the run is at work.
fn power_cap(model: &Model) -> Option<GpuRemark> {
    if model.state.stage.is_over() {
        return None;
    }
    let mut capped =
        model.all_cards().filter(|(_, machine, card)| is_at_power_cap(machine, card.index, model.now));
    let (node, _, first) = capped.next()?;
    let text = match capped.count() {
        0 => format!("{} at power cap", name_gpu(node, first.index)),
        more => format!("{} GPUs at power cap", more + 1),
    };
    Some(GpuRemark { role: Role::Dim, text })
}

fn memory_remark(model: &Model, (node, machine): (Option<&NodeId>, &MachineHistory)) -> Option<GpuRemark> {
    let sample = machine.host.back()?;
    let (used, total) = sample.ram_used_bytes.zip(sample.ram_total_bytes)?;
    let percent = 100.0 * used.0 as f64 / total.0.max(1) as f64;
    let is_awaited = model.state.shards.iter().any(|shard| !matches!(shard.phase, Phase::Succeeded(_)));
    let of_node = node.map(|node| format!(" of {node}")).unwrap_or_default();
    (percent >= RAM_FULL && is_awaited)
        .then(|| GpuRemark { role: Role::Warning, text: format!("RAM{of_node} is {percent:.0} % full") })
}
