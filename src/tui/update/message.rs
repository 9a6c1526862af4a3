//! One message: news of the run, a key, a tick.

use super::{keys, log, mouse, own, typing};
use crate::model::ids::AttemptKey;
use crate::model::logs::mark::Mark;
use crate::model::machine::sample::ShardSample;
use crate::model::state::fact::{Event, Fact};
use crate::model::state::run_state::RunState;
use crate::model::sweep::node_spec::NodeId;
use crate::tui::layout::{clamp_size, layout_areas};
use crate::tui::message::{MachineNews, Message, Request};
use crate::tui::model::events::Events;
use crate::tui::model::hardware::machine::MachineHistory;
use crate::tui::model::logs::log::LogChange;
use crate::tui::model::overlays::overlay::{Notice, Overlay};
use crate::tui::model::screen::{Model, Pane, Supervision};
use crate::tui::model::shards::track::Track;
use crate::tui::update::acting;

/// Takes a message into account and returns what is to be done outside.
pub fn update(model: &mut Model, message: Message) -> Vec<Request> {
    let requests = match message {
        Message::Key(event) => keys::handle_key(model, event),
        Message::Pasted(text) => typing::paste_text(model, &text),
        Message::Mouse(event) => mouse::handle_mouse(model, event),
        Message::LogFound { key, found } if model.log.key.as_ref() == Some(&key) => {
            log::handle_found(model, found)
        }
        other => {
            let has_facts = matches!(other, Message::Facts(_) | Message::Rewound(_));
            apply_message(model, other);
            if has_facts {
                model.update_derived();
            }
            Vec::new()
        }
    };
    sync_view(model);
    requests
}

/// Takes the content of files ahead of a tick, which counts all shards once and not after each message.
pub fn learn_before_tick(model: &mut Model, messages: impl IntoIterator<Item = Message>) {
    messages.into_iter().for_each(|message| apply_message(model, message));
    sync_view(model);
}

fn apply_message(model: &mut Model, message: Message) {
    match message {
        Message::Key(_) | Message::Mouse(_) | Message::Pasted(_) | Message::LogFound { .. } => {}
        Message::Resized(columns, rows) => model.size = clamp_size((columns, rows)),
        Message::Tick { now, bytes } => apply_tick(model, now, bytes),
        Message::Moment(now) => {
            model.now = now;
            model.update_derived();
        }
        Message::Facts(facts) => take_facts(model, &facts),
        Message::Rewound(facts) => {
            model.state = RunState::default();
            model.tracks.clear();
            model.service_tracks.clear();
            model.machine = MachineHistory::default();
            model.node_machines.values_mut().for_each(|machine| *machine = MachineHistory::default());
            model.events = Events::default();
            model.trouble = None;
            take_facts(model, &facts);
        }
        Message::Marks { key, restarted, marks } => take_marks(model, &key, restarted, &marks),
        Message::Machine { node, news } => take_machine_news(model, node.as_ref(), news),
        Message::Waiting(waiting) => model.machine.waiting = Some(waiting),
        Message::Unwritten(unwritten) => model.machine.unwritten = unwritten,
        Message::Log { key, change } => {
            if model.log.key.as_ref() == Some(&key) {
                let is_jump = matches!(change, LogChange::Around { .. });
                model.log.apply_change(change, model.now);
                if is_jump {
                    model.log.jump_to_target(layout_areas(model).log_page());
                }
            }
        }
        Message::Supervisor(seen) => {
            model.supervision = match (seen, model.supervision) {
                (Supervision::Missing { .. }, Supervision::Missing { looks }) => {
                    Supervision::Missing { looks: looks.saturating_add(1) }
                }
                (Supervision::Missing { .. }, Supervision::Alive { .. }) => Supervision::Missing { looks: 1 },
                (alive @ Supervision::Alive { .. }, _) => alive,
            }
        }
        Message::Replied { command, reply } => acting::report_reply(model, &command, reply),
        Message::OwnEnded { run, result } => own::report_end(model, &run, result),
        Message::LastOutput { key, at } => {
            if let Some(track) = current_track(model, &key) {
                track.last_output = Some(at);
            }
        }
        Message::Report(path) => model.report = Some(path),
        Message::Trouble(text) => model.trouble = Some(text),
        Message::Themes(chooser) => model.overlay = Overlay::Themes(chooser),
        Message::Told { text, bad } => {
            model.notice = Some(if bad { Notice::bad(text) } else { Notice::good(text) });
        }
    }
}

fn take_machine_news(model: &mut Model, node: Option<&NodeId>, news: MachineNews) {
    let machine = match node {
        Some(node) => model.node_machines.entry(node.clone()).or_default(),
        None => &mut model.machine,
    };
    match news {
        MachineNews::Inventory(inventory) => machine.inventory = Some(inventory),
        MachineNews::Health(health) => machine.take_health(health),
        MachineNews::Gpus(samples) => machine.take_gpus(samples),
        MachineNews::Host(samples) => machine.take_host(samples),
        MachineNews::Past { gpus, host } => machine.take_past(gpus, host),
        MachineNews::Shards(samples) => take_samples(model, samples),
    }
}

fn apply_tick(model: &mut Model, now: jiff::Timestamp, bytes: u64) {
    model.now = now;
    model.bytes_per_second = Some(bytes);
    model.bytes_sent = model.bytes_sent.saturating_add(bytes);
    if let Some(notice) = &mut model.notice {
        notice.ticks = notice.ticks.saturating_sub(1);
    }
    model.notice.take_if(|notice| notice.ticks == 0);
    model.update_derived();
    model.settle_cursor();
}

fn take_facts(model: &mut Model, facts: &[Fact]) {
    for fact in facts {
        if let Err(error) = model.state.apply_fact(fact) {
            model.trouble = Some(error.to_string());
            break;
        }
    }
    model.add_node_machines();
    let parallel = model.state.parallel;
    model.asked_parallel.take_if(|asked| *asked == parallel);
    model.plan.catch_up(&model.state);
    model.tracks.resize_with(model.state.shards.len(), Track::default);
    note_pauses(model, facts);
    model.service_tracks.resize_with(model.state.services.len(), Track::default);
    model.events.add_facts(facts, &model.zone);
}

/// Notes pauses, because the silence of a paused shard does not count as silence.
fn note_pauses(model: &mut Model, facts: &[Fact]) {
    for fact in facts {
        let (Event::AttemptPaused { shard, attempt, .. } | Event::AttemptResumed { shard, attempt, .. }) =
            &fact.event
        else {
            continue;
        };
        let key = AttemptKey { shard: shard.clone(), attempt: *attempt };
        let Some(track) = current_track(model, &key) else { continue };
        if matches!(fact.event, Event::AttemptPaused { .. }) {
            track.pace.pause(fact.at);
        } else {
            track.pace.resume(fact.at);
        }
    }
}

fn take_marks(model: &mut Model, key: &AttemptKey, restarted: bool, marks: &[Mark]) {
    let Some(track) = current_track(model, key) else { return };
    if restarted {
        track.restart();
    }
    for mark in marks {
        track.apply_mark(mark);
    }
}

fn take_samples(model: &mut Model, samples: Vec<ShardSample>) {
    for sample in samples {
        let key = AttemptKey { shard: sample.shard.clone(), attempt: sample.attempt };
        if let Some(track) = current_track(model, &key) {
            track.sample = Some(sample);
        }
    }
}

/// The track of an attempt, unless a newer attempt has taken its place.
fn current_track<'a>(model: &'a mut Model, key: &AttemptKey) -> Option<&'a mut Track> {
    let service = || model.state.services.iter().position(|service| *service.id() == key.shard);
    let track = match model.state.position(&key.shard) {
        Some(position) => model.tracks.get_mut(position)?,
        None => model.service_tracks.get_mut(service()?)?,
    };
    if track.attempt.is_some_and(|known| known > key.attempt) {
        return None;
    }
    track.turn_to(key.attempt);
    Some(track)
}

/// Brings scrolling and the shown log in line with everything else.
fn sync_view(model: &mut Model) {
    let areas = layout_areas(model);
    if !areas.focusable_panes().contains(&model.focus) {
        model.focus = Pane::Shards;
    }
    model.table.scroll_to_cursor(areas.table_page());
    let wanted = model.selected_attempt();
    if model.log.key != wanted {
        model.log.turn_to(wanted);
    }
    model.log.hits.refresh(&model.log.lines, &model.log.wishes.search);
    if !model.log.is_following() && model.log.wishes.only {
        model.log.scroll(0, areas.log_page());
    }
}
