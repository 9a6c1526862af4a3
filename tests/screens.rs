//! The screen as people see it: snapshots of scenes at several sizes, and no panic at any size.

#![allow(clippy::unwrap_used, reason = "tests say by panicking what is wrong")]

mod scene;

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use scene::Scene;
use sweepdeck::model::outcome::Proof;
use sweepdeck::model::state::phase::{Phase, PhaseKind};
use sweepdeck::tui::message::Message;
use sweepdeck::tui::model::screen::{Model, ScreenAccess};
use sweepdeck::tui::sources::run_reader::RunReader;
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::store;
use sweepdeck::tui::update::message::update;
use sweepdeck::tui::{once, svg};

fn open(scene: &Scene, size: (u16, u16)) -> Model {
    let mut model = once::read_model(&scene.run, size, scene::now(), TimeZone::UTC).unwrap();
    model.access = ScreenAccess::Acting;
    model
}

fn type_keys(model: &mut Model, keys: &str) {
    for c in keys.chars() {
        let code = match c {
            '\n' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '\x1b' => KeyCode::Esc,
            c => KeyCode::Char(c),
        };
        update(model, Message::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    }
}

fn text(model: &Model) -> String {
    let (theme, _) = store::load_or_default(None, Depth::None, false);
    once::buffer_to_text(&once::draw_model(model, &theme))
}

/// A screen after some keys with the cursor on a shard, and with its log.
fn after(scene: &Scene, size: (u16, u16), shard: usize, keys: &str) -> Model {
    let mut model = open(scene, size);
    model.table.select_shard(shard);
    type_keys(&mut model, keys);
    update(&mut model, Message::Resized(size.0, size.1));
    let log = RunReader::new(&scene.run).read_log(&model);
    log.into_iter().for_each(|message| _ = update(&mut model, message));
    model
}

fn busy(size: (u16, u16), shard: usize, keys: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    text(&after(&scene::busy(folder.path()), size, shard, keys))
}

#[test]
fn details_keep_the_lines_of_a_command_and_say_what_a_queued_shard_waits_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = open(&scene::busy(folder.path()), (120, 40));
    let queued = (0..model.state.shards.len())
        .find(|position| model.state.shards[*position].phase.kind() == PhaseKind::Queued)
        .unwrap();
    model.plan.shards[queued].command = "echo one; done\necho two\n".to_owned();
    model.table.select_shard(queued);
    type_keys(&mut model, "\n");
    let text = text(&model);
    assert!(text.contains("echo one; done  ") && !text.contains("doneecho"), "{text}");
    assert!(text.contains("waiting"), "{text}");
}

#[test]
fn a_success_with_remarks_looks_different_and_its_details_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = open(&scene::finished(folder.path()), (120, 40));
    let shard = model.state.shards.iter_mut().position(|shard| matches!(shard.phase, Phase::Succeeded(_)));
    let position = shard.unwrap();
    let Phase::Succeeded(ended) = &mut model.state.shards[position].phase else { panic!("it was found") };
    ended.outcome.warnings = vec!["87 of 100 episodes ended at exactly 39.5".to_owned()];
    let line = "Evaluation complete!".to_owned();
    ended.outcome.proof = Some(Proof { line: 412, offset: 9000, text: line });
    assert!(text(&model).contains("succeeded!"), "{}", text(&model));
    model.table.select_shard(position);
    type_keys(&mut model, "\n");
    let details = text(&model);
    assert!(details.contains("87 of 100 episodes ended at exactly 39.5"), "{details}");
    assert!(details.contains("line 412: Evaluation complete!"), "{details}");
}

#[test]
fn a_wide_screen_shows_everything() {
    insta::assert_snapshot!(busy((120, 40), 4, ""));
}

#[test]
fn a_usual_screen_shows_the_table_and_one_pane() {
    insta::assert_snapshot!(busy((80, 24), 4, "\t\t"));
}

#[test]
fn a_small_screen_shows_the_table_and_one_line() {
    insta::assert_snapshot!(busy((60, 15), 3, ""));
}

#[test]
fn a_tiny_screen_shows_one_line() {
    insta::assert_snapshot!(busy((50, 4), 0, ""));
}

#[test]
fn three_hundred_shards_show_what_needs_the_user_and_which_rows_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(text(&open(&scene::three_hundred(folder.path()), (120, 40))));
}

#[test]
fn the_list_of_columns_says_which_are_shown_and_which_sorts() {
    insta::assert_snapshot!(busy((120, 40), 0, "OOc "));
}

#[test]
fn details_tell_all_about_a_shard() {
    insta::assert_snapshot!(busy((120, 40), 4, "\n"));
}

#[test]
fn killing_asks_first_and_says_what_is_lost() {
    insta::assert_snapshot!(busy((100, 30), 4, "  x"));
}

#[test]
fn the_help_lists_every_key() {
    insta::assert_snapshot!(busy((120, 50), 0, "?"));
}

#[test]
fn the_palette_lists_what_fits_with_its_key() {
    insta::assert_snapshot!(busy((80, 24), 0, ":sh"));
}

#[test]
fn a_filter_says_how_much_it_hides() {
    insta::assert_snapshot!(busy((80, 24), 0, "/rough !stalled"));
}

#[test]
fn a_finished_run_without_a_gpu_is_calm() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(text(&open(&scene::finished(folder.path()), (120, 30))));
}

#[test]
fn ascii_is_all_ascii() {
    let folder = tempfile::tempdir().unwrap();
    let model = open(&scene::busy(folder.path()), (120, 40));
    let (theme, _) = store::load_or_default(None, Depth::None, true);
    let text = once::buffer_to_text(&once::draw_model(&model, &theme));
    let odd: Vec<char> = text.chars().filter(|c| !c.is_ascii()).collect();
    assert!(odd.is_empty(), "{odd:?} in\n{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn no_size_makes_any_overlay_panic() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene::busy(folder.path());
    let (theme, _) = store::load_or_default(None, Depth::Ansi16, false);
    for keys in ["", "\n", "?", ":", ":requeue", " *x", "/ro", "\t", "\t\t\t\t"] {
        let mut model = after(&scene, (120, 40), 0, keys);
        for (columns, rows) in sizes() {
            update(&mut model, Message::Resized(columns, rows));
            once::draw_model(&model, &theme);
        }
    }
}

fn sizes() -> impl Iterator<Item = (u16, u16)> {
    let around = |edges: &'static [u16]| edges.iter().flat_map(|edge| [edge - 1, *edge, edge + 1]);
    let columns = || around(&[1, 3, 12, 40, 60, 80, 120, 300]);
    columns().flat_map(move |columns| around(&[1, 3, 6, 15, 24, 30, 100]).map(move |rows| (columns, rows)))
}

/// Makes pictures of the handmade scenes, to be looked at while the screen is worked on:
/// `cargo test --test screens pictures -- --ignored`. Those of the documentation are of real runs (`screenshots/make`).
#[test]
#[ignore = "writes pictures to look at into target/"]
fn pictures() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene::busy(folder.path());
    for (name, size, theme, shard, keys) in [
        ("dashboard", (120, 40), "dark", 4, ""),
        ("dashboard-light", (120, 40), "light", 4, ""),
        ("dashboard-contrast", (120, 40), "contrast", 4, ""),
        ("compact", (80, 24), "dark", 4, "\t\t"),
        ("small", (60, 15), "dark", 3, ""),
        ("kill", (100, 30), "dark", 4, "  x"),
        ("details", (120, 40), "dark", 4, "\n"),
        ("help", (120, 45), "dark", 0, "?"),
    ] {
        picture(name, theme, &after(&scene, size, shard, keys));
    }
    let folder = tempfile::tempdir().unwrap();
    picture("finished", "dark", &open(&scene::finished(folder.path()), (120, 30)));
}

fn picture(name: &str, theme: &str, model: &Model) {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/pictures");
    std::fs::create_dir_all(&folder).unwrap();
    let (drawn, _) = store::load_or_default(Some(theme), Depth::True, false);
    let svg = svg::buffer_to_svg(&once::draw_model(model, &drawn), drawn.ground);
    std::fs::write(folder.join(format!("{name}.svg")), svg).unwrap();
}

#[test]
fn a_requeue_shows_what_runs_again_and_what_is_kept() {
    insta::assert_snapshot!(busy((120, 40), 3, "r"));
}

#[test]
fn ending_the_whole_sweep_asks_for_its_name() {
    insta::assert_snapshot!(busy((80, 24), 0, "Xnight"));
}

#[test]
fn values_are_edited_above_the_command_they_make() {
    insta::assert_snapshot!(busy((120, 40), 3, "E2"));
}

#[test]
fn values_are_edited_on_a_small_screen() {
    insta::assert_snapshot!(busy((80, 24), 3, "E2"));
}

/// Two servers, one of which has failed, and the shards that use the other.
fn served(folder: &Path) -> Scene {
    use sweepdeck::model::claims::claim::Claim;
    use sweepdeck::model::ids::{AttemptNumber, GpuIndex, ShardId};
    use sweepdeck::model::outcome::{Failure, FailureReason, Verdict};
    use sweepdeck::model::state::fact::Event;
    use sweepdeck::model::sweep::service::ServiceInstance;
    use sweepdeck::model::value::{Value, Variables};
    let shards = ["flat_1", "flat_2", "rough_1"].map(str::to_owned);
    let mut scene = Scene::new(folder, "served", &shards, 4, 600);
    let first = AttemptNumber::FIRST;
    for (policy, at) in [("flat", 590), ("rough", 580)] {
        let shard = ShardId::new(format!("server@{policy}")).unwrap();
        let vars = Variables(vec![("policy".to_owned(), Value::String(policy.to_owned()))]);
        let instance = ServiceInstance { service: "server".to_owned(), gpu: None, vars };
        scene.tell(at, Event::ServiceAdded { shard, instance });
        scene.start(&format!("server@{policy}"), 1, at, Some(0));
    }
    let service = |policy: &str| ShardId::new(format!("server@{policy}")).unwrap();
    scene.tell(500, Event::ServiceReady { shard: service("flat"), attempt: first, port: Some(40_123) });
    let failure = Failure { reason: FailureReason::Timeout, message: "not ready within 1m".to_owned() };
    scene.end("server@rough", 1, 520, scene::outcome(Verdict::Failed(failure), 60, 0, 0.0));
    for (shard, at) in [("flat_1", 490), ("flat_2", 480)] {
        let claim = Claim { services: vec![service("flat")], ..Claim::default() };
        let shard = ShardId::new(shard).unwrap();
        let starting = Event::AttemptStarting {
            shard: shard.clone(),
            attempt: first,
            gpus: vec![GpuIndex(0)],
            claim,
            previous: None,
        };
        scene.tell(at, starting);
        let started = scene::now() - std::time::Duration::from_secs(at);
        scene.tell(at, Event::AttemptStarted { shard, attempt: first, pid: 4242, started });
    }
    scene.write()
}

#[test]
fn services_have_rows_behind_the_shards_and_are_not_counted_among_them() {
    use sweepdeck::model::state::service_state::FIRST_SERVICE;
    let folder = tempfile::tempdir().unwrap();
    let scene = served(folder.path());
    let mut model = open(&scene, (120, 30));
    assert_eq!(model.counts.iter().sum::<usize>(), 3);
    let screen = text(&model);
    let rows: Vec<&str> =
        screen.lines().filter(|line| line.contains("flat_1") || line.contains("server@")).collect();
    assert!(rows.iter().any(|row| row.contains("ready") && row.contains("2 on :40123")), "{screen}");
    assert!(rows.iter().any(|row| row.contains("failed") && row.contains("not ready within 1m")), "{screen}");
    assert!(screen.contains("services: 1 failed, 1 ready"), "{screen}");
    insta::assert_snapshot!("services", screen);
    model.table.select_shard(FIRST_SERVICE);
    type_keys(&mut model, "\n");
    let details = text(&model);
    assert!(
        details.contains("40123, ready since") && details.contains("2 shards: flat_1, flat_2"),
        "{details}"
    );
    type_keys(&mut model, "\x1b");
    type_keys(&mut model, "r");
    let question = text(&model);
    assert!(
        question.contains("Start server@flat again?") && question.contains("2 shards use it now"),
        "{question}"
    );
}
