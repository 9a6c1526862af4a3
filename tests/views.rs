//! Each view of the dashboard at each size, and no panic whatever is typed at whatever size.

#![allow(clippy::unwrap_used, reason = "tests say by panicking what is wrong")]

mod scene;

use std::cell::OnceCell;

use jiff::tz::TimeZone;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use scene::Scene;
use sweepdeck::model::state::fact::{Event, Fact};
use sweepdeck::model::state::warning_topic::WarningTopic;
use sweepdeck::model::state::write_trouble::{WriteTarget, WriteTrouble};
use sweepdeck::model::value::{Value, Variables};
use sweepdeck::tui::message::{Message, Request};
use sweepdeck::tui::model::matrix::{MatrixView, size_with_margins};
use sweepdeck::tui::model::overlays::overlay::Overlay;
use sweepdeck::tui::model::results::totals::{compute_totals, count_totals};
use sweepdeck::tui::model::screen::{Model, Pane, ScreenAccess, Supervision};
use sweepdeck::tui::model::shards::diagnosis::Diagnosis;
use sweepdeck::tui::model::shards::value_counts::ValueCounts;
use sweepdeck::tui::model::views::View;
use sweepdeck::tui::once;
use sweepdeck::tui::sources::run_reader::RunReader;
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::file::Theme;
use sweepdeck::tui::theme::store;
use sweepdeck::tui::update::message::update;

const SIZES: [(u16, u16); 4] = [(200, 60), (120, 40), (80, 24), (60, 15)];

fn open(scene: &Scene, size: (u16, u16)) -> Model {
    let mut model = once::read_model(&scene.run, size, scene::now(), TimeZone::UTC).unwrap();
    model.access = ScreenAccess::Acting;
    model.users = [(1000, "ana".to_owned())].into();
    model
}

fn busy(size: (u16, u16)) -> Model {
    let folder = tempfile::tempdir().unwrap();
    open(&scene::busy(folder.path()), size)
}

fn key(model: &mut Model, code: KeyCode) -> Vec<Request> {
    update(model, Message::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn press(model: &mut Model, keys: &str) {
    for c in keys.chars() {
        key(
            model,
            match c {
                '\t' => KeyCode::Tab,
                '\x1b' => KeyCode::Esc,
                c => KeyCode::Char(c),
            },
        );
    }
}

fn plain() -> Theme {
    store::load_or_default(None, Depth::None, false).0
}

fn text(model: &Model) -> String {
    once::buffer_to_text(&once::draw_model(model, &plain()))
}

#[test]
fn each_view_has_its_place_at_each_size() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene::busy(folder.path());
    for (columns, rows) in SIZES {
        for (number, view) in View::of_run(false).iter().enumerate() {
            let mut model = open(&scene, (columns, rows));
            model.table.select_shard(4);
            press(&mut model, &(number + 1).to_string());
            let log = RunReader::new(&scene.run).read_log(&model);
            log.into_iter().for_each(|message| _ = update(&mut model, message));
            let name = format!("{}_{columns}x{rows}", view.title().to_lowercase());
            insta::assert_snapshot!(name, text(&model));
        }
    }
}

#[test]
fn a_machine_without_a_gpu_shows_its_host_and_the_processes() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = open(&scene::finished(folder.path()), (100, 30));
    press(&mut model, "4");
    insta::assert_snapshot!(text(&model));
}

#[test]
fn the_first_view_says_what_is_wrong_without_a_key() {
    let model = busy((120, 40));
    let Diagnosis { worst, others, .. } = Diagnosis::from_model(&model);
    let worst = worst.unwrap();
    assert_eq!(worst.text, "stairs_flat: 87 of 100 episodes, exit code 0 (incomplete)");
    let others: Vec<String> = others.into_iter().map(|others| others.full).collect();
    assert_eq!(others, ["boulder_rough silent"]);
    let folder = tempfile::tempdir().unwrap();
    let calm = open(&scene::finished(folder.path()), (120, 40));
    assert_eq!(Diagnosis::from_model(&calm), Diagnosis::default());
    let screen = text(&calm);
    assert!(
        screen.contains("all 8 succeeded")
            && screen.contains("success 720/800 90.0 % [87.4, 91.6], mean of 8 combos"),
        "{screen}"
    );
}

#[test]
fn a_run_that_cannot_write_or_lacks_its_report_is_not_well() {
    let words = |model: &Model| -> Vec<String> {
        let Diagnosis { of_run, lesser, .. } = Diagnosis::from_model(model);
        of_run.into_iter().chain(lesser).map(|trouble| trouble.text).collect()
    };
    let mut model = busy((120, 40));
    update(&mut model, Message::Supervisor(Supervision::Alive { pid: 1 }));
    let calm = words(&model);
    let full = WriteTrouble {
        target: WriteTarget::Journal,
        since: scene::now(),
        no_room: true,
        error: "No space left on device".to_owned(),
    };
    update(&mut model, Message::Unwritten(vec![full]));
    assert_eq!(words(&model)[0], "disk full: nothing starts or ends, logs wait and may lose output");
    update(&mut model, Message::Unwritten(Vec::new()));
    assert_eq!(words(&model), calm, "it goes away when it is over");
    let later = scene::now() + std::time::Duration::from_secs(90);
    update(&mut model, Message::Tick { now: later, bytes: 0 });
    let silent = words(&model).iter().any(|words| words.starts_with("no telemetry for 1m"));
    assert!(silent, "{:?}", words(&model));

    let folder = tempfile::tempdir().unwrap();
    let mut over = open(&scene::finished(folder.path()), (120, 40));
    for event in [
        Event::ReporterEnded {
            code: Some(2),
            message: "no".to_owned(),
            command: None,
            cwd: None,
            setup_step: None,
            elapsed: None,
        },
        Event::RunWarned { topic: WarningTopic::Merge, text: "a.json was not merged".to_owned() },
        Event::RunWarned { topic: WarningTopic::Hook, text: "the hook failed: once".to_owned() },
        Event::RunWarned { topic: WarningTopic::Hook, text: "the hook failed: twice".to_owned() },
    ] {
        update(&mut over, Message::Facts(vec![Fact::new(scene::now(), event)]));
    }
    let expected = [
        "reporter failed: exit code 2, see results/reporter.log",
        "a.json was not merged",
        "the hook failed: twice (and 1 more)",
    ];
    assert_eq!(words(&over), expected);
    assert!(!text(&over).contains("nothing is wrong"));
    let again = Event::RunContinued { by: None };
    update(&mut over, Message::Facts(vec![Fact::new(scene::now(), again)]));
    assert_eq!(over.state.warnings, Default::default(), "the next end says what is wrong then");
}

#[test]
fn number_keys_brackets_and_tab_show_views() {
    let mut model = busy((120, 40));
    press(&mut model, "3");
    assert_eq!(model.views.shown, View::Charts);
    press(&mut model, "]");
    assert_eq!(model.views.shown, View::Gpus);
    press(&mut model, "[[[[");
    assert_eq!(model.views.shown, View::Results, "before the first comes the last");
    press(&mut model, "5\t");
    assert_eq!(model.views.shown, View::Results, "a view of one pane leaves Tab for the next view");
    press(&mut model, "\t");
    assert_eq!((model.views.shown, model.focus), (View::Results, Pane::Totals), "panes come first");
    press(&mut model, "\t");
    assert_eq!((model.views.shown, model.focus), (View::Results, Pane::Shards));
    press(&mut model, "1\t");
    assert_eq!((model.views.shown, model.focus), (View::Shards, Pane::Log));
    press(&mut model, "6\x1b");
    assert_eq!(model.views.shown, View::Shards, "Esc leads back");
}

#[test]
fn a_pane_takes_all_the_room_and_gives_it_back() {
    let mut model = busy((80, 24));
    press(&mut model, "\tz");
    let zoomed = text(&model);
    assert!(zoomed.contains("Log") && !zoomed.contains("state  "), "{zoomed}");
    press(&mut model, "\x1b");
    assert!(text(&model).contains("state  "));
}

#[test]
fn the_cursor_of_the_matrix_is_that_of_the_table() {
    let mut model = busy((120, 40));
    model.table.select_shard(0);
    press(&mut model, "2");
    let selected = |model: &Model| model.selected_shard().unwrap().state.id.to_string();
    assert_eq!(selected(&model), "friction_flat");
    press(&mut model, "jl");
    assert_eq!(selected(&model), "grass_rough");
    press(&mut model, "lllh");
    assert_eq!(selected(&model), "grass_rough", "at the edge it stays");
    press(&mut model, "kkkk");
    assert_eq!(selected(&model), "friction_rough");
    press(&mut model, "a");
    let matrix = MatrixView::from_model(&model);
    assert_eq!((matrix.row_axis, matrix.column_axis), (Some("policy"), Some("env")));
}

/// The busy scene with seeds as a third axis: the second policy has another one.
fn seeded() -> Model {
    let mut model = busy((120, 40));
    model.plan.axes.push("seed".to_owned());
    for (number, spec) in model.plan.shards.iter_mut().enumerate() {
        let Variables(vars) = &mut spec.vars;
        vars.push(("seed".to_owned(), Value::Integer((number / 4 % 2) as i64)));
    }
    model.update_derived();
    model
}

#[test]
fn of_more_than_two_axes_two_are_chosen_and_the_rest_is_pooled() {
    let mut model = seeded();
    press(&mut model, "2");
    let axes = |model: &Model| {
        let matrix = MatrixView::from_model(model);
        let name = |axis: Option<&str>| axis.unwrap().to_owned();
        (name(matrix.row_axis), name(matrix.column_axis), matrix.pooled.join(","))
    };
    let of = |row: &str, column: &str, pooled: &str| (row.to_owned(), column.to_owned(), pooled.to_owned());
    assert_eq!(axes(&model), of("env", "policy", "seed"), "seeds are pooled first");
    press(&mut model, "A");
    assert_eq!(axes(&model), of("env", "seed", "policy"));
    let screen = text(&model);
    assert!(screen.contains("over all policy") && screen.contains("►1 ✓1"), "{screen}");
    press(&mut model, "a");
    assert_eq!(axes(&model).0, "policy");
}

#[test]
fn totals_are_by_value_of_what_the_filter_shows_and_a_brings_another_axis_first() {
    let mut model = seeded();
    press(&mut model, "6");
    let told = |model: &Model| -> Vec<String> {
        compute_totals(model).iter().map(|total| format!("{}={}", total.axis, total.value)).collect()
    };
    assert_eq!(told(&model)[..4], ["policy=flat", "policy=rough", "policy=teacher", "env=friction"]);
    press(&mut model, "a");
    assert_eq!(told(&model)[0], "env=friction");
    press(&mut model, "/env=grass");
    key(&mut model, KeyCode::Enter);
    let grass = &compute_totals(&model)[0];
    assert_eq!((grass.value.as_str(), grass.counts.iter().sum::<usize>()), ("grass", 3));
    let success = grass.success.unwrap();
    assert_eq!((success.episodes, (success.rate * 100.0).round()), (148.0, 85.0));
    assert_eq!(
        told(&model),
        ["env=grass", "seed=0", "seed=1", "policy=flat", "policy=rough", "policy=teacher"]
    );
}

#[test]
fn the_room_for_matrix_and_totals_is_that_of_what_the_filter_shows() {
    let slice = |index| serde_json::json!({"index": index, "count": 2, "episodes": 5, "first": 5 * index, "seed": 0, "ids": []});
    for is_sliced in [false, true] {
        let mut model = seeded();
        if is_sliced {
            for (number, spec) in model.plan.shards.iter_mut().enumerate() {
                spec.slice = Some(serde_json::from_value(slice(number % 2)).unwrap());
            }
            model.values = ValueCounts::default();
            model.refresh_table();
        }
        for typed in ["", "env=grass", "rough", "grass_flat", "nothing at all"] {
            press(&mut model, "\x1b\x1b/");
            press(&mut model, typed);
            key(&mut model, KeyCode::Enter);
            for chosen in ["", "a", "A", "a"] {
                press(&mut model, &format!("2{chosen}"));
                let matrix = MatrixView::from_model(&model);
                let (column, row) = matrix.has_margins();
                let size = (matrix.rows.len() + usize::from(row), matrix.columns.len() + usize::from(column));
                assert_eq!(size_with_margins(&model), size, "{typed} {chosen}");
            }
            assert_eq!(count_totals(&model), compute_totals(&model).len(), "{typed}");
        }
    }
}

/// Every shard of a row of the matrix in one cell.
fn pooled() -> Model {
    let mut model = seeded();
    press(&mut model, "2A");
    model
}

#[test]
fn enter_leads_into_a_cell_and_esc_back_to_the_matrix() {
    let mut model = pooled();
    let grass = model.plan.shards.iter().position(|spec| spec.id.to_string() == "grass_flat").unwrap();
    model.table.select_shard(grass);
    key(&mut model, KeyCode::Enter);
    assert_eq!(model.views.shown, View::Shards);
    assert_eq!(model.table.filter.text(), "env==grass seed==0");
    let shown = model.table.visible.iter().map(|position| model.state.shards[*position].id.to_string());
    assert_eq!(shown.collect::<Vec<_>>(), ["grass_flat", "grass_teacher"]);
    press(&mut model, "\x1b");
    assert_eq!((model.views.shown, model.table.filter.text()), (View::Matrix, ""));
    // What was filtered before is so again.
    press(&mut model, "/!teacher");
    key(&mut model, KeyCode::Enter);
    press(&mut model, "\x1b\x1b2/!rough");
    key(&mut model, KeyCode::Enter);
    press(&mut model, "2");
    key(&mut model, KeyCode::Enter);
    assert_eq!(model.table.visible.len(), 2, "{}", model.table.filter.text());
    press(&mut model, "\x1b");
    assert_eq!((model.views.shown, model.table.filter.text()), (View::Matrix, "!rough"));
    press(&mut model, "A");
    key(&mut model, KeyCode::Enter);
    assert!(matches!(model.overlay, Overlay::Details { .. }), "a single shard has its details");
}

#[test]
fn a_cell_is_shaded_by_success_or_by_progress_and_the_extremes_are_named() {
    let mut model = busy((120, 40));
    press(&mut model, "2");
    let screen = text(&model);
    let line = |name: &str, screen: &str| {
        let mut lines = screen.lines().skip_while(|line| !line.contains(name)).skip(1);
        lines.next().unwrap().to_owned()
    };
    assert!(screen.contains("shaded by success (%)"), "{screen}");
    assert!(line("friction ", &screen).contains("97 % 87-100 best ▓"), "{screen}");
    assert!(line("│ stairs ", &screen).contains("42 % 26-59 worst ░"), "{screen}");
    assert!(!screen.contains("— ░") && !screen.contains("— ▓"), "what is unknown has no ground: {screen}");
    press(&mut model, "%");
    let screen = text(&model);
    assert!(screen.contains("shaded by progress"), "{screen}");
    // A terminal with colours needs no texture.
    let colored = store::load_or_default(Some("night"), Depth::True, false).0;
    press(&mut model, "%");
    let buffer = once::draw_model(&model, &colored);
    let drawn = once::buffer_to_text(&buffer);
    let row = drawn.lines().position(|line| line.contains("97 % 87-100 best")).unwrap();
    let line: Vec<char> = drawn.lines().nth(row).unwrap().chars().collect();
    let column = line.windows(4).position(|part| part == ['9', '7', ' ', '%']).unwrap();
    let ground = |column: usize| buffer[(column as u16, row as u16)].bg;
    assert_eq!(Some(ground(column)), colored.heat_style(4).and_then(|style| style.bg), "{drawn}");
    assert!(!drawn.contains('░'), "{drawn}");
}

#[test]
fn what_a_matrix_hides_is_said_and_its_sums_are_over_all_of_it() {
    let mut model = busy((60, 15));
    press(&mut model, "2");
    let screen = text(&model);
    assert!(screen.contains("columns policy 1-2 of 3"), "{screen}");
    assert!(screen.contains("○2 ►5 ‖1 ✓3 ✗1"), "{screen}");
    press(&mut model, "ll");
    assert!(text(&model).contains("columns policy 3-3 of 3"), "{}", text(&model));
}

#[test]
fn the_filter_narrows_every_view() {
    let mut model = busy((120, 40));
    press(&mut model, "/env=grass");
    key(&mut model, KeyCode::Enter);
    press(&mut model, "2");
    let screen = text(&model);
    assert!(screen.contains("3 of 12 shards") && !screen.contains("boulder "), "{screen}");
}

/// What may be typed, mostly what a keyboard has.
fn keys() -> impl Strategy<Value = KeyEvent> {
    // Every letter, so that a key that is bound tomorrow is among them.
    let plain = (b' '..=b'~').prop_map(|letter| KeyCode::Char(char::from(letter)));
    let named = proptest::sample::select(vec![
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Backspace,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
    ]);
    let code = prop_oneof![6 => plain, 3 => named, 1 => any::<char>().prop_map(KeyCode::Char)];
    let control = prop_oneof![9 => Just(KeyModifiers::NONE), 1 => Just(KeyModifiers::CONTROL)];
    (code, control).prop_map(|(code, modifiers)| KeyEvent::new(code, modifiers))
}

#[derive(Debug, Clone)]
enum Step {
    Typed(KeyEvent),
    Resized(u16, u16),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let size = (1_u16..=300, 1_u16..=100).prop_map(|(columns, rows)| Step::Resized(columns, rows));
    let small = (1_u16..=90, 1_u16..=26).prop_map(|(columns, rows)| Step::Resized(columns, rows));
    let step = prop_oneof![8 => keys().prop_map(Step::Typed), 1 => size, 1 => small];
    proptest::collection::vec(step, 1..24)
}

thread_local! {
    static SCENES: OnceCell<Vec<Model>> = const { OnceCell::new() };
}

/// The scenes are read once: it is the drawing that is tried.
fn with_scenes(work: impl Fn(&Model)) {
    SCENES.with(|scenes| {
        let scenes = scenes.get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            let empty = Scene::new(&folder.path().join("empty"), "empty", &[], 1, 10).write();
            let many = scene::large(&folder.path().join("many"), 70, 1);
            vec![busy((120, 40)), seeded(), open(&empty, (80, 24)), open(&many, (80, 24))]
        });
        scenes.iter().for_each(work);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_keys_at_any_size_make_the_screen_panic(steps in steps()) {
        let (unicode, ascii) = (plain(), store::load_or_default(None, Depth::True, true).0);
        with_scenes(|scene| {
            let mut model = scene.clone();
            for step in &steps {
                match step {
                    Step::Typed(event) => _ = update(&mut model, Message::Key(*event)),
                    Step::Resized(columns, rows) => _ = update(&mut model, Message::Resized(*columns, *rows)),
                }
                once::draw_model(&model, &unicode);
            }
            assert!(once::buffer_to_text(&once::draw_model(&model, &ascii)).is_ascii());
        });
    }
}
