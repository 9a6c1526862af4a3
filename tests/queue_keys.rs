//! Keys about the queue and the whole run: what is asked before, and what is asked of the supervisor then.

#![allow(clippy::unwrap_used, reason = "tests say by panicking what is wrong")]

mod scene;

use jiff::tz::TimeZone;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use sweepdeck::model::claims::claim::Claim;
use sweepdeck::model::command::{Command, ControlReply, Selection};
use sweepdeck::model::ids::{AttemptNumber, ShardId};
use sweepdeck::model::priority::Priority;
use sweepdeck::model::state::fact::{Event, Fact};
use sweepdeck::model::state::phase::QueueCause;
use sweepdeck::model::units::Bytes;
use sweepdeck::tui::message::{Message, Request};
use sweepdeck::tui::model::overlays::overlay::{Overlay, Question};
use sweepdeck::tui::model::screen::{Model, ScreenAccess};
use sweepdeck::tui::once;
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::store;
use sweepdeck::tui::update::message::update;

const FRICTION_FLAT: usize = 0;
const STAIRS_FLAT: usize = 3;
const GRASS_ROUGH: usize = 5;

/// The busy scene with the cursor on a shard.
fn on(shard: usize) -> Model {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene::busy(folder.path());
    let mut model = once::read_model(&scene.run, (120, 40), scene::now(), TimeZone::UTC).unwrap();
    model.access = ScreenAccess::Acting;
    model.table.select_shard(shard);
    update(&mut model, Message::Resized(120, 40));
    model
}

fn press(model: &mut Model, keys: &str) -> Vec<Request> {
    let mut requests = Vec::new();
    for c in keys.chars() {
        let code = match c {
            '\n' => KeyCode::Enter,
            '\x1b' => KeyCode::Esc,
            '\x08' => KeyCode::Backspace,
            '↓' => KeyCode::Down,
            c => KeyCode::Char(c),
        };
        requests.extend(update(model, Message::Key(KeyEvent::new(code, KeyModifiers::NONE))));
    }
    requests
}

fn id(name: &str) -> ShardId {
    ShardId::new(name).unwrap()
}

fn these(names: &[&str]) -> Selection {
    Selection::These(names.iter().map(|name| id(name)).collect())
}

fn asked(model: &Model) -> &Question {
    let Overlay::Confirm(question) = &model.overlay else { panic!("nothing was asked: {:?}", model.overlay) };
    question
}

fn requeued(model: &mut Model, names: &[&str], at: i64) {
    let fact = |name: &&str| {
        Fact::new(
            model.now + std::time::Duration::from_secs(at.unsigned_abs()),
            Event::ShardQueued {
                shard: id(name),
                cause: QueueCause::User,
                by: None,
                not_before: None,
                demand: Default::default(),
                edit: None,
                step: None,
            },
        )
    };
    let facts = names.iter().map(fact).collect();
    update(model, Message::Facts(facts));
}

fn happens(model: &mut Model, event: Event) {
    let at = model.now;
    update(model, Message::Facts(vec![Fact::new(at, event)]));
}

fn queued(model: &Model) -> Vec<usize> {
    let is_queued = |position: &usize| model.state.shards[*position].phase.kind().as_str() == "queued";
    (0..model.state.shards.len()).filter(is_queued).collect()
}

#[test]
fn a_requeue_shows_what_will_run_again_and_what_is_kept_before_it_asks() {
    let mut model = on(STAIRS_FLAT);
    press(&mut model, "r");
    let question = asked(&model);
    assert!(
        question.losses[0].starts_with("stairs_flat: attempt 2, after 87 of 100 episodes"),
        "{question:?}"
    );
    assert!(question.losses.iter().any(|line| line.contains("1 earlier attempt kept")), "{question:?}");
    assert_eq!(press(&mut model, "\n"), [], "the answer without a thought is no");
    press(&mut model, "R");
    assert_eq!(asked(&model).title, "Requeue 1 failed shard?");
    assert!(asked(&model).losses[0].starts_with("stairs_flat: attempt 2"));
}

#[test]
fn u_takes_back_the_newest_requeue_as_a_whole_whichever_row_is_selected() {
    let mut model = on(STAIRS_FLAT);
    assert_eq!(press(&mut model, "u"), []);
    assert!(model.notice.as_ref().unwrap().bad, "where nothing can be taken back the key says so");
    requeued(&mut model, &["friction_flat"], 1);
    requeued(&mut model, &["stairs_flat", "grass_flat"], 2);
    let newest = Command::Undo { shards: these(&["grass_flat", "stairs_flat"]) };
    assert_eq!(press(&mut model, "u"), [Request::Send(newest.clone())], "the cursor is on one of the two");
    press(&mut model, "jj");
    assert_eq!(press(&mut model, "u"), [Request::Send(newest.clone())]);
    let reply = Ok(ControlReply::Done { shards: 2, notes: Vec::new() });
    update(&mut model, Message::Replied { command: newest, reply });
    assert_eq!(model.notice.as_ref().unwrap().text, "undo: as before the requeue: grass_flat, stairs_flat");
    let attempt = AttemptNumber(2);
    happens(
        &mut model,
        Event::AttemptStarting {
            shard: id("grass_flat"),
            attempt,
            gpus: Vec::new(),
            claim: Claim::default(),
            previous: None,
        },
    );
    let waiting = Command::Undo { shards: these(&["stairs_flat"]) };
    assert_eq!(press(&mut model, "u"), [Request::Send(waiting.clone())]);
    let reply = Ok(ControlReply::Done { shards: 1, notes: Vec::new() });
    update(&mut model, Message::Replied { command: waiting, reply });
    let told = &model.notice.as_ref().unwrap().text;
    assert_eq!(told, "undo: as before the requeue: stairs_flat; already started: grass_flat");
    model.table.select_shard(FRICTION_FLAT);
    let marked = Command::Undo { shards: these(&["friction_flat"]) };
    assert_eq!(press(&mut model, " u"), [Request::Send(marked)], "a mark chooses an older one");
}

#[test]
fn u_takes_back_no_older_requeue_in_place_of_the_newest() {
    let mut model = on(STAIRS_FLAT);
    requeued(&mut model, &["friction_flat"], 1);
    requeued(&mut model, &["stairs_flat"], 2);
    let attempt = AttemptNumber(2);
    let claim = Claim::default();
    happens(
        &mut model,
        Event::AttemptStarting { shard: id("stairs_flat"), attempt, gpus: Vec::new(), claim, previous: None },
    );
    assert_eq!(press(&mut model, "u"), []);
    let notice = &model.notice.as_ref().unwrap().text;
    assert!(notice.contains("has started (stairs_flat)"), "{notice}");
}

#[test]
fn capital_k_and_j_move_queued_shards_before_and_behind_the_others() {
    let mut model = on(0);
    let position = queued(&model)[0];
    let name = model.state.shards[position].id.clone();
    model.table.select_shard(position);
    let to = |priority| {
        let shards = Selection::These(vec![name.clone()]);
        [Request::Send(Command::SetPriority { shards, priority: Priority(priority) })]
    };
    assert_eq!(press(&mut model, "K"), to(1));
    assert_eq!(press(&mut model, "J"), to(-1));
    let event = Event::PriorityChanged { shard: name.clone(), priority: Priority(1), by: None };
    happens(&mut model, event);
    assert_eq!(press(&mut model, "K"), to(2));
    let (theme, _) = store::load_or_default(None, Depth::None, false);
    assert!(
        once::buffer_to_text(&once::draw_model(&model, &theme)).contains("queued +1"),
        "the table says so"
    );
    assert_eq!(press(&mut on(GRASS_ROUGH), "K"), [], "a running shard has no place in the queue");
}

#[test]
fn the_whole_sweep_is_ended_only_by_its_name() {
    let mut model = on(0);
    let name = model.plan.name.clone();
    for no in ["X\n", "Xy\n", "X\x1b"] {
        assert_eq!(press(&mut model, no), [], "{no:?}");
        assert_eq!(model.overlay, Overlay::None, "{no:?}");
    }
    press(&mut model, "X");
    assert!(
        asked(&model).losses.iter().any(|line| line.contains("of VRAM are freed")),
        "{:?}",
        asked(&model)
    );
    let stop = [Request::Send(Command::Stop { now: true })];
    assert_eq!(press(&mut model, &format!("{name}z\x08\n")), stop);
    press(&mut model, "*x");
    let kill = press(&mut model, &format!("{name}\n"));
    assert!(
        matches!(kill[..], [Request::Send(Command::Kill { .. })]),
        "all that is not over is the whole sweep: {kill:?}"
    );
    assert_eq!(press(&mut model, "Dn"), []);
    assert_eq!(press(&mut model, "Dy"), [Request::Send(Command::Stop { now: false })]);
    assert_eq!(press(&mut model, "C"), [], "what was not stopped goes on already");
    let event = Event::StopRequested { now: false, by: None, job: None };
    happens(&mut model, event);
    assert_eq!(press(&mut model, "C"), [Request::Send(Command::Continue)]);
}

#[test]
fn the_vram_reserve_is_typed_and_a_text_that_is_no_size_is_not_sent() {
    let mut model = on(0);
    press(&mut model, "v");
    for _ in 0..20 {
        press(&mut model, "\x08");
    }
    assert_eq!(press(&mut model, "6 bananas\n"), []);
    let Overlay::Form(form) = &model.overlay else { panic!("the form stays open") };
    assert!(form.outlook.error.as_ref().unwrap().contains("a size such as"), "{form:?}");
    let vram = Bytes(6 << 30);
    assert_eq!(
        press(&mut model, "\x08\x08\x08\x08\x08\x08\x08GiB\n"),
        [Request::Send(Command::SetReserve { vram })]
    );
    assert_eq!(model.overlay, Overlay::None);
}

#[test]
fn one_ended_shard_is_edited_with_a_look_at_its_command_before_the_question() {
    let mut model = on(STAIRS_FLAT);
    press(&mut model, "E");
    let Overlay::Form(form) = &model.overlay else { panic!("no form: {:?}", model.overlay) };
    assert!(form.outlook.changes.is_empty());
    assert_eq!(press(&mut model, "\n"), [], "without a change nothing is asked");
    let Overlay::Form(form) = &model.overlay else { panic!("the form stays open") };
    assert!(form.outlook.error.as_ref().unwrap().contains("nothing is changed"), "{form:?}");
    press(&mut model, "\x082");
    let Overlay::Form(form) = &model.overlay else { panic!("the form stays open") };
    assert_eq!(form.outlook.changes.len(), 1, "{form:?}");
    assert!(form.outlook.command.as_ref().unwrap().contains(&form.fields[0].text), "{form:?}");
    press(&mut model, "\n");
    assert!(asked(&model).losses.iter().any(|line| line.starts_with("runs: ")), "{:?}", asked(&model));
    assert_eq!(press(&mut model, "\n"), [], "no is the answer without a thought");
    press(&mut model, "E↓↓↓↓↓↓↓SEED=7\n");
    let sent = press(&mut model, "y");
    let [Request::Send(Command::RequeueEdited { shard, edit })] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(
        (shard.as_str(), edit.to_lines()),
        ("stairs_flat", vec!["$SEED: (not in the sweep) → 7".to_owned()])
    );
    let mut running = on(GRASS_ROUGH);
    press(&mut running, "E");
    assert_eq!(running.overlay, Overlay::None, "what runs cannot be edited");
}

#[test]
fn readers_have_none_of_these_keys_by_no_way() {
    for access in [ScreenAccess::ReadOnly, ScreenAccess::Replaying] {
        let mut model = on(STAIRS_FLAT);
        model.access = access;
        requeued(&mut model, &["friction_flat"], 1);
        assert_eq!(press(&mut model, "EuKJvDXCS"), []);
        assert_eq!(model.overlay, Overlay::None, "{access:?}");
        for name in
            ["edit", "undo", "raise", "vram-reserve", "drain", "end-all", "continue", "take a requeue"]
        {
            press(&mut model, ":");
            assert_eq!(press(&mut model, &format!("{name}\n")), [], "{access:?} {name}");
            assert!(!matches!(model.overlay, Overlay::Confirm(_) | Overlay::Form(_)), "{access:?} {name}");
            press(&mut model, "\x1b\x1b");
        }
        let (theme, _) = store::load_or_default(None, Depth::None, false);
        press(&mut model, "?");
        let help = once::buffer_to_text(&once::draw_model(&model, &theme));
        assert!(!help.contains("end the whole sweep"), "{help}");
    }
}
