//! Keys and what they do: a scene, some keys, and what is asked of the supervisor or shown then.

#![allow(clippy::unwrap_used, reason = "tests say by panicking what is wrong")]

mod scene;

use std::time::Duration;

use jiff::tz::TimeZone;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use sweepdeck::model::command::{Command, ControlReply, RefusalKind, Selection};
use sweepdeck::model::ids::{AttemptNumber, ShardId};
use sweepdeck::model::needs::demand::Demand;
use sweepdeck::model::state::fact::{Condition, Event, Fact};
use sweepdeck::model::state::phase::{Phase, QueueCause};
use sweepdeck::tui::layout::layout_areas;
use sweepdeck::tui::message::{Message, Request};
use sweepdeck::tui::model::overlays::overlay::Overlay;
use sweepdeck::tui::model::overlays::palette::Palette;
use sweepdeck::tui::model::overlays::theme_chooser::{ThemeChooser, ThemeKind, ThemeLine, ThemeRequest};
use sweepdeck::tui::model::playback::Playback;
use sweepdeck::tui::model::screen::{Model, Pane, ScreenAccess};
use sweepdeck::tui::model::shards::columns;
use sweepdeck::tui::model::views::View;
use sweepdeck::tui::once;
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::file::ThemeGround;
use sweepdeck::tui::theme::store;
use sweepdeck::tui::update::message::update;

const STAIRS_FLAT: usize = 3;
const GRASS_ROUGH: usize = 5;
const BOULDER_ROUGH: usize = 6;
const STAIRS_ROUGH: usize = 7;

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
        let (code, modifiers) = match c {
            '\n' => (KeyCode::Enter, KeyModifiers::NONE),
            '\t' => (KeyCode::Tab, KeyModifiers::NONE),
            '\x1b' => (KeyCode::Esc, KeyModifiers::NONE),
            '\x08' => (KeyCode::Backspace, KeyModifiers::NONE),
            '\x03' => (KeyCode::Char('c'), KeyModifiers::CONTROL),
            c => (KeyCode::Char(c), KeyModifiers::NONE),
        };
        requests.extend(update(model, Message::Key(KeyEvent::new(code, modifiers))));
    }
    requests
}

fn these(ids: &[&str]) -> Selection {
    Selection::These(ids.iter().map(|id| ShardId::new(*id).unwrap()).collect())
}

#[test]
fn p_pauses_what_runs_and_resumes_what_is_paused() {
    let pause = Command::Pause { shards: these(&["grass_rough"]) };
    assert_eq!(press(&mut on(GRASS_ROUGH), "p"), [Request::Send(pause)]);
    let resume = Command::Resume { shards: these(&["stairs_rough"]) };
    assert_eq!(press(&mut on(STAIRS_ROUGH), "p"), [Request::Send(resume)]);
    let mut model = on(STAIRS_FLAT);
    assert_eq!(press(&mut model, "p"), []);
    assert!(model.notice.unwrap().bad, "a key that does nothing says why");
}

#[test]
fn killing_needs_a_yes_and_anything_else_is_a_no() {
    let kill = Command::Kill { shards: these(&["grass_rough"]) };
    assert_eq!(press(&mut on(GRASS_ROUGH), "xy"), [Request::Send(kill)]);
    for no in ["xn", "x\n", "x\x1b", "xx", "x "] {
        let mut model = on(GRASS_ROUGH);
        assert_eq!(press(&mut model, no), [], "{no:?}");
        assert_eq!(model.overlay, Overlay::None, "{no:?}");
    }
}

#[test]
fn the_question_names_what_is_lost() {
    let mut model = on(GRASS_ROUGH);
    press(&mut model, "x");
    let Overlay::Confirm(question) = &model.overlay else { panic!("nothing was asked") };
    assert_eq!(question.title, "Kill grass_rough?");
    let losses = ["1 attempt under way: progress is lost (48 done)", "21.3 GiB of VRAM are freed"];
    assert_eq!(question.losses, losses);
}

#[test]
fn marks_come_before_the_cursor_and_vanish_when_they_are_used() {
    let mut model = on(4);
    let kill = Command::Kill { shards: these(&["friction_rough", "grass_rough"]) };
    press(&mut model, " ");
    model.table.select_shard(GRASS_ROUGH);
    assert_eq!(press(&mut model, " xy"), [Request::Send(kill)]);
    assert!(model.table.marked.is_empty());
}

#[test]
fn ranges_and_all_that_a_filter_shows_can_be_marked_and_marks_cleared() {
    let mut model = on(0);
    press(&mut model, "/rough\ng");
    let mut first: Vec<usize> = model.table.rows[..3].to_vec();
    first.sort_unstable();
    let ids: Vec<&str> = first.iter().map(|position| model.state.shards[*position].id.as_str()).collect();
    let kill = Command::Kill { shards: these(&ids) };
    assert_eq!(press(&mut model, " jVxy"), [Request::Send(kill)]);
    press(&mut model, "\x1b/env=stairs\nM");
    assert_eq!(model.table.target_shards().len(), 3);
    press(&mut model, "U");
    assert_eq!(model.table.target_shards(), [model.table.selected_position().unwrap()]);
}

#[test]
fn more_than_ten_shards_must_be_counted_out() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..30).map(|number| format!("e{number}_flat")).collect();
    let scene = scene::Scene::new(folder.path(), "many", &names, 4, 100).write();
    let mut model = once::read_model(&scene.run, (120, 40), scene::now(), TimeZone::UTC).unwrap();
    model.access = ScreenAccess::Acting;
    // All but one: the whole sweep asks for its name.
    assert_eq!(press(&mut model, "* xy"), [], "`y` is not enough for so many");
    assert_eq!(press(&mut model, "x28\n"), [], "a wrong number is a no");
    let requests = press(&mut model, "x3\x0829\n");
    assert!(
        matches!(&requests[..], [Request::Send(Command::Kill { shards: Selection::These(ids) })] if ids.len() == 29)
    );
}

#[test]
fn requeue_asks_too_and_r_with_shift_means_all_failed() {
    let requeue = Command::Requeue { shards: these(&["stairs_flat"]) };
    assert_eq!(press(&mut on(STAIRS_FLAT), "ry"), [Request::Send(requeue)]);
    let all = Command::Requeue { shards: Selection::Failed };
    assert_eq!(press(&mut on(0), "Ry"), [Request::Send(all)]);
    assert_eq!(press(&mut on(GRASS_ROUGH), "ry"), [], "a running shard cannot be requeued");
}

#[test]
fn the_parallel_limit_moves_by_one() {
    assert_eq!(press(&mut on(0), "+"), [Request::Send(Command::SetParallel { parallel: 7 })]);
    assert_eq!(press(&mut on(0), "-"), [Request::Send(Command::SetParallel { parallel: 5 })]);
    let quickly = [7, 8, 7].map(|parallel| Request::Send(Command::SetParallel { parallel }));
    assert_eq!(press(&mut on(0), "++-"), quickly, "each press counts from the one before");
}

#[test]
fn only_a_shard_that_runs_has_a_terminal() {
    assert_eq!(press(&mut on(GRASS_ROUGH), "e"), [Request::Enter(ShardId::new("grass_rough").unwrap())]);
    assert_eq!(press(&mut on(STAIRS_FLAT), "e"), []);
}

#[test]
fn readers_can_look_at_everything_and_ask_for_nothing() {
    let mut model = on(GRASS_ROUGH);
    model.access = ScreenAccess::ReadOnly;
    assert_eq!(press(&mut model, "pxyryRye+- xy"), []);
    assert_eq!(model.overlay, Overlay::None);
    press(&mut model, "\n");
    assert!(matches!(model.overlay, Overlay::Details { .. }));
}

#[test]
fn no_key_acts_where_no_question_could_be_seen() {
    let mut model = on(GRASS_ROUGH);
    model.size = (30, 5);
    assert_eq!(press(&mut model, "pxyryRye+- xy"), []);
}

#[test]
fn a_filter_narrows_while_it_is_typed_and_esc_takes_it_back() {
    let mut model = on(0);
    press(&mut model, "/rough");
    assert_eq!(model.table.visible.len(), 4);
    press(&mut model, " !stalled");
    assert_eq!(model.table.visible.len(), 3);
    press(&mut model, "\x1b");
    assert_eq!(model.table.visible.len(), 12);
    press(&mut model, "/env=stairs\n");
    assert_eq!((model.table.visible.len(), &model.overlay), (3, &Overlay::None));
    press(&mut model, "f");
    assert_eq!(model.table.visible, [STAIRS_FLAT]);
    press(&mut model, "\x1b\x1b");
    assert_eq!(model.table.visible.len(), 12);
    press(&mut model, "/incomplete\n");
    assert_eq!(model.table.visible, [STAIRS_FLAT], "the reason is looked at too");
}

#[test]
fn esc_goes_back_one_level_and_never_out() {
    let mut model = on(0);
    press(&mut model, " \t\n");
    assert!(matches!(model.overlay, Overlay::Details { .. }));
    assert_eq!(press(&mut model, "\x1b"), []);
    assert_eq!((&model.overlay, model.focus), (&Overlay::None, Pane::Log));
    press(&mut model, "\x1b");
    assert_eq!((model.focus, model.table.marked.len()), (Pane::Shards, 1));
    press(&mut model, "\x1b");
    assert!(model.table.marked.is_empty());
    assert_eq!(press(&mut model, "\x1b\x1b\x1b"), []);
}

#[test]
fn q_and_ctrl_c_leave_but_q_only_closes_what_lies_on_top() {
    assert_eq!(press(&mut on(0), "q"), [Request::Leave]);
    assert_eq!(press(&mut on(0), "\n\x03"), [Request::Leave]);
    assert_eq!(press(&mut on(0), "/x\x03"), [Request::Leave]);
    let mut model = on(0);
    assert_eq!(press(&mut model, "?q"), []);
    assert_eq!(press(&mut model, "q"), [Request::Leave]);
}

#[test]
fn pasted_text_never_acts() {
    let mut model = on(GRASS_ROUGH);
    assert_eq!(update(&mut model, Message::Pasted("xyq".to_owned())), []);
    assert_eq!(model.overlay, Overlay::None);
    press(&mut model, "/");
    update(&mut model, Message::Pasted("teach\ner".to_owned()));
    assert_eq!(model.table.filter.text(), "teacher");
}

#[test]
fn esc_and_a_key_in_one_packet_act_on_nothing() {
    let mut model = on(GRASS_ROUGH);
    let event = KeyEvent::new(KeyCode::Char('p'), KeyModifiers::ALT);
    assert_eq!(update(&mut model, Message::Key(event)), []);
}

#[test]
fn a_yes_with_esc_or_control_is_a_no() {
    for modifiers in [KeyModifiers::ALT, KeyModifiers::CONTROL] {
        let mut model = on(GRASS_ROUGH);
        press(&mut model, "x");
        let event = KeyEvent::new(KeyCode::Char('y'), modifiers);
        assert_eq!(update(&mut model, Message::Key(event)), [], "{modifiers:?}");
        assert_eq!(model.overlay, Overlay::None, "{modifiers:?}");
    }
}

#[test]
fn what_is_asked_and_cannot_be_seen_any_more_is_closed_and_not_answered() {
    for (shard, open, answer) in [(GRASS_ROUGH, "x", "y"), (0, "X", "h100_eval\n"), (0, "v", "\n")] {
        let mut model = on(shard);
        press(&mut model, open);
        assert_ne!(model.overlay, Overlay::None, "{open} opens something");
        update(&mut model, Message::Resized(30, 5));
        let first: String = answer.chars().take(1).collect();
        assert_eq!(press(&mut model, &first), [], "{open}");
        assert_eq!(model.overlay, Overlay::None, "{open}");
    }
}

#[test]
fn what_was_done_is_told_and_kept_among_the_events() {
    let mut model = on(0);
    let command = Command::SetParallel { parallel: 7 };
    let reply = Ok(ControlReply::Done { shards: 0, notes: Vec::new() });
    update(&mut model, Message::Replied { command: command.clone(), reply });
    assert_eq!(model.events.lines.back().unwrap().text, "you: parallel limit 7");
    let refused = ControlReply::Refused { kind: RefusalKind::Unusable, message: "no such luck".to_owned() };
    update(&mut model, Message::Replied { command, reply: Ok(refused) });
    let notice = model.notice.as_ref().unwrap();
    assert!(notice.bad && notice.text.contains("no such luck"));
}

#[test]
fn old_readings_count_as_unknown() {
    let mut model = on(GRASS_ROUGH);
    assert!(model.selected_shard().unwrap().vram().is_some());
    let later = scene::now() + Duration::from_secs(10);
    update(&mut model, Message::Tick { now: later, bytes: 0 });
    let reading = model.selected_shard().unwrap();
    assert_eq!((reading.vram(), reading.cpu()), (None, None));
}

#[test]
fn the_palette_does_what_the_key_does_and_asks_as_the_key_does() {
    let mut by_key = on(GRASS_ROUGH);
    press(&mut by_key, "x");
    let mut by_name = on(GRASS_ROUGH);
    assert_eq!(press(&mut by_name, ":kill\n"), []);
    assert_eq!(by_name.overlay, by_key.overlay);
    assert_eq!(press(&mut by_name, "\n"), [], "Enter once more is no");
    let pause = Command::Pause { shards: these(&["grass_rough"]) };
    assert_eq!(press(&mut on(GRASS_ROUGH), ":pause\n"), [Request::Send(pause)]);
}

#[test]
fn the_palette_of_readers_has_nothing_that_acts() {
    let mut model = on(GRASS_ROUGH);
    model.access = ScreenAccess::ReadOnly;
    for typed in [":kill\n", ":pause\n", ":requeue\n", ":x\n"] {
        assert_eq!(press(&mut model, typed), [], "{typed:?}");
        assert!(!matches!(model.overlay, Overlay::Confirm(_)), "{typed:?}");
        press(&mut model, "\x1b\x1b");
    }
}

#[test]
fn esc_leaves_the_palette_and_pasted_text_only_searches() {
    let mut model = on(GRASS_ROUGH);
    press(&mut model, ":pau");
    assert_eq!(update(&mut model, Message::Pasted("se\n".to_owned())), []);
    assert_eq!(model.overlay, Overlay::Palette(Palette { typed: "pause".to_owned(), chosen: 0 }));
    assert_eq!(press(&mut model, "\x1b"), []);
    assert_eq!(model.overlay, Overlay::None);
}

#[test]
fn a_row_that_no_longer_passes_leaves_the_table() {
    let mut model = on(0);
    press(&mut model, "f");
    assert_eq!(model.table.visible, [STAIRS_FLAT]);
    let at = model.now;
    let event = Event::ShardQueued {
        shard: ShardId::new("stairs_flat").unwrap(),
        cause: QueueCause::User,
        by: None,
        not_before: None,
        demand: Demand::default(),
        edit: None,
        step: None,
    };
    update(&mut model, Message::Facts(vec![Fact::new(at, event)]));
    assert!(model.table.visible.is_empty(), "it has not failed any more");
    press(&mut model, "f/running\n");
    press(&mut model, "g");
    let position = model.table.selected_position().unwrap();
    let running = model.state.shards[position].id.clone();
    let attempt = model.state.shards[position].attempt.unwrap();
    let event = Event::AttemptPaused { shard: running.clone(), attempt, by: None };
    update(&mut model, Message::Facts(vec![Fact::new(at, event)]));
    assert!(!model.table.visible.contains(&position), "{running} is paused and was under the cursor");
}

#[test]
fn a_filter_belongs_to_the_list_in_view() {
    let mut model = on(0);
    press(&mut model, "5/stairs");
    assert_eq!((model.table.visible.len(), model.table.filter.text()), (12, ""));
    let shown: Vec<&str> = model.events.shown_lines().map(|line| line.text.as_str()).collect();
    assert!(!shown.is_empty() && shown.iter().all(|text| text.contains("stairs")), "{shown:?}");
    press(&mut model, "\n1/rough\n5");
    assert_eq!((model.events.filter.text(), model.table.filter.text()), ("stairs", "rough"));
    press(&mut model, "\x1b");
    assert!(model.events.filter.is_empty() && !model.table.filter.is_empty(), "Esc clears the one in view");
    press(&mut model, "4/");
    assert_eq!(model.overlay, Overlay::None, "GPUs have no filter");
    assert!(model.notice.unwrap().bad);
}

#[test]
fn a_key_that_does_nothing_is_answered() {
    let mut model = on(GRASS_ROUGH);
    press(&mut model, "Q");
    assert_eq!(model.notice.as_ref().unwrap().text, "Q does nothing here; ? lists the keys");
    press(&mut model, ",");
    assert_eq!(model.notice.as_ref().unwrap().text, ", (back) does nothing: only a replay has it");
    model.access = ScreenAccess::ReadOnly;
    press(&mut model, "x");
    assert_eq!(model.notice.as_ref().unwrap().text, "x (kill) does nothing: this screen is read-only");
    model.access = ScreenAccess::Replaying;
    press(&mut model, "x");
    assert_eq!(model.notice.as_ref().unwrap().text, "x (kill) does nothing: the run of a replay is over");
}

#[test]
fn what_needs_the_user_comes_first_and_the_cursor_begins_there() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene::busy(folder.path());
    let mut model = once::read_model(&scene.run, (120, 40), scene::now(), TimeZone::UTC).unwrap();
    let kinds = |model: &Model| {
        let of = |position: &usize| model.state.shards[*position].phase.kind().as_str();
        model.table.rows.iter().map(of).collect::<Vec<_>>()
    };
    let expected = ["failed", "running", "running", "running", "running", "running", "paused"];
    let mut begin = kinds(&model)[..7].to_vec();
    begin.sort_unstable();
    let mut wanted = expected.to_vec();
    wanted.sort_unstable();
    assert_eq!(begin, wanted);
    assert_eq!(kinds(&model)[7..], ["queued", "queued", "succeeded", "succeeded", "succeeded"]);
    assert_eq!(model.table.rows[..2], [STAIRS_FLAT, BOULDER_ROUGH], "failed, then stuck");
    let left: Vec<_> =
        model.table.rows[2..7].iter().map(|at| model.reading(*at).unwrap().time_left()).collect();
    assert!(left.is_sorted_by(|one, other| one >= other), "the least time left last: {left:?}");
    assert_eq!(model.table.selected_position(), Some(STAIRS_FLAT));
    let at = model.now;
    let shard = ShardId::new("boulder_rough").unwrap();
    let (attempt, condition) = (AttemptNumber(1), Some(Condition::NeedsInput));
    let event = Event::ConditionChanged { shard, attempt, condition, since: None };
    update(&mut model, Message::Facts(vec![Fact::new(at, event)]));
    assert_eq!(model.table.rows[..2], [BOULDER_ROUGH, STAIRS_FLAT]);
    assert_eq!(model.table.selected_position(), Some(STAIRS_FLAT), "the cursor stays with its shard");
}

#[test]
fn a_cursor_that_was_never_moved_leaves_a_shard_that_has_succeeded() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene::busy(folder.path());
    for (keys, expected) in [("", BOULDER_ROUGH), ("2", BOULDER_ROUGH), ("jk", STAIRS_FLAT)] {
        let mut model = once::read_model(&scene.run, (120, 40), scene::now(), TimeZone::UTC).unwrap();
        press(&mut model, keys);
        let shard = &mut model.state.shards[STAIRS_FLAT];
        let Phase::Failed { ended, .. } = &shard.phase else { panic!("it failed") };
        shard.phase = Phase::Succeeded(ended.clone());
        for _ in 0..2 {
            update(&mut model, Message::Tick { now: scene::now(), bytes: 0 });
        }
        assert_eq!(model.table.selected_position(), Some(expected), "{keys:?}");
    }
}

#[test]
fn any_column_sorts_by_key_by_name_and_in_the_list_of_columns() {
    let mut model = on(0);
    press(&mut model, ":sort by vram\n");
    let vram = |model: &Model| model.table.rows[0];
    assert_eq!(vram(&model), GRASS_ROUGH, "it holds the most");
    press(&mut model, "I");
    assert_ne!(vram(&model), GRASS_ROUGH);
    press(&mut model, ":what needs you\n");
    assert_eq!(model.table.sort, None);
    press(&mut model, "OO");
    assert_eq!(model.table.sort.as_ref().map(|sort| sort.column.title()), Some("shard"));
    assert_eq!(model.table.rows[0], 2, "boulder_flat, by the alphabet");
    press(&mut model, "cj\n");
    assert_eq!(model.table.sort.as_ref().map(|sort| sort.column.title()), Some("policy"));
    assert!(matches!(model.overlay, Overlay::Columns { .. }), "sorting leaves the list open");
}

#[test]
fn columns_are_put_away_and_asked_for_and_that_is_kept() {
    let mut model = on(0);
    let at = |model: &Model, name: &str| {
        let all = columns::all_columns(model);
        all.iter().position(|column| column.name() == name).unwrap()
    };
    let down = "j".repeat(at(&model, "VRAM"));
    let requests = press(&mut model, &format!("c{down} "));
    let Some(Request::KeepColumns(choice)) = requests.last() else { panic!("{requests:?}") };
    assert!(choice.hidden.contains("VRAM"));
    assert!(columns::place_columns(&model, 116).iter().all(|placed| placed.column.name() != "VRAM"));
    press(&mut model, "\x1b");
    let down = "j".repeat(at(&model, "remark"));
    press(&mut model, &format!("c{down} "));
    assert!(columns::place_columns(&model, 116).iter().any(|placed| placed.column.name() == "remark"));
}

#[test]
fn d_hides_what_has_succeeded() {
    let mut model = on(0);
    press(&mut model, "d");
    assert_eq!(model.table.rows.len(), 9);
    press(&mut model, "f");
    assert_eq!(model.table.visible, [STAIRS_FLAT]);
    press(&mut model, "f");
    assert_eq!(model.table.rows.len(), 12);
}

#[test]
fn killing_several_names_them_and_those_that_are_hidden() {
    let mut model = on(GRASS_ROUGH);
    press(&mut model, " ");
    model.table.select_shard(STAIRS_ROUGH);
    press(&mut model, " /grass\nx");
    let Overlay::Confirm(question) = &model.overlay else { panic!("nothing was asked") };
    assert_eq!(question.losses[..2], ["grass_rough, stairs_rough", "hidden by the filter: stairs_rough"]);
}

#[test]
fn the_mouse_selects_rows_views_and_headings_and_its_wheel_scrolls() {
    let mut model = on(STAIRS_FLAT);
    let at =
        |kind, column, row| Message::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
    let click = |model: &mut Model, column, row| {
        update(model, at(MouseEventKind::Down(MouseButton::Left), column, row));
    };
    let table = layout_areas(&model).table;
    click(&mut model, 20, table.y + 4);
    assert_eq!(model.table.cursor, 2);
    update(&mut model, at(MouseEventKind::ScrollDown, 20, table.y + 4));
    assert_eq!(model.table.cursor, 5);
    click(&mut model, 4, table.y + 1);
    assert_eq!(model.table.sort.as_ref().map(|sort| sort.column.title()), Some("state"));
    let log = layout_areas(&model).log;
    click(&mut model, log.x + 3, log.y + 2);
    assert_eq!(model.focus, Pane::Log);
    let views = layout_areas(&model).views;
    click(&mut model, 13, views.y);
    assert_eq!(model.views.shown, View::Matrix);
    let main = layout_areas(&model).main;
    let (before, mut cells) = (model.table.selected_position(), Vec::new());
    for y in main.y..main.bottom() {
        click(&mut model, main.x + main.width / 2, y);
        cells.extend(model.table.selected_position().filter(|shard| !cells.contains(shard)));
        model.overlay = Overlay::None;
    }
    assert!(cells.len() > 2, "a click chooses a cell: from {before:?} to {cells:?}");
    press(&mut model, "1");
    click(&mut model, 20, table.y + 4);
    assert!(matches!(model.overlay, Overlay::None), "the first click only chooses");
    click(&mut model, 20, table.y + 4);
    assert!(matches!(model.overlay, Overlay::Details { .. }), "one more opens");
    press(&mut model, "\x1bx");
    let before = model.overlay.clone();
    click(&mut model, 20, table.y + 3);
    assert_eq!(model.overlay, before, "a question is answered by keys alone");
}

#[test]
fn everything_is_paused_by_one_key_and_goes_on_by_the_same() {
    assert_eq!(press(&mut on(0), "S"), [Request::Send(Command::Pause { shards: Selection::All })]);
}

#[test]
fn where_no_shard_is_seen_to_be_chosen_no_key_acts_on_one() {
    for view in ["4", "5"] {
        for key in ["p", "xy", "ry", "e"] {
            let mut model = on(GRASS_ROUGH);
            press(&mut model, view);
            assert_eq!(press(&mut model, key), [], "{key} in view {view}");
            assert!(model.notice.unwrap().bad, "{key} says why it does nothing");
        }
        let mut model = on(GRASS_ROUGH);
        let kill = Command::Kill { shards: these(&["grass_rough"]) };
        assert_eq!(press(&mut model, &format!(" {view}xy")), [Request::Send(kill)], "a mark is a choice");
    }
}

#[test]
fn letters_typed_into_the_help_do_nothing_to_the_run() {
    assert_eq!(press(&mut on(GRASS_ROUGH), "?pxyryReS+-"), []);
}

#[test]
fn t_asks_for_the_themes_and_the_list_has_the_keys_until_it_is_closed() {
    let mut model = on(GRASS_ROUGH);
    assert_eq!(press(&mut model, "t"), [Request::Theme(ThemeRequest::List)]);
    let kind = |ground| Ok(ThemeKind { ground, pair: None });
    let line = |name: &str, ground| ThemeLine { name: name.to_owned(), is_own: false, kind: kind(ground) };
    let lines = vec![line("dark", ThemeGround::Dark), line("day", ThemeGround::Light)];
    update(&mut model, Message::Themes(ThemeChooser::new(lines, "dark")));
    let shown = |name: &str| Request::Theme(ThemeRequest::Show(name.to_owned()));
    assert_eq!(press(&mut model, "jx"), [shown("day")], "no key acts on the run meanwhile");
    assert_eq!(press(&mut model, "\x1b"), [shown("dark")]);
    assert_eq!(model.overlay, Overlay::None);
    let lines = vec![line("dark", ThemeGround::Dark), line("day", ThemeGround::Light)];
    update(&mut model, Message::Themes(ThemeChooser::new(lines, "dark")));
    press(&mut model, "j");
    update(&mut model, Message::Resized(30, 5));
    assert_eq!(press(&mut model, "\n"), [shown("dark")], "a theme that cannot be seen is not kept");
    assert_eq!(press(&mut model, "t"), [], "a list that cannot be seen takes no keys");
}

#[test]
fn space_plays_a_replay_and_left_and_right_move_what_has_the_keys() {
    let mut model = on(GRASS_ROUGH);
    press(&mut model, "ll");
    assert_eq!(model.log.shifted, 0, "the table has the keys, and not the log");
    assert!(model.notice.as_ref().unwrap().text.contains("in the log"), "{:?}", model.notice);
    press(&mut model, "\tl");
    assert_eq!((model.focus, model.log.shifted), (Pane::Log, 20));
    (model.access, model.notice) = (ScreenAccess::Replaying, None);
    model.playback = Some(Playback::new(scene::now(), scene::now() + Duration::from_secs(7200)));
    for (columns, rows) in [(80, 24), (60, 15)] {
        update(&mut model, Message::Resized(columns, rows));
        let (theme, _) = store::load_or_default(None, Depth::None, false);
        let text = once::buffer_to_text(&once::draw_model(&model, &theme));
        let footer = text.lines().last().unwrap();
        assert!(footer.contains("Space pause") && footer.contains("q detach"), "{footer}");
    }
    press(&mut model, " ");
    assert!(!model.playback.unwrap().playing);
}

#[test]
fn changes_of_one_setting_are_one_line() {
    let mut model = on(GRASS_ROUGH);
    let before = model.events.lines.len();
    for parallel in (1..=5).rev() {
        let event = Event::ParallelChanged { parallel, by: None };
        update(&mut model, Message::Facts(vec![Fact::new(scene::now(), event)]));
        let reply = Ok(ControlReply::Done { shards: 0, notes: Vec::new() });
        update(&mut model, Message::Replied { command: Command::SetParallel { parallel }, reply });
    }
    let newest: Vec<(&str, usize)> =
        model.events.lines.iter().skip(before).map(|line| (line.text.as_str(), line.changes)).collect();
    assert_eq!(newest, [("parallel limit is now 1", 5), ("you: parallel limit 1", 5)]);
}
