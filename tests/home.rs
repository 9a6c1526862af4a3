//! The home screen: what it shows at several sizes, what its keys do, and no panic whatever is typed at whatever size.

#![allow(clippy::unwrap_used, reason = "tests say by panicking what is wrong")]

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof, proptest};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;
use sweepdeck::model::ids::{RunId, ShardId};
use sweepdeck::model::outcome::Progress;
use sweepdeck::model::state::fact::Condition;
use sweepdeck::model::state::phase::PhaseKind;
use sweepdeck::model::sweep::axis::AxisValues;
use sweepdeck::model::value::Value;
use sweepdeck::results::interval::WilsonInterval;
use sweepdeck::results::statistics::any_time::EarlyStop;
use sweepdeck::results::statistics::difference::Sample;
use sweepdeck::results::statistics::headline::Headline;
use sweepdeck::results::status::document::{PhaseCounts, RunWord};
use sweepdeck::results::time_left::forecast::Forecast;
use sweepdeck::tui::model::home_screen::home::{HomeLine, HomeModel, HomePage, SweepLine};
use sweepdeck::tui::model::home_screen::run_line::{PreviewRow, RunLine, RunLineState, RunSummary};
use sweepdeck::tui::model::overlays::sweep_plan::{
    AxisLine, ComboLine, Gravity, PlanForecast, PlanList, PreflightRemark, SweepPlan, SweepRequest,
};
use sweepdeck::tui::model::overlays::theme_chooser::ThemeRequest;
use sweepdeck::tui::model::results::overall::RunSuccess;
use sweepdeck::tui::model::results::run_progress::RunShares;
use sweepdeck::tui::model::screen::ScreenAccess;
use sweepdeck::tui::once;
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::store;
use sweepdeck::tui::update::home::{handle_key, resize, take_plan, use_mouse};
use sweepdeck::tui::update::home_request::HomeRequest;
use sweepdeck::tui::view::home_screen::home::draw_home;

const SIZES: [(u16, u16); 4] = [(200, 60), (120, 40), (80, 24), (60, 15)];

/// Lines of runs; behind them come the sweeps.
const RUNS: usize = 7;

fn hour(hour: i64) -> Timestamp {
    Timestamp::from_second(1_795_000_000 + hour * 3600).unwrap()
}

fn line(name: &str, at: i64, standing: RunLineState) -> RunLine {
    RunLine {
        id: RunId(format!("{name}-2026{at:02}")),
        dir: PathBuf::from(format!("/home/ada/evals/results/{name}")),
        created: hour(at),
        standing,
    }
}

fn read(name: &str, at: i64, state: RunWord, counts: [usize; 8]) -> RunLine {
    let all = counts.iter().sum::<usize>() as f64;
    let (succeeded, lost) = (counts[5] as f64 / all, (counts[6] + counts[7]) as f64 / all);
    let is_live = state == RunWord::Running;
    let ended = matches!(state, RunWord::Finished | RunWord::Stopped).then(|| hour(at + 3));
    let glance = RunSummary {
        state,
        counts: PhaseCounts(counts),
        share: RunShares { succeeded, lost, under_way: if is_live { 0.2 } else { 0.0 } },
        left: is_live.then(|| Duration::from_secs(5400)),
        opens: None,
        ended,
        success: success(succeeded),
        failed: failure(counts[6]),
        rows: rows(counts),
    };
    line(name, at, RunLineState::Read(Box::new(glance)))
}

/// So many shards of 100 episodes each, of one combo.
fn success(shards: f64) -> Option<RunSuccess> {
    let sample = Sample { successes: (86.0 * shards).round(), episodes: (100.0 * shards).round() };
    let interval = WilsonInterval::wilson(sample.successes, sample.episodes)?;
    let value = sample.rate();
    Some(RunSuccess::Headline(Headline {
        value,
        interval,
        sample,
        strata: 1,
        without: 0,
        clusters: None,
        early_stop: EarlyStop::None,
    }))
}

fn failure(failed: usize) -> Option<String> {
    match failed {
        0 => None,
        1 => Some("grass_3: CUDA out of memory: tried to allocate 2.40 GiB on GPU 0".to_owned()),
        many => Some(format!("{many} gpu-oom")),
    }
}

/// Shards in the order of a preview.
fn rows(counts: [usize; 8]) -> Vec<PreviewRow> {
    let order = [6, 2, 0, 7, 5].map(|at| (PhaseKind::ALL[at], counts[at]));
    let kinds = order.into_iter().flat_map(|(kind, count)| std::iter::repeat_n(kind, count));
    let row = |(number, kind): (usize, PhaseKind)| {
        let is_running = kind == PhaseKind::Running;
        let done = if kind == PhaseKind::Succeeded { 100 } else { 40 + number as u64 };
        let has_begun = !matches!(kind, PhaseKind::Queued | PhaseKind::Cancelled);
        PreviewRow {
            id: ShardId::new(format!("grass_{number}")).unwrap(),
            kind,
            condition: (is_running && number == 1).then_some(Condition::Stalled),
            progress: has_begun.then_some(Progress { done, total: Some(100) }),
            message: (kind == PhaseKind::Failed)
                .then(|| "CUDA out of memory: tried to allocate 2.40 GiB".to_owned()),
            left: is_running.then(|| Duration::from_secs(600 * number as u64)),
        }
    };
    kinds.enumerate().map(row).collect()
}

fn home(size: (u16, u16)) -> HomeModel {
    let mut home = HomeModel::new(ScreenAccess::Acting, hour(10), TimeZone::UTC);
    home.size = size;
    let refused = "cannot read /home/ada/evals/results/broken/journal.jsonl: Permission denied".to_owned();
    home.take_runs(vec![
        read("stairs", 9, RunWord::Finished, [0, 0, 0, 0, 0, 8, 0, 0]),
        line("broken", 8, RunLineState::Unreadable(refused)),
        read("grass", 7, RunWord::Running, [2, 0, 3, 0, 0, 2, 1, 0]),
        line("moved", 6, RunLineState::Gone("its folder is gone".to_owned())),
        read("asleep", 5, RunWord::Unsupervised, [2, 0, 0, 0, 0, 6, 0, 0]),
        read("friction", 2, RunWord::Finished, [0, 0, 0, 0, 0, 5, 3, 0]),
        read("old", 1, RunWord::Stopped, [0, 0, 0, 0, 0, 1, 0, 3]),
    ]);
    home.take_sweeps(vec![
        SweepLine { path: PathBuf::from("configs/libero.toml"), shards: Some(40) },
        SweepLine { path: PathBuf::from("sweep.toml"), shards: None },
    ]);
    home
}

fn wish() -> SweepRequest {
    SweepRequest::for_path(PathBuf::from("configs/libero.toml"))
}

fn axis(name: &str, values: &[&str]) -> AxisLine {
    let values = values.iter().map(|value| Value::String((*value).to_owned())).collect();
    let given = AxisValues { name: name.to_owned(), values };
    AxisLine { now: given.clone(), given, packed: false }
}

fn outlook(hours: u64) -> PlanForecast {
    PlanForecast::Told {
        preflight: vec![
            PreflightRemark {
                gravity: Gravity::Warning,
                text: "warning: setup: there is no `conda`".to_owned(),
            },
            PreflightRemark { gravity: Gravity::Note, text: "note: disk: 12 GiB are free".to_owned() },
        ],
        forecast: Forecast {
            makespan: Some(Duration::from_secs(hours * 3600)),
            lower_bound: Some(Duration::from_secs(hours * 3000)),
            slots: 4,
            unknown_durations: 0,
            guessed_durations: 0,
        },
    }
}

fn plan() -> SweepPlan {
    let combo = |policy: &str, env: &str| ComboLine {
        name: format!("policy={policy} env={env}"),
        values: vec![("policy".to_owned(), policy.to_owned()), ("env".to_owned(), env.to_owned())],
        shards: (0..2).map(|slice| ShardId::new(format!("{policy}_{env}_{slice}")).unwrap()).collect(),
        foreseen: Some(Duration::from_secs(1800)),
    };
    SweepPlan {
        wish: wish(),
        source: "[shard]".to_owned(),
        name: "libero".to_owned(),
        axes: vec![axis("policy", &["flat", "rough"]), axis("env", &["stairs", "grass"])],
        combos: vec![
            combo("flat", "stairs"),
            combo("flat", "grass"),
            combo("rough", "stairs"),
            combo("rough", "grass"),
        ],
        parallel: 4,
        because: Some("4 fit into 79.6 GiB of VRAM".to_owned()),
        outlook: outlook(2),
        list: PlanList::Combos,
        cursor: 0,
        value: 0,
        typing: None,
        asked: false,
    }
}

fn planning(size: (u16, u16)) -> HomeModel {
    let mut home = home(size);
    home.page = HomePage::Plan(Box::new(plan()));
    home
}

fn planned(home: &mut HomeModel) -> &mut SweepPlan {
    let HomePage::Plan(plan) = &mut home.page else { panic!("no plan is shown") };
    plan
}

fn keys(home: &mut HomeModel, keys: &str) -> Option<HomeRequest> {
    let mut last = None;
    for c in keys.chars() {
        let code = match c {
            '\n' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '\x08' => KeyCode::Backspace,
            '\x1b' => KeyCode::Esc,
            c => KeyCode::Char(c),
        };
        last = handle_key(home, KeyEvent::new(code, KeyModifiers::NONE));
    }
    last
}

fn text(home: &HomeModel) -> String {
    let (theme, _) = store::load_or_default(None, Depth::None, false);
    let mut buffer = Buffer::empty(Rect::new(0, 0, home.size.0, home.size.1));
    draw_home(home, &theme, &mut buffer);
    once::buffer_to_text(&buffer)
}

#[test]
fn lists_plan_and_help_have_their_place_at_each_size() {
    for (columns, rows) in SIZES {
        let size = (columns, rows);
        insta::assert_snapshot!(format!("lists_{columns}x{rows}"), text(&home(size)));
        let mut home = planning(size);
        insta::assert_snapshot!(format!("plan_{columns}x{rows}"), text(&home));
        keys(&mut home, "j +\t  ");
        keys(&mut home, "isand");
        insta::assert_snapshot!(format!("plan_changed_{columns}x{rows}"), text(&home));
        keys(&mut home, "\x1b?");
        insta::assert_snapshot!(format!("help_{columns}x{rows}"), text(&home));
    }
}

#[test]
fn tab_goes_to_the_sweeps_and_back_to_the_line_that_was_chosen() {
    let mut home = home((120, 40));
    keys(&mut home, "jj\t");
    assert_eq!(keys(&mut home, "\n"), Some(HomeRequest::Plan(wish())));
    keys(&mut home, "\x1bj\t");
    assert_eq!(home.cursor, 2, "where it was");
    keys(&mut home, "\t");
    assert_eq!(home.cursor, RUNS + 1, "and there too");
    home.take_sweeps(Vec::new());
    keys(&mut home, "\t");
    assert!(home.notice.is_some_and(|notice| notice.text.contains("no other list")));
}

#[test]
fn enter_on_an_empty_home_starts_the_demo() {
    let mut home = HomeModel::new(ScreenAccess::Acting, hour(0), TimeZone::UTC);
    home.size = (80, 24);
    assert_eq!(keys(&mut home, "\n"), None, "runs are still looked for");
    home.take_runs(Vec::new());
    insta::assert_snapshot!(text(&home));
    assert_eq!(keys(&mut home, "\n"), Some(HomeRequest::Demo));
    home.access = ScreenAccess::ReadOnly;
    assert_eq!(keys(&mut home, "\n"), None);
    assert!(!text(&home).contains("demo"), "{}", text(&home));
    home.access = ScreenAccess::Acting;
    home.take_sweeps(vec![SweepLine { path: PathBuf::from("sweep.toml"), shards: Some(1) }]);
    assert!(matches!(keys(&mut home, "\n"), Some(HomeRequest::Plan(_))), "there is something else");
}

#[test]
fn a_preview_has_no_more_lines_than_there_are_and_counts_the_rest() {
    let mut home = home((160, 20));
    let Some(runs) = &mut home.runs else { panic!("there are runs") };
    let RunLineState::Read(glance) = &mut runs[0].standing else { panic!("it is read") };
    glance.counts = PhaseCounts([300, 0, 3, 0, 0, 2, 1, 0]);
    let shown = text(&home);
    assert!(shown.contains("and 29"), "{shown}");
    assert!(shown.contains("grass_0") && shown.contains("CUDA out of memory"), "{shown}");
}

#[test]
fn a_tiny_screen_shows_lines_and_no_frames() {
    let mut home = home((40, 5));
    let shown = text(&home);
    assert!(shown.contains("grass-202607") && shown.contains("stairs-202609"), "{shown}");
    keys(&mut home, "G");
    assert!(text(&home).contains("sweep.toml"), "{}", text(&home));
}

#[test]
fn every_theme_shows_how_runs_stand_without_its_colours_too() {
    for name in store::theme_names() {
        for ascii in [false, true] {
            let (theme, warning) = store::load_or_default(Some(&name), Depth::True, ascii);
            assert_eq!(warning, None);
            let mut buffer = Buffer::empty(Rect::new(0, 0, 120, 40));
            draw_home(&home((120, 40)), &theme, &mut buffer);
            let shown = once::buffer_to_text(&buffer);
            for word in
                ["running", "unsupervised", "finished", "stopped", "unreadable", "gone", "1h 30m left"]
            {
                assert!(shown.contains(word), "{name}: {word}\n{shown}");
            }
            assert!(!ascii || shown.is_ascii(), "{shown}");
        }
    }
}

#[test]
fn runs_that_go_on_stand_first_those_that_are_gone_last_and_enter_opens_what_is_chosen() {
    let attach =
        |name: &str| Some(HomeRequest::Attach(PathBuf::from(format!("/home/ada/evals/results/{name}"))));
    assert_eq!(keys(&mut home((80, 24)), "\n"), attach("grass"));
    assert_eq!(keys(&mut home((80, 24)), "j\n"), attach("asleep"));
    assert_eq!(keys(&mut home((80, 24)), "jj\n"), attach("stairs"));
    let libero = Some(HomeRequest::Plan(wish()));
    assert_eq!(keys(&mut home((80, 24)), &("j".repeat(RUNS) + "\n")), libero);
    let mut home = home((80, 24));
    assert_eq!(keys(&mut home, &("j".repeat(RUNS - 1) + "\n")), None, "there is nothing to show");
    assert!(text(&home).contains("its folder is gone"));
}

#[test]
fn only_a_run_that_is_gone_can_be_taken_from_the_list() {
    let mut home = home((80, 24));
    assert_eq!(keys(&mut home, "\x08"), None);
    assert!(home.notice.as_ref().unwrap().bad);
    let gone = Some(HomeRequest::Forget(RunId("moved-202606".to_owned())));
    assert_eq!(keys(&mut home, &("j".repeat(RUNS - 1) + "\x08")), gone);
}

#[test]
fn the_palette_finds_what_the_page_can_do_and_a_key_without_meaning_is_answered() {
    let mut home = home((80, 24));
    assert_eq!(keys(&mut home, ":leave\n"), Some(HomeRequest::Leave));
    assert_eq!(keys(&mut home, ":theme\n"), Some(HomeRequest::Theme(ThemeRequest::List)));
    keys(&mut home, ":at");
    assert!(text(&home).contains("attach to the run"), "{}", text(&home));
    assert_eq!(keys(&mut home, "\x1bQ"), None);
    assert!(text(&home).contains("Q does nothing here; ? lists the keys"), "{}", text(&home));
    home.access = ScreenAccess::ReadOnly;
    keys(&mut home, "\x08");
    assert!(text(&home).contains("Backspace does nothing: this screen is read-only"), "{}", text(&home));
}

#[test]
fn letters_typed_into_the_help_start_open_and_forget_nothing() {
    for key in ["s", " ", "+"] {
        let mut home = planning((80, 24));
        assert_eq!(keys(&mut home, &format!("?{key}")), None, "{key}");
        assert_eq!((&home.page, home.help), (&HomePage::Plan(Box::new(plan())), None), "{key}");
    }
    for key in ["\x08", "\n"] {
        let mut home = home((80, 24));
        let down = "j".repeat(if key == "\x08" { RUNS - 1 } else { 0 });
        assert_eq!(keys(&mut home, &format!("{down}?{key}")), None, "{key}");
    }
    assert_eq!(keys(&mut home((80, 24)), "?t"), Some(HomeRequest::Theme(ThemeRequest::List)));
}

#[test]
fn the_cursor_stays_with_its_line_when_runs_come() {
    let newer = || read("new", 11, RunWord::Running, [0, 0, 1, 0, 0, 0, 0, 0]);
    for (down, chosen) in [(2, "results/stairs"), (RUNS, "configs/libero.toml")] {
        let mut home = home((80, 24));
        keys(&mut home, &"j".repeat(down));
        let runs = std::iter::once(newer()).chain(home.runs.clone().unwrap()).collect();
        home.take_runs(runs);
        let opened = format!("{:?}", keys(&mut home, "\n"));
        assert!(opened.contains(chosen), "{opened}");
    }
}

#[test]
fn a_filter_narrows_both_lists_while_it_is_typed_and_esc_takes_it_back() {
    let mut home = home((120, 40));
    assert_eq!(keys(&mut home, "/finished"), None);
    let shown =
        |home: &HomeModel| home.shown_runs().map(|run| run.id.0.clone()).collect::<Vec<_>>().join(" ");
    assert_eq!(shown(&home), "stairs-202609 friction-202602");
    keys(&mut home, " !stairs");
    assert_eq!(shown(&home), "friction-202602");
    assert!(text(&home).contains("1 of 7 shown /finished !stairs"), "{}", text(&home));
    keys(&mut home, "\x1b");
    assert_eq!(home.shown_runs().count(), RUNS);
    keys(&mut home, "/libero\n");
    assert_eq!(keys(&mut home, "\n"), Some(HomeRequest::Plan(wish())), "sweeps are narrowed too");
    let mut home = self::home((120, 40));
    keys(&mut home, "/q\n");
    assert!(text(&home).contains("no run passes the filter"));
    keys(&mut home, "\x1b");
    assert_eq!(home.shown_runs().count(), RUNS);
}

#[test]
fn a_plan_starts_what_is_ticked_with_the_limit_that_was_set_and_says_what_differs() {
    let mut home = planning((80, 24));
    // The cursor goes on after each tick.
    let Some(HomeRequest::Start(start)) = keys(&mut home, "  --s") else { panic!("nothing is started") };
    assert_eq!((start.wish.parallel, start.source.as_str()), (Some(2), "[shard]"));
    let left_out: Vec<&str> = start.wish.left_out.iter().map(String::as_str).collect();
    assert_eq!(left_out, ["policy=flat env=grass", "policy=flat env=stairs"]);
    assert_eq!(start.changes, ["without policy=flat", "2 side by side"]);
    keys(&mut home, "-----");
    assert_eq!(planned(&mut home).side_by_side(), 1, "none at all side by side is no run");
}

#[test]
fn each_choice_asks_the_machine_again_and_late_answers_are_dropped() {
    let mut home = planning((120, 40));
    let Some(HomeRequest::Plan(first)) = keys(&mut home, " ") else { panic!("the machine is not asked") };
    let Some(HomeRequest::Plan(second)) = keys(&mut home, "+") else { panic!("the machine is not asked") };
    assert!(text(&home).contains("looking at the machine again"), "{}", text(&home));
    let answer =
        |wish: &SweepRequest, hours| Ok(SweepPlan { wish: wish.clone(), outlook: outlook(hours), ..plan() });
    take_plan(&mut home, &first, answer(&first, 9));
    assert!(planned(&mut home).asked, "that was not the last wish");
    take_plan(&mut home, &second, answer(&second, 7));
    assert!(!planned(&mut home).asked);
    assert_eq!(planned(&mut home).cursor, 1, "the cursor stays");
    assert!(text(&home).contains("7h 00m in all"), "{}", text(&home));
    assert_eq!(keys(&mut home, "j"), None, "moving asks nothing");
}

#[test]
fn a_value_of_an_axis_takes_its_combos_along() {
    let mut home = planning((120, 40));
    keys(&mut home, "\tj ");
    let ticked = |home: &mut HomeModel| -> Vec<String> {
        let plan = planned(home);
        plan.ticked_combos().map(|combo| combo.name.clone()).collect()
    };
    assert_eq!(ticked(&mut home), ["policy=flat env=stairs", "policy=flat env=grass"]);
    keys(&mut home, "j ");
    assert_eq!(ticked(&mut home), ["policy=flat env=grass"]);
    assert!(text(&home).contains("[-] flat"), "{}", text(&home));
    keys(&mut home, "k j  ");
    assert_eq!(ticked(&mut home).len(), 4);
}

#[test]
fn values_can_be_added_and_changed_and_belong_to_their_axis() {
    let mut home = planning((120, 40));
    assert_eq!(keys(&mut home, "\tirough\n"), None);
    assert!(text(&home).contains("`policy` has `rough` already"), "{}", text(&home));
    let Some(HomeRequest::Plan(wish)) = keys(&mut home, "er\n") else { panic!("the machine is not asked") };
    let values: Vec<String> = wish.axes[0].values.iter().map(ToString::to_string).collect();
    assert_eq!(
        (wish.axes[0].name.as_str(), values),
        ("policy", vec!["flat".to_owned(), "rough".to_owned(), "rougher".to_owned()])
    );
    assert_eq!(planned(&mut home).list_changes(), ["policy = flat, rough, rougher instead of flat, rough"]);
    keys(&mut home, "E\x08\x08\x08\x08bumpy\n");
    assert_eq!(planned(&mut home).list_changes(), ["policy = bumpy, rough, rougher instead of flat, rough"]);
    keys(&mut home, "i\x1b");
    assert_eq!(planned(&mut home).typing, None);
    let Some(HomeRequest::Plan(asked)) = keys(&mut home, "+") else { panic!("the machine is not asked") };
    take_plan(&mut home, &asked, Err(vec!["the axis is wrong".to_owned()]));
    assert_eq!(keys(&mut home, "s"), None, "what has no plan is not started");
    assert!(text(&home).contains("the axis is wrong"), "{}", text(&home));
}

#[test]
fn a_packed_axis_loses_values_rather_than_combos() {
    let mut home = planning((120, 40));
    planned(&mut home).axes[0].packed = true;
    keys(&mut home, "\t ");
    assert_eq!(planned(&mut home).list_changes(), ["policy = rough instead of flat, rough"]);
    keys(&mut home, "j ");
    assert_eq!(planned(&mut home).list_changes(), ["policy = rough instead of flat, rough"], "one must stay");
    keys(&mut home, "k ");
    assert_eq!(planned(&mut home).list_changes(), Vec::<String>::new());
}

#[test]
fn nothing_ticked_and_what_the_preflight_refuses_start_nothing_and_say_so() {
    let mut home = planning((80, 24));
    assert_eq!(keys(&mut home, "Ms"), None);
    assert!(text(&home).contains("no combo is ticked"), "{}", text(&home));
    let mut home = planning((80, 24));
    let refusal = PreflightRemark {
        gravity: Gravity::Refusal,
        text: "error: program: there is no `python`".to_owned(),
    };
    let PlanForecast::Told { preflight, .. } = &mut planned(&mut home).outlook else { panic!("it is told") };
    preflight.insert(0, refusal);
    assert_eq!(keys(&mut home, "s"), None);
    assert!(text(&home).contains("not started: error: program"), "{}", text(&home));
}

#[test]
fn readers_start_nothing_and_change_nothing() {
    let mut home = planning((80, 24));
    home.access = ScreenAccess::ReadOnly;
    assert_eq!(keys(&mut home, " +MiEs"), None);
    assert_eq!(home.page, HomePage::Plan(Box::new(plan())));
    assert!(!text(&home).contains("start"), "{}", text(&home));
    let mut home = self::home((80, 24));
    home.access = ScreenAccess::ReadOnly;
    assert_eq!(keys(&mut home, &("j".repeat(RUNS - 1) + "\x08")), None, "the list is not theirs to change");
}

#[test]
fn a_plan_that_comes_too_late_opens_nothing() {
    let mut home = home((80, 24));
    keys(&mut home, &("j".repeat(RUNS) + "\n"));
    assert!(text(&home).contains("reading configs/libero.toml"), "{}", text(&home));
    keys(&mut home, "\x1b");
    take_plan(&mut home, &wish(), Ok(plan()));
    assert_eq!(home.page, HomePage::Lists);
    keys(&mut home, "\n");
    take_plan(&mut home, &wish(), Ok(plan()));
    assert_eq!(home.page, HomePage::Plan(Box::new(plan())));
}

#[test]
fn ctrl_c_leaves_while_something_is_typed_and_esc_never_leaves() {
    let control = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    for typed in ["", "/ab", "?"] {
        let mut home = home((80, 24));
        keys(&mut home, typed);
        assert_eq!(handle_key(&mut home, control), Some(HomeRequest::Leave), "{typed:?}");
    }
    let mut home = home((80, 24));
    assert_eq!(keys(&mut home, "\x1b\x1b\x1b"), None);
    assert_eq!(keys(&mut home, "?q"), None, "q closes what lies on top");
    assert_eq!(keys(&mut home, "q"), Some(HomeRequest::Leave));
}

#[test]
fn a_terminal_that_says_it_is_huge_is_not_believed() {
    let mut home = home((80, 24));
    resize(&mut home, (u16::MAX, u16::MAX));
    assert_eq!(home.size, (1000, 1000));
}

#[derive(Debug, Clone)]
enum Step {
    Typed(KeyEvent),
    Resized(u16, u16),
    Answered,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let letters = " /?sanetDjkgGqH+-x!=".chars().map(KeyCode::Char);
    let named = [KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::Backspace, KeyCode::Up, KeyCode::Down];
    let known = proptest::sample::select(letters.chain(named).collect::<Vec<_>>());
    let code = prop_oneof![9 => known, 1 => any::<char>().prop_map(KeyCode::Char)];
    let typed = code.prop_map(|code| Step::Typed(KeyEvent::new(code, KeyModifiers::NONE)));
    let size = (1_u16..=300, 1_u16..=100).prop_map(|(columns, rows)| Step::Resized(columns, rows));
    let small = (1_u16..=90, 1_u16..=26).prop_map(|(columns, rows)| Step::Resized(columns, rows));
    let answered = proptest::strategy::Just(Step::Answered);
    proptest::collection::vec(prop_oneof![8 => typed, 1 => size, 1 => small, 1 => answered], 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_keys_at_any_size_make_it_panic(steps in steps()) {
        let mut problems = home((80, 24));
        let lines = vec!["a".repeat(500); 50];
        problems.page = HomePage::Problems { title: "x".to_owned(), lines, scrolled: 0 };
        let empty = HomeModel::new(ScreenAccess::Acting, hour(0), TimeZone::UTC);
        for mut home in [home((80, 24)), planning((80, 24)), problems, empty] {
            let mut asked = None;
            for step in &steps {
                match step {
                    Step::Typed(event) => {
                        if let Some(HomeRequest::Plan(wish)) = handle_key(&mut home, *event) {
                            asked = Some(wish);
                        }
                    }
                    Step::Resized(columns, rows) => home.size = (*columns, *rows),
                    Step::Answered => {
                        if let Some(wish) = asked.take() {
                            let fewer = plan().combos.split_off(3);
                            let answer = SweepPlan { wish: wish.clone(), combos: fewer, ..plan() };
                            take_plan(&mut home, &wish, Ok(answer));
                        }
                    }
                }
                text(&home);
            }
        }
    }
}

#[test]
fn a_click_chooses_a_line_and_one_more_opens_it() {
    for size in [(200, 60), (80, 24), (60, 15), (40, 5)] {
        let mut home = home(size);
        // Beside the lists the preview names the run too.
        let row_of = |home: &HomeModel| {
            let begins = |line: &str| line.chars().take(60).collect::<String>().contains("stairs-2026");
            text(home).lines().position(begins).unwrap() as u16
        };
        let row = row_of(&home);
        let kind = MouseEventKind::Down(MouseButton::Left);
        let click = MouseEvent { kind, column: 9, row, modifiers: KeyModifiers::NONE };
        assert_eq!(use_mouse(&mut home, click), None);
        let chosen = home.lines()[home.cursor];
        assert!(matches!(chosen, HomeLine::Run(run) if run.id.0 == "stairs-202609"), "{size:?}: {chosen:?}");
        // The chosen line may have moved on a screen that shows few.
        let row = row_of(&home);
        let opened = use_mouse(&mut home, MouseEvent { row, ..click });
        assert_eq!(opened, Some(HomeRequest::Attach(PathBuf::from("/home/ada/evals/results/stairs"))));
    }
    let mut home = home((80, 24));
    let shown = text(&home);
    let row = shown.lines().position(|line| line.contains("sweep.toml")).unwrap() as u16;
    let kind = MouseEventKind::Down(MouseButton::Left);
    use_mouse(&mut home, MouseEvent { kind, column: 9, row, modifiers: KeyModifiers::NONE });
    assert_eq!(home.cursor, RUNS + 1);
}
