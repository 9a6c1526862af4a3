//! The home screen: what it shows at several sizes, what its keys do, and no panic at any size.

#![allow(clippy::unwrap_used, reason = "tests say by panicking what is wrong")]

use std::path::PathBuf;
use std::time::Duration;

use evaldeck::model::ids::{RunId, ShardId};
use evaldeck::results::status::{Counts, RunWord};
use evaldeck::tui::model::home::{
    ComboLine, Gravity, Home, Page, Remark, RunLine, Start, SweepLine, SweepPlan,
};
use evaldeck::tui::model::screen::Access;
use evaldeck::tui::once;
use evaldeck::tui::theme::color::Depth;
use evaldeck::tui::theme::store;
use evaldeck::tui::update::home::{HomeRequest, press};
use evaldeck::tui::view::home::draw;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;

const PLAN: usize = 4;

fn run(name: &str, hour: i64, state: Option<RunWord>, counts: Option<[usize; 8]>) -> RunLine {
    RunLine {
        id: RunId(format!("{name}-2026{hour:02}")),
        dir: PathBuf::from(format!("/home/ada/evals/results/{name}")),
        created: Timestamp::from_second(1_795_000_000 + hour * 3600).unwrap(),
        state,
        counts: counts.map(Counts),
    }
}

fn home(size: (u16, u16)) -> Home {
    let mut home = Home::new(Access::Acting, TimeZone::UTC);
    home.size = size;
    home.take_runs(vec![
        run("stairs", 9, Some(RunWord::Finished), Some([0, 0, 0, 0, 0, 8, 0, 0])),
        run("broken", 8, None, None),
        run("grass", 7, Some(RunWord::Running), Some([2, 0, 3, 0, 0, 2, 1, 0])),
        run("old", 1, Some(RunWord::Stopped), Some([0, 0, 0, 0, 0, 1, 0, 3])),
    ]);
    home.sweeps = vec![
        SweepLine { path: PathBuf::from("configs/libero.toml"), shards: Some(40) },
        SweepLine { path: PathBuf::from("sweep.toml"), shards: None },
    ];
    home
}

fn plan() -> SweepPlan {
    let combo = |policy: &str, terrain: &str| ComboLine {
        name: format!("policy={policy} env={terrain}"),
        shards: (0..2).map(|slice| ShardId::new(format!("{policy}_{terrain}_{slice}")).unwrap()).collect(),
        foreseen: Some(Duration::from_secs(1800)),
        ticked: true,
    };
    SweepPlan {
        path: PathBuf::from("configs/libero.toml"),
        name: "libero".to_owned(),
        combos: vec![
            combo("flat", "stairs"),
            combo("flat", "grass"),
            combo("rough", "stairs"),
            combo("rough", "grass"),
        ],
        parallel: 4,
        because: Some("4 fit into 79.6 GiB of VRAM".to_owned()),
        preflight: vec![
            Remark { gravity: Gravity::Refusal, text: "error: program: there is no `python`".to_owned() },
            Remark { gravity: Gravity::Note, text: "note: disk: 12 GiB are free".to_owned() },
        ],
        cursor: 0,
    }
}

fn planning(size: (u16, u16)) -> Home {
    let mut home = home(size);
    home.page = Page::Plan(plan());
    home
}

fn keys(home: &mut Home, keys: &str) -> Option<HomeRequest> {
    let mut last = None;
    for c in keys.chars() {
        let code = match c {
            '\n' => KeyCode::Enter,
            '\x1b' => KeyCode::Esc,
            c => KeyCode::Char(c),
        };
        last = press(home, KeyEvent::new(code, KeyModifiers::NONE));
    }
    last
}

fn text(home: &Home) -> String {
    let (theme, _) = store::load_or_default(None, Depth::None, false);
    let mut buffer = Buffer::empty(Rect::new(0, 0, home.size.0, home.size.1));
    draw(home, &theme, &mut buffer);
    once::text(&buffer)
}

#[test]
fn runs_and_sweeps_120x40() {
    insta::assert_snapshot!(text(&home((120, 40))));
}

#[test]
fn runs_and_sweeps_80x24() {
    insta::assert_snapshot!(text(&home((80, 24))));
}

#[test]
fn a_plan_120x40() {
    let mut home = planning((120, 40));
    keys(&mut home, "j +");
    insta::assert_snapshot!(text(&home));
}

#[test]
fn a_plan_80x24() {
    insta::assert_snapshot!(text(&planning((80, 24))));
}

#[test]
fn runs_that_go_on_stand_first_and_enter_opens_what_is_chosen() {
    let attach =
        |name: &str| Some(HomeRequest::Attach(PathBuf::from(format!("/home/ada/evals/results/{name}"))));
    assert_eq!(keys(&mut home((80, 24)), "\n"), attach("grass"));
    assert_eq!(keys(&mut home((80, 24)), "j\n"), attach("stairs"));
    let libero = Some(HomeRequest::Plan(PathBuf::from("configs/libero.toml")));
    assert_eq!(keys(&mut home((80, 24)), &("j".repeat(PLAN) + "\n")), libero);
}

#[test]
fn the_cursor_stays_with_its_line_when_runs_come() {
    let newer = || run("new", 11, Some(RunWord::Running), None);
    for (down, chosen) in [(1, "results/stairs"), (PLAN, "configs/libero.toml")] {
        let mut home = home((80, 24));
        keys(&mut home, &"j".repeat(down));
        let runs = std::iter::once(newer()).chain(home.runs.clone()).collect();
        home.take_runs(runs);
        let opened = format!("{:?}", keys(&mut home, "\n"));
        assert!(opened.contains(chosen), "{opened}");
    }
}

#[test]
fn a_plan_starts_what_is_ticked_with_the_limit_that_was_set() {
    let ids =
        |names: &[&str]| -> Vec<ShardId> { names.iter().map(|name| ShardId::new(*name).unwrap()).collect() };
    let start = |shards, parallel| {
        let sweep = PathBuf::from("configs/libero.toml");
        Some(HomeRequest::Start(Start { sweep, shards, parallel }))
    };
    let mut home = planning((80, 24));
    // The cursor goes on after each tick.
    let kept = ids(&["rough_stairs_0", "rough_stairs_1", "rough_grass_0", "rough_grass_1"]);
    assert_eq!(keys(&mut home, "  --s"), start(kept, 2));
    assert_eq!(keys(&mut home, "-----s").map(|_| ()), Some(()));
    let Page::Plan(plan) = &home.page else { panic!("the plan stays") };
    assert_eq!(plan.parallel, 1, "none at all side by side is no run");
}

#[test]
fn nothing_ticked_starts_nothing_and_says_so() {
    let mut home = planning((80, 24));
    assert_eq!(keys(&mut home, "as"), None);
    assert!(text(&home).contains("no combo is ticked"), "{}", text(&home));
}

#[test]
fn readers_start_nothing() {
    let mut home = planning((80, 24));
    home.access = Access::ReadOnly;
    assert_eq!(keys(&mut home, " +s"), None);
    assert_eq!(home.page, Page::Plan(plan()));
    assert!(!text(&home).contains("start"), "{}", text(&home));
}

#[test]
fn no_size_makes_it_panic() {
    let mut problems = home((80, 24));
    problems.page = Page::Problems { title: "x".to_owned(), lines: vec!["a".repeat(500); 50] };
    for mut home in [home((80, 24)), planning((80, 24)), problems, Home::new(Access::Acting, TimeZone::UTC)] {
        for columns in [1, 2, 5, 12, 40, 80, 300] {
            for rows in [1, 2, 3, 5, 8, 24, 100] {
                home.size = (columns, rows);
                text(&home);
                keys(&mut home, "jjk");
            }
        }
    }
}
