//! Commands of the user's own: their keys, what they are about, and what the screen says of them.

#![allow(clippy::unwrap_used, reason = "tests say by panicking what is wrong")]

mod scene;

use jiff::tz::TimeZone;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use sweepdeck::config::settings;
use sweepdeck::model::sweep::own_command::CommandMode;
use sweepdeck::tui::keymap::own::{assign_keys, with_sweep};
use sweepdeck::tui::message::{Message, Request};
use sweepdeck::tui::model::keys::chosen::Keymap;
use sweepdeck::tui::model::keys::keyed::CommandOrigin;
use sweepdeck::tui::model::overlays::overlay::Overlay;
use sweepdeck::tui::model::overlays::own_commands::{OwnCommands, OwnRun};
use sweepdeck::tui::model::screen::{Model, ScreenAccess, Supervision};
use sweepdeck::tui::once;
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::store;
use sweepdeck::tui::update::message::update;

const COMMANDS: &str = r#"
[commands]
dump = { key = "f2", command = "py-spy dump --pid {{ pid }}" }
copy = { key = "f3", command = ["cp", "-r", "{{ out }}", "/tmp/{{ id }}"], mode = "background", confirm = true }
nvtop = { key = "f4", command = "nvtop" }
gpus = { command = "nvidia-smi -i {{ gpus }}", mode = "wait" }
"#;

/// The busy scene with commands and the cursor on a shard.
fn on(shard: usize) -> Model {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene::busy(folder.path());
    let mut model = once::read_model(&scene.run, (120, 40), scene::now(), TimeZone::UTC).unwrap();
    model.access = ScreenAccess::Acting;
    let (settings, problems) = settings::read_settings(COMMANDS);
    assert_eq!(problems, []);
    let (commands, problems) = assign_keys(&settings.commands, &Keymap::default(), CommandOrigin::Settings);
    assert_eq!(problems, []);
    let run = Some("/runs/h100".into());
    model.own =
        OwnCommands { list: with_sweep(commands, &[], &Keymap::default()), run, sees_processes: true };
    update(&mut model, Message::Supervisor(Supervision::Alive { pid: 1 }));
    model.table.select_shard(shard);
    assert_eq!(model.table.selected_position(), Some(shard));
    model
}

fn key(model: &mut Model, code: KeyCode) -> Vec<Request> {
    update(model, Message::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn typed(model: &mut Model, text: &str) {
    text.chars().for_each(|c| _ = key(model, KeyCode::Char(c)));
}

fn screen(model: &Model) -> String {
    once::buffer_to_text(&once::draw_model(model, &store::load_or_default(None, Depth::None, false).0))
}

fn only(requests: Vec<Request>) -> OwnRun {
    match <[Request; 1]>::try_from(requests) {
        Ok([Request::Own(run)]) => run,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_key_runs_a_command_about_the_selected_shard() {
    let mut model = on(5);
    let run = only(key(&mut model, KeyCode::F(2)));
    assert_eq!(run.title(), "dump on grass_rough");
    assert_eq!(run.mode, CommandMode::Foreground);
    let pid = model.state.shards[5].phase.live().unwrap().pid.unwrap();
    assert_eq!(run.command_line(), format!("py-spy dump --pid {pid}"));
}

#[test]
fn a_command_that_lacks_a_value_says_so_and_does_not_run() {
    // Ended, and its process number may be another's now.
    let mut model = on(0);
    assert_eq!(key(&mut model, KeyCode::F(2)), []);
    assert_eq!(
        model.notice.as_ref().unwrap().text,
        "dump: the shard has no process here, so there is no {{ pid }}"
    );
    // Of a run on another machine, or one that nobody watches, process numbers mean nothing here.
    let mut far = on(5);
    far.own.sees_processes = false;
    assert_eq!(key(&mut far, KeyCode::F(2)), []);
    let mut unwatched = on(5);
    unwatched.supervision = Supervision::Missing { looks: 3 };
    assert_eq!(key(&mut unwatched, KeyCode::F(2)), []);
    // Queued, and never started.
    let mut queued = on(10);
    assert_eq!(key(&mut queued, KeyCode::F(3)), []);
    assert!(queued.notice.as_ref().unwrap().text.contains("has not started yet"), "{:?}", queued.notice);
    // Where no shard is seen to be chosen, only what needs none runs.
    typed(&mut model, "5");
    assert_eq!(key(&mut model, KeyCode::F(3)), []);
    assert!(model.notice.as_ref().unwrap().text.contains("no shard is chosen"), "{:?}", model.notice);
    assert_eq!(only(key(&mut model, KeyCode::F(4))).title(), "nvtop");
}

#[test]
fn one_that_asks_shows_what_it_runs_and_takes_only_yes_for_yes() {
    let mut model = on(5);
    assert_eq!(key(&mut model, KeyCode::F(3)), []);
    insta::assert_snapshot!(screen(&model));
    assert_eq!(key(&mut model, KeyCode::Enter), []);
    assert_eq!(model.overlay, Overlay::None);
    key(&mut model, KeyCode::F(3));
    let run = only(key(&mut model, KeyCode::Char('y')));
    assert_eq!(run.argv, ["cp", "-r", "/runs/h100/shards/grass_rough/attempt-01/out", "/tmp/grass_rough"]);
    assert!(model.notice.as_ref().unwrap().text.contains("runs in the background"));
    update(
        &mut model,
        Message::OwnEnded { run: run.clone(), result: Err("exit code 1: no room".to_owned()) },
    );
    assert_eq!(model.notice.as_ref().unwrap().text, "copy on grass_rough: exit code 1: no room");
    assert!(model.notice.as_ref().unwrap().bad);
    update(&mut model, Message::OwnEnded { run, result: Ok(()) });
    assert_eq!(model.notice.as_ref().unwrap().text, "copy on grass_rough: done");
    assert_eq!(model.events.lines.back().unwrap().text, "you: copy on grass_rough: done");
}

#[test]
fn help_and_palette_have_them() {
    let mut model = on(5);
    typed(&mut model, "?G");
    let help = screen(&model);
    assert!(help.contains("Your own commands on the selected shard"), "{help}");
    assert!(help.contains("F2          dump: py-spy dump --pid {{ pid }}"), "{help}");
    key(&mut model, KeyCode::Esc);
    typed(&mut model, ":nvidia");
    let palette = screen(&model);
    assert!(palette.contains("gpus: nvidia-smi -i {{ gpus }}"), "{palette}");
    let run = only(key(&mut model, KeyCode::Enter));
    assert_eq!((run.command_line().as_str(), run.mode), ("nvidia-smi -i 1", CommandMode::Wait));
    // On a screen of one line nothing can be seen of a question or a shard.
    update(&mut model, Message::Resized(30, 4));
    assert_eq!(key(&mut model, KeyCode::F(4)), []);
}
