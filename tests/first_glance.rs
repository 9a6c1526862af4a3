//! What the first frame answers: is it going well, what is wrong, when is it done.

#![expect(clippy::unwrap_used, reason = "a scene that cannot be shown is a failed test")]

mod scene;

use std::time::Duration;

use jiff::SignedDuration;
use jiff::tz::TimeZone;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use scene::Scene;
use sweepdeck::model::ids::{AttemptNumber, GpuIndex, ShardId};
use sweepdeck::model::machine::sample::{GpuCard, GpuInventory, GpuSample, HostSample};
use sweepdeck::model::machine::throttle::{Throttle, ThrottleReason};
use sweepdeck::model::outcome::FailureReason;
use sweepdeck::model::state::fact::{Event, Fact};
use sweepdeck::model::state::phase::{Phase, PhaseKind};
use sweepdeck::tui::message::{MachineNews, Message};
use sweepdeck::tui::model::screen::{Model, ScreenAccess, Supervision};
use sweepdeck::tui::once;
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::store;
use sweepdeck::tui::update::message::update;

fn open(scene: &Scene, size: (u16, u16)) -> Model {
    let mut model = once::read_model(&scene.run, size, scene::now(), TimeZone::UTC).unwrap();
    model.access = ScreenAccess::Acting;
    model
}

fn key(model: &mut Model, code: KeyCode) {
    update(model, Message::Key(KeyEvent::new(code, KeyModifiers::NONE)));
}

fn choose(model: &mut Model, shard: &str) {
    for _ in 0..model.state.shards.len() {
        if model.selected_shard().is_some_and(|reading| reading.state.id.as_str() == shard) {
            return;
        }
        key(model, KeyCode::Char('j'));
    }
    key(model, KeyCode::Char('g'));
    for _ in 0..model.state.shards.len() {
        if model.selected_shard().is_some_and(|reading| reading.state.id.as_str() == shard) {
            return;
        }
        key(model, KeyCode::Char('j'));
    }
    panic!("{shard} is not in the table");
}

fn text(model: &Model) -> String {
    let (theme, _) = store::load_or_default(None, Depth::None, false);
    once::buffer_to_text(&once::draw_model(model, &theme))
}

/// The lines on top alone.
fn header(model: &Model) -> String {
    text(model).lines().take(3).map(|line| format!("{line}\n")).collect()
}

fn row(model: &Model, shard: &str) -> String {
    let text = text(model);
    text.lines().skip(4).find(|line| line.contains(shard)).unwrap_or_default().to_owned()
}

#[test]
fn a_silent_shard_is_named_and_does_not_move_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene::silent(folder.path());
    let mut model = open(&scene, (120, 40));
    choose(&mut model, "act_goal_2");
    insta::assert_snapshot!("silent_120x40", header(&model));
    let stuck = row(&model, "act_goal_2");
    assert!(stuck.contains("! silent 8m") && !stuck.contains("/s") && !stuck.contains("m left"), "{stuck}");
    let left = model.left.unwrap().time.as_secs();
    update(&mut model, Message::Tick { now: scene::now() + Duration::from_secs(3600), bytes: 0 });
    // The other two are silent by then as well: of none the hour counts as work.
    let later = model.left.unwrap().time.as_secs();
    assert!(later.abs_diff(left) < 600, "{left} s, an hour later {later} s");
    assert!(header(&model).contains("if 3 shards resume "), "{}", header(&model));
}

#[test]
fn a_run_without_a_supervisor_has_no_silent_shards_because_no_log_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = open(&scene::silent(folder.path()), (120, 40));
    for _ in 0..3 {
        update(&mut model, Message::Supervisor(Supervision::Missing { looks: 1 }));
    }
    assert!(!text(&model).contains("silent"), "{}", text(&model));
}

#[test]
fn a_pause_is_no_silence_and_forgets_none() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = open(&scene::silent(folder.path()), (120, 40));
    let hour = Duration::from_secs(3600);
    let facts = |change: fn(ShardId, AttemptNumber) -> Event, at| {
        let shards = model.state.shards.iter().filter(|shard| shard.phase.kind() == PhaseKind::Running);
        let event = |id: &ShardId| Fact::new(at, change(id.clone(), AttemptNumber::FIRST));
        shards.map(|shard| event(&shard.id)).collect()
    };
    let paused: Vec<Fact> =
        facts(|shard, attempt| Event::AttemptPaused { shard, attempt, by: None }, scene::now());
    let resumed: Vec<Fact> =
        facts(|shard, attempt| Event::AttemptResumed { shard, attempt, by: None }, scene::now() + hour);
    assert_eq!(paused.len(), 3);
    update(&mut model, Message::Facts(paused));
    let waiting = header(&model);
    assert!(waiting.contains("all is paused") && !waiting.contains("silent"), "{waiting}");
    assert!(!waiting.contains("all is well"), "{waiting}");
    let left = model.left;
    update(&mut model, Message::Facts(resumed));
    update(&mut model, Message::Tick { now: scene::now() + hour, bytes: 0 });
    assert!(
        left.unwrap().time.abs_diff(model.left.unwrap().time).as_secs() < 60,
        "{left:?} and {:?}",
        model.left
    );
    assert!(row(&model, "act_goal_2").contains("! silent 8m"), "{}", text(&model));
    assert!(header(&model).contains("! 1 silent"), "{}", header(&model));
}

#[test]
fn a_failure_hides_no_silent_shard_and_the_success_says_what_it_counts() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = open(&scene::busy(folder.path()), (120, 40));
    for size in [(200, 60), (120, 40), (80, 24), (60, 15)] {
        model.size = size;
        insta::assert_snapshot!(format!("two_kinds_{}x{}", size.0, size.1), header(&model));
    }
}

#[test]
fn the_details_say_when_the_log_was_written_last() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = open(&scene::silent(folder.path()), (120, 40));
    choose(&mut model, "act_goal_2");
    let key_of = model.selected_attempt().unwrap();
    let at = scene::now() - Duration::from_secs(480);
    update(&mut model, Message::LastOutput { key: key_of, at });
    key(&mut model, KeyCode::Enter);
    let details = text(&model);
    assert!(details.contains("last output 13:52:00, 8m 00s ago"), "{details}");
    assert!(details.contains("no progress for 8m 0"), "{details}");
    assert!(details.contains("at best on 3 slots"), "{details}");
}

#[test]
fn the_worst_shard_is_one_sentence_with_its_cause_and_its_keys() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = open(&scene::out_of_memory(folder.path()), (120, 40));
    choose(&mut model, "act_goal_2");
    insta::assert_snapshot!("out_of_memory_120x40", header(&model));
    model.size = (80, 24);
    insta::assert_snapshot!("out_of_memory_80x24", header(&model));
    model.access = ScreenAccess::ReadOnly;
    model.size = (120, 40);
    assert!(!header(&model).contains("r rerun"), "{}", header(&model));
    assert!(header(&model).contains("P proof"), "{}", header(&model));
}

#[test]
fn routine_power_capping_is_one_quiet_entry() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = open(&scene::silent(folder.path()), (120, 40));
    let card = |index| GpuCard { uuid: format!("GPU-{index}"), ..GpuCard::unknown(GpuIndex(index)) };
    let cards = (0..8).map(card).collect();
    update(
        &mut model,
        MachineNews::Inventory(GpuInventory::Present { driver: "570.86".to_owned(), cards }).of_own_machine(),
    );
    let capped = |index| GpuSample {
        throttle: Some([ThrottleReason::PowerCap].into_iter().collect()),
        throttled_percent: Some(98.0),
        ..GpuSample::unknown(GpuIndex(index), scene::now())
    };
    update(&mut model, MachineNews::Gpus((0..6).map(capped).collect()).of_own_machine());
    let host = HostSample {
        timestamp: scene::now(),
        cpu_percent: Some(40.0),
        cores: 64,
        ram_used_bytes: None,
        ram_total_bytes: None,
        load_1m: None,
        ..HostSample::unknown(jiff::Timestamp::UNIX_EPOCH)
    };
    update(&mut model, MachineNews::Host(vec![host]).of_own_machine());
    insta::assert_snapshot!("power_cap_120x40", header(&model));
}

/// An H200 met its cap for a second while six shards started; the header said so to the end of the run.
#[test]
fn a_power_cap_is_named_while_it_is_met() {
    let named = |scene: &Scene, ended: i64| {
        let mut model = open(scene, (120, 40));
        let card = GpuCard { uuid: "GPU-0".to_owned(), ..GpuCard::unknown(GpuIndex(0)) };
        let inventory = GpuInventory::Present { driver: "580.159".to_owned(), cards: vec![card] };
        update(&mut model, MachineNews::Inventory(inventory).of_own_machine());
        for age in (0..20).rev() {
            let is_capped = age >= ended;
            let sample = GpuSample {
                throttle: Some(
                    is_capped.then_some(ThrottleReason::PowerCap).into_iter().collect::<Throttle>(),
                ),
                throttled_percent: Some(if is_capped { 42.0 } else { 0.0 }),
                ..GpuSample::unknown(GpuIndex(0), scene::now() - SignedDuration::from_secs(age))
            };
            update(&mut model, MachineNews::Gpus(vec![sample]).of_own_machine());
        }
        header(&model).contains("at power cap")
    };
    let folder = tempfile::tempdir().unwrap();
    let at_work = scene::large(folder.path(), 4, 1);
    assert!(named(&at_work, 0));
    assert!(!named(&at_work, 15));
    let folder = tempfile::tempdir().unwrap();
    assert!(!named(&scene::finished(folder.path()), 0));
}

#[test]
fn a_finished_run_says_where_its_report_is_and_shows_no_machine_of_now() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = open(&scene::finished(folder.path()), (120, 40));
    update(&mut model, Message::Report("results/nightly/results/report.html".to_owned()));
    insta::assert_snapshot!("finished_120x40", header(&model));
    let screen = text(&model);
    assert!(screen.contains("Host until 12:28") && !screen.contains("stale"), "{screen}");
}

#[test]
fn small_screens_keep_the_machine_the_bar_the_end_and_the_alarm() {
    let folder = tempfile::tempdir().unwrap();
    let model = open(&scene::busy(folder.path()), (80, 24));
    insta::assert_snapshot!("busy_80x24", text(&model));
    let model = open(&scene::busy(folder.path().join("small").as_path()), (60, 15));
    insta::assert_snapshot!("busy_60x15", text(&model));
}

#[test]
fn what_the_user_killed_is_not_the_worst() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = open(&scene::out_of_memory(folder.path()), (120, 40));
    let failure = model.state.shards.iter().find_map(|shard| match &shard.phase {
        Phase::Failed { ended, failure } => Some((ended.clone(), failure.clone())),
        _other => None,
    });
    let (mut ended, mut failure) = failure.unwrap();
    ended.at = scene::now();
    failure.reason = FailureReason::Killed;
    model.state.shards[0].phase = Phase::Failed { ended, failure };
    assert!(header(&model).contains("act_goal_2: CUDA OOM"), "{}", header(&model));
}
