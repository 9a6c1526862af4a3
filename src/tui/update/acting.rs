//! Keys that change the run: which shards they can be about, what is lost, what is asked of the supervisor.

use crate::model::command::{Command, ControlReply, Selection};
use crate::model::ids::ShardId;
use crate::model::state::phase::PhaseKind;
use crate::model::units::Bytes;
use crate::tui::format::plural;
use crate::tui::message::Request;
use crate::tui::model::events::{EventLine, RunSetting};
use crate::tui::model::overlays::overlay::{Confirmation, Notice, Overlay, Question};
use crate::tui::model::screen::Model;
use crate::tui::model::shards::shard_row::ShardRow;
use crate::tui::theme::role::Role;

/// More shards than this are not ended by a single key.
const MANY: usize = 10;

/// So many are named in a question.
const NAMED: usize = 8;

/// Pauses what runs; where nothing of it runs, what is paused goes on. Nothing is lost, so nothing is asked.
pub fn toggle_pause(model: &mut Model) -> Vec<Request> {
    let running = collect_targets(model, |kind| kind == PhaseKind::Running);
    if !running.is_empty() {
        return vec![Request::Send(Command::Pause { shards: build_selection(model, &running) })];
    }
    let mut waiting = collect_targets(model, |kind| matches!(kind, PhaseKind::Paused | PhaseKind::Queued));
    waiting.retain(|position| goes_on(model, *position));
    if !waiting.is_empty() {
        return vec![Request::Send(Command::Resume { shards: build_selection(model, &waiting) })];
    }
    refuse_shards(model, "only running shards can be paused, only paused and held ones go on");
    Vec::new()
}

/// Pauses all that runs; where nothing runs, all that is paused goes on.
pub fn pause_all(model: &mut Model) -> Vec<Request> {
    let shards = Selection::All;
    if model.count_in_phase(PhaseKind::Running) > 0 {
        return vec![Request::Send(Command::Pause { shards })];
    }
    if model.count_in_phase(PhaseKind::Paused) > 0 {
        return vec![Request::Send(Command::Resume { shards })];
    }
    show_refusal(model, "nothing runs and nothing is paused");
    Vec::new()
}

fn goes_on(model: &Model, position: usize) -> bool {
    model.shard_at(position).is_some_and(|shard| {
        let is_held = model.state.run_holds.hold_of(&shard.id).is_some();
        shard.phase.kind() == PhaseKind::Paused || is_held
    })
}

/// Asks before shards are ended.
pub fn ask_kill(model: &mut Model) {
    let targets = collect_targets(model, |kind| !kind.is_final());
    if targets.is_empty() {
        refuse_shards(model, "only shards that are not over can be killed");
        return;
    }
    let command = Command::Kill { shards: build_selection(model, &targets) };
    let title = format!("Kill {}?", describe_targets(model, &targets));
    let readings: Vec<ShardRow<'_>> =
        targets.iter().filter_map(|position| model.reading(*position)).collect();
    let mut lines = list_targets(model, &targets);
    lines.extend(service_losses(model, &targets));
    lines.extend(list_losses(&readings));
    ask_confirmation(model, title, lines, &targets, command);
}

/// The names of several shards, and of those among them that the table does not show now.
fn list_targets(model: &Model, targets: &[usize]) -> Vec<String> {
    let names = |positions: &[usize]| {
        let named = positions.iter().take(NAMED).filter_map(|position| model.shard_at(*position));
        let ids = named.map(|shard| shard.id.as_str());
        let more = positions.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", ids.collect::<Vec<_>>().join(", "))
    };
    let hidden: Vec<usize> =
        targets.iter().copied().filter(|position| model.table.row_of(*position).is_none()).collect();
    let mut lines = Vec::new();
    if targets.len() > 1 {
        lines.push(names(targets));
    }
    if !hidden.is_empty() {
        lines.push(format!("hidden by the filter: {}", names(&hidden)));
    }
    lines
}

/// Changes the parallel limit, which is at least 1.
pub fn change_parallel(model: &mut Model, change: i32) -> Vec<Request> {
    // The key may come again before the journal shows the effect of the first.
    let present = model.asked_parallel.unwrap_or(model.state.parallel);
    let parallel = present.saturating_add_signed(change).max(1);
    if parallel == present {
        show_refusal(model, "the parallel limit is 1 already; pause or kill shards instead");
        return Vec::new();
    }
    model.asked_parallel = Some(parallel);
    vec![Request::Send(Command::SetParallel { parallel })]
}

/// Hands the terminal to the selected shard, where a process holds one.
pub fn enter_shard(model: &mut Model) -> Vec<Request> {
    let selected = model.selected_shard().filter(|_| model.views.shown.shows_cursor());
    if let Some(reading) = selected.filter(|reading| reading.state.phase.live().is_some()) {
        return vec![Request::Enter(reading.state.id.clone())];
    }
    refuse_shards(model, "the shard has no terminal, because it does not run");
    Vec::new()
}

/// Reports the outcome of a command, and keeps it among the events.
pub fn report_reply(model: &mut Model, command: &Command, reply: Result<ControlReply, String>) {
    let verb = command_verb(command);
    let notice = match reply {
        Ok(ControlReply::Done { shards, notes }) => {
            let about = describe_outcome(command, shards) + &left_by_undo(model, command);
            Notice::good(std::iter::once(about).chain(notes).collect::<Vec<_>>().join("; "))
        }
        Ok(ControlReply::Refused { message, .. }) => Notice::bad(format!("{verb}: {message}")),
        Err(message) => Notice::bad(format!("{verb}: {message}")),
    };
    if notice.bad && matches!(command, Command::SetParallel { .. }) {
        model.asked_parallel = None;
    }
    let role = if notice.bad { Role::Warning } else { Role::Strong };
    let setting = RunSetting::of_command(command).filter(|_| !notice.bad);
    model.events.push(EventLine::of_user(model.now, role, &notice.text, setting));
    model.notice = Some(notice);
}

/// Words the outcome: what was done to how many shards, or what was set.
fn describe_outcome(command: &Command, shards: usize) -> String {
    let verb = command_verb(command);
    match command {
        Command::SetParallel { parallel } => format!("{verb} {parallel}"),
        Command::SetReserve { vram } => format!("{verb} {vram}"),
        Command::SetGpus { devices } => format!("{verb} {}", all_or(devices)),
        Command::SetPriority { priority, .. } => format!("{verb} {priority}: {}", plural(shards, "shard")),
        Command::RequeueEdited { shard, edit } => format!("{verb}: {shard}: {edit}"),
        Command::AddValues { axis, values } => {
            format!("{verb}: {axis} + {}: {}", values.join(", "), plural(shards, "new shard"))
        }
        Command::Stop { .. }
        | Command::Continue
        | Command::StartNow
        | Command::StartAt { .. }
        | Command::Unwatch { .. }
        | Command::Ping => verb.to_owned(),
        Command::Restart { services } => format!("{verb}: {}", describe_selection(services, shards)),
        Command::Pause { .. } | Command::Resume { .. } | Command::Kill { .. } | Command::Requeue { .. } => {
            format!("{verb}: {}", plural(shards, "shard"))
        }
        Command::Undo { shards: undone } => {
            format!("{verb}: as before the requeue: {}", describe_selection(undone, shards))
        }
    }
}

/// The shards of a requeue that an undo came too late for.
fn left_by_undo(model: &mut Model, command: &Command) -> String {
    if !matches!(command, Command::Undo { .. }) || model.undo_leaves.is_empty() {
        return String::new();
    }
    let ids = std::mem::take(&mut model.undo_leaves);
    let count = ids.len();
    format!("; already started: {}", describe_selection(&Selection::These(ids), count))
}

/// The names of a few shards, else how many they are.
fn describe_selection(selection: &Selection, count: usize) -> String {
    match selection {
        Selection::These(ids) if ids.len() == count && count <= NAMED => {
            ids.iter().map(ShardId::as_str).collect::<Vec<_>>().join(", ")
        }
        Selection::These(_) | Selection::All | Selection::Failed => plural(count, "shard"),
    }
}

fn all_or(devices: &[String]) -> String {
    if devices.is_empty() { "all".to_owned() } else { devices.join(", ") }
}

fn command_verb(command: &Command) -> &'static str {
    match command {
        Command::Pause { .. } => "pause",
        Command::Resume { .. } => "resume",
        Command::Kill { .. } => "kill",
        Command::Requeue { .. } => "requeue",
        Command::Restart { .. } => "restart",
        Command::Stop { now: false } => "stop when what runs has ended",
        Command::Stop { now: true } => "end everything",
        Command::Continue => "continue",
        Command::SetParallel { .. } => "parallel limit",
        Command::RequeueEdited { .. } => "requeue edited",
        Command::Undo { .. } => "undo",
        Command::SetPriority { .. } => "priority",
        Command::SetReserve { .. } => "VRAM reserve",
        Command::SetGpus { .. } => "GPUs",
        Command::StartNow => "start now",
        Command::StartAt { .. } => "start at another time",
        Command::AddValues { .. } => "add",
        Command::Unwatch { .. } => "unwatch",
        Command::Ping => "ping",
    }
}

pub(super) fn show_refusal(model: &mut Model, why: &str) {
    model.notice = Some(Notice::bad(why));
}

/// Describes what is wrong with the shards that the key would be about, or that there are none.
pub(super) fn refuse_shards(model: &mut Model, why: &str) {
    let chosen = !model.table.marked.is_empty() || model.views.shown.shows_cursor();
    show_refusal(
        model,
        if chosen { why } else { "no shard is chosen in this view; choose one among the shards" },
    );
}

/// Returns those of the marked shards that are in fitting phases, or else the selected one where it can be seen.
pub(super) fn collect_targets(model: &Model, fits: impl Fn(PhaseKind) -> bool) -> Vec<usize> {
    let fits = |position: &usize| model.shard_at(*position).is_some_and(|shard| fits(shard.phase.kind()));
    if model.table.marked.is_empty() && !model.views.shown.shows_cursor() {
        return Vec::new();
    }
    model.table.target_shards().into_iter().filter(fits).collect()
}

pub(super) fn build_selection(model: &Model, targets: &[usize]) -> Selection {
    let id = |position: &usize| Some(model.shard_at(*position)?.id.clone());
    Selection::These(targets.iter().filter_map(id).collect::<Vec<ShardId>>())
}

pub(super) fn describe_targets(model: &Model, targets: &[usize]) -> String {
    match targets {
        [one] => model.shard_at(*one).map_or_else(String::new, |shard| shard.id.to_string()),
        many => plural(many.len(), "shard"),
    }
}

/// Asks before something is done to these shards; many must be counted out, and all that there are named.
pub(super) fn ask_confirmation(
    model: &mut Model,
    title: String,
    losses: Vec<String>,
    targets: &[usize],
    command: Command,
) {
    let not_over = model.state.shards.iter().filter(|shard| !shard.phase.kind().is_final()).count();
    let ends_all = matches!(command, Command::Kill { .. }) && targets.len() > 1 && targets.len() == not_over;
    let answer = if ends_all {
        Confirmation::Name { wanted: model.plan.name.clone(), typed: String::new() }
    } else if targets.len() > MANY {
        Confirmation::Number { wanted: targets.len(), typed: String::new() }
    } else {
        Confirmation::Yes
    };
    model.overlay = Overlay::Confirm(Question { title, losses, command, answer });
}

/// Lists what ending these shards costs: work done, memory given back.
pub(super) fn list_losses(readings: &[ShardRow<'_>]) -> Vec<String> {
    let live = readings.iter().filter(|reading| reading.state.phase.kind().is_active());
    let done: Vec<u64> =
        live.clone().filter_map(|reading| reading.progress()).map(|progress| progress.done).collect();
    let vram: u64 =
        live.clone().filter_map(|reading| reading.fresh_sample()?.vram_bytes).map(|bytes| bytes.0).sum();
    let count =
        |kind: PhaseKind| readings.iter().filter(|reading| reading.state.phase.kind() == kind).count();
    let mut lines = Vec::new();
    let active = live.count();
    if active > 0 {
        // Where no progress is known, a zero would mean that nothing is lost.
        let done =
            if done.is_empty() { String::new() } else { format!(" ({} done)", done.iter().sum::<u64>()) };
        lines.push(format!("{} under way: progress is lost{done}", plural(active, "attempt")));
    }
    if vram > 0 {
        lines.push(format!("{} of VRAM are freed", Bytes(vram)));
    }
    if count(PhaseKind::Queued) > 0 {
        lines.push(format!("{} queued: taken out", count(PhaseKind::Queued)));
    }
    lines
}

/// Describes the effect on the shards that use these services.
pub(super) fn service_losses(model: &Model, targets: &[usize]) -> Vec<String> {
    let services = targets.iter().filter_map(|position| model.service_at(*position));
    let users: usize = services.map(|service| model.state.users_of(service).count()).sum();
    let sentence = || format!("{} it now: ended, and queued again", who_uses(users));
    if users > 0 { vec![sentence()] } else { Vec::new() }
}

fn who_uses(users: usize) -> String {
    let verb = if users == 1 { "uses" } else { "use" };
    format!("{} {verb}", plural(users, "shard"))
}
