//! Small logs of each format, read whole and in pieces.

use std::sync::{Arc, LazyLock};

use proptest::prelude::{any, prop_assert_eq, proptest};

use crate::model::logs::mark::MarkKind;
use crate::model::logs::stage::Stage;
use crate::model::outcome::Progress;
use crate::model::sweep::plan::{MetricSource, MetricSpec, ProgressSpec, Reduce};
use crate::model::sweep::rule::{OwnRuleSpec, RuleSpec, RuleVerdict};
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::reading::LogSummary;
use crate::progress::scan::reading::scan_json;
use crate::progress::scan::text::scan_text;

/// Compiled once: properties read hundreds of logs.
static AUTO: LazyLock<Arc<LogRules>> = LazyLock::new(|| Arc::new(LogRules::preset("auto").unwrap()));

type Marks = Vec<(u64, MarkKind)>;

const ISAAC: &str = "\
[1.165s] [ext: omni.kit.app-1.0] startup\r
[9.192s] app ready\r
  [   1/3] stairs_flat_ep0000  FELL      progress= 10.6m  zone=2  time=28.9s\r
  [   2/3] stairs_flat_ep0001  COMPLETE  progress= 49.4m  zone=5  time=31.1s\r
  [   3/3] stairs_flat_ep0002  FELL      progress=  0.0m  zone=1  time=1.3s\r
  Evaluation complete!\r
  Total time:     61.3s (1.0min)\r
";

const TRAINING_OLD: &str = "\
################################################################################
                       \x1b[1m Learning iteration 8/10 \x1b[0m

                       Computation: 8968 steps/s (collection: 2.485s, learning 0.256s)
################################################################################
                       \x1b[1m Learning iteration 9/10 \x1b[0m

                       Computation: 8965 steps/s (collection: 2.474s, learning 0.268s)
                       Mean reward: -3.82
                   Total timesteps: 245760
                               ETA: 00:00:02

Training time: 30.88 seconds
";

const TRAINING_NEW: &str = "\
                          Learning iteration 66/30000

                            Total steps: 1608
                       Steps per second: 101
                            Mean reward: nan
                    Mean episode length: 59.62
";

const BARS: &str = "Loading checkpoint shards: 100%|████| 2/2 [00:02<00:00,  1.45s/it]\n\
\rEvaluating:   0%|    | 0/4 [00:00<?, ?it/s]\n\rRollout:  50%|██  | 140/280 [00:02<00:02, 61it/s]\x1b[A\
\rEvaluating:  25%|█   | 1/4 [00:09<00:27,  9.1s/it, success=50.0%]warnings.warn(\n";

const EPISODES: &str = "\
Episode 1/3 reward=10.0 length=200 success=1
Episode 2/3 reward=20.5 length=100 success=0
Episode 3/3 reward=-0.5 length=150 success=True
";

const TRACEBACK: &str = "\
Traceback (most recent call last):
  File \"e.py\", line 3, in <module>
    main()
";

fn spec(preset: &str) -> ProgressSpec {
    ProgressSpec::of_preset(preset)
}

fn own(done: &str, total: Option<u64>, finished: Option<&str>) -> LogRules {
    let progress =
        ProgressSpec { done: Some(done.into()), total, finished: finished.map(Into::into), ..spec("auto") };
    LogRules::compile(&progress, &[], &[]).unwrap()
}

fn read_pieces<'a>(rules: Arc<LogRules>, pieces: impl IntoIterator<Item = &'a [u8]>) -> (Marks, LogSummary) {
    let mut reader = LogReader::new(rules);
    let mut marks = Vec::new();
    for piece in pieces {
        reader.feed(piece, &mut marks);
    }
    reader.finish(&mut marks);
    (marks, reader.reading().clone())
}

fn read(rules: LogRules, log: &str) -> (Marks, LogSummary) {
    read_pieces(Arc::new(rules), [log.as_bytes()])
}

pub(super) fn auto(log: &str) -> LogSummary {
    read_pieces(Arc::clone(&AUTO), [log.as_bytes()]).1
}

pub(super) fn progress(done: u64, total: u64) -> Option<Progress> {
    Some(Progress { done, total: Some(total) })
}

pub(super) fn metric(reading: &LogSummary, name: &str) -> f64 {
    reading.metrics.get(name).copied().unwrap_or(f64::NAN)
}

#[test]
fn isaac_evaluations_count_outcomes() {
    let (marks, reading) = read(LogRules::preset("auto").unwrap(), ISAAC);
    assert_eq!((reading.preset, reading.progress), (Some("isaac-eval"), progress(3, 3)));
    assert_eq!(metric(&reading, "outcome_FELL"), 2.0);
    assert_eq!(metric(&reading, "successes"), 1.0);
    assert_eq!(metric(&reading, "mean_progress_m"), 20.0);
    assert_eq!(metric(&reading, "total_time_s"), 61.3);
    assert!(reading.finished.is_some() && reading.complete());
    let first_episode = ISAAC.find("  [   1/3]").unwrap() as u64;
    assert_eq!(marks[0].1, MarkKind::Stage(Stage::Starting("extensions of Isaac Sim".into())));
    assert_eq!(marks[2], (first_episode, MarkKind::Preset { name: "isaac-eval".into() }));
    assert_eq!(marks[3], (first_episode, MarkKind::Progress(Progress { done: 1, total: Some(3) })));
    assert_eq!(marks[4], (first_episode, MarkKind::Stage(Stage::Running)));
}

#[test]
fn the_last_iteration_of_a_training_completes_it() {
    let reading = auto(TRAINING_OLD);
    assert_eq!((reading.preset, reading.progress), (Some("rsl-rl"), progress(10, 10)));
    assert_eq!((metric(&reading, "steps_per_s"), metric(&reading, "mean_reward")), (8965.0, -3.82));
    assert!(reading.complete());
    let reading = auto(TRAINING_NEW);
    assert_eq!(reading.progress, progress(67, 30000));
    assert_eq!((metric(&reading, "steps_per_s"), metric(&reading, "total_steps")), (101.0, 1608.0));
    assert!(!reading.complete());
}

#[test]
fn a_metric_that_is_not_a_number_is_marked_and_not_kept() {
    let (marks, reading) = read(LogRules::preset("rsl-rl").unwrap(), TRAINING_NEW);
    assert!(!reading.metrics.contains_key("mean_reward"));
    assert!(
        marks.iter().any(|(_, mark)| *mark == MarkKind::Metric { name: "mean_reward".into(), value: None })
    );
}

#[test]
fn the_outer_bar_drives_the_progress_and_loading_does_not() {
    let reading = auto(BARS);
    assert_eq!((reading.preset, reading.progress), (Some("tqdm"), progress(1, 4)));
    assert!(reading.guessed && !reading.falls_short(), "a bar that nobody declared proves nothing");
    let (_, declared) = read(LogRules::preset("tqdm").unwrap(), BARS);
    assert!(declared.falls_short());
    let loading = auto("Loading checkpoint shards: 100%|████| 2/2 [00:02<00:00,  1.45s/it]\n");
    assert_eq!((loading.preset, loading.progress), (None, None));
}

#[test]
fn a_glance_shows_the_bar_that_stands_and_changes_nothing_else() {
    let mut reader = LogReader::new(Arc::clone(&AUTO));
    let mut marks = Vec::new();
    reader.feed("\rEvaluating:  40%|██  | 2/5 [01:06<01:39, 33.9s/it]".as_bytes(), &mut marks);
    assert_eq!(marks, []);
    reader.glance(&mut marks);
    assert_eq!(reader.reading().progress, progress(2, 5));
    let seen = marks.len();
    reader.feed(b"\r", &mut marks);
    assert_eq!(marks.len(), seen);
    reader.feed(b"Episode 1/3 success=1", &mut marks);
    reader.glance(&mut marks);
    assert_eq!(marks.len(), seen, "an episode is counted once, when its line has ended");
}

#[test]
fn plain_episode_lines_are_counted() {
    let reading = auto(EPISODES);
    assert_eq!((reading.preset, reading.progress), (Some("episode"), progress(3, 3)));
    assert_eq!((metric(&reading, "successes"), metric(&reading, "episodes")), (2.0, 3.0));
    assert_eq!((metric(&reading, "mean_reward"), metric(&reading, "mean_length")), (10.0, 150.0));
}

#[test]
fn a_program_that_shows_itself_late_replaces_a_bar() {
    let reading = auto(&format!("\rCaching: 10%|█ | 1/10 [00:01<00:09, 1s/it]\n{ISAAC}"));
    assert_eq!(
        (reading.preset, reading.progress, reading.guessed),
        (Some("isaac-eval"), progress(3, 3), false)
    );
}

#[test]
fn an_own_pattern_counts_and_nothing_else_does() {
    let (_, reading) =
        read(own(r"step (?<done>\d+)", Some(9), Some("^all done$")), &format!("step 4\n{EPISODES}"));
    assert_eq!(reading.progress, progress(4, 9));
    assert_eq!(reading.progress_text().unwrap(), "4 of 9 done");
    assert_eq!(metric(&reading, "episodes"), 3.0);
    assert!(!reading.complete());
    let (_, silent) = read(own(r"step (?<done>\d+)", Some(9), None), "");
    assert_eq!(silent.progress, progress(0, 9));
    let (_, done) = read(own(r"step (?<done>\d+)", None, Some("^all done$")), "step 4\r\nall done\r\n");
    assert!(done.complete());
}

#[test]
fn own_metrics_are_reduced_and_own_rules_override_what_is_built_in() {
    let metric_spec = MetricSpec {
        name: "fps".into(),
        source: MetricSource::Log { pattern: r"fps=(?<value>\S+)".into() },
        reduce: Reduce::Mean,
        unit: None,
        scale: None,
    };
    let rule = RuleSpec::Own(OwnRuleSpec {
        pattern: "Patch buffer overflow".into(),
        verdict: RuleVerdict::Warning,
        message: Some("patches were dropped".into()),
    });
    let rules = LogRules::compile(&spec("auto"), &[metric_spec], &[rule]).unwrap();
    let overflow = "PhysX error: Patch buffer overflow detected, please increase its size to at least 9 in";
    let (_, reading) = read(rules, &format!("fps=10\nfps=20,\n{overflow}\n"));
    assert_eq!(metric(&reading, "fps"), 15.0);
    assert_eq!(reading.alerts.iter().map(|alert| alert.kind.as_str()).collect::<Vec<_>>(), ["warning"]);
    assert_eq!(scan_json(&reading)["verdict"], "unknown");
    let built_in = auto(&format!("{overflow}\n"));
    assert_eq!(scan_json(&built_in)["verdict"], "invalid");
    assert_eq!(scan_json(&built_in)["alerts"][0]["kind"], "physx-overflow");
}

#[test]
fn progress_after_trouble_shows_that_it_was_handled() {
    let log = "Episode 1/3\ntorch.OutOfMemoryError: CUDA out of memory. Tried\nEpisode 2/3\n";
    let reading = auto(log);
    assert_eq!(reading.cause, None);
    assert_eq!(reading.alerts[0].count, 1);
    assert_eq!(reading.alerts[0].first_line, 2);
}

#[test]
fn a_traceback_is_known_by_the_line_that_ends_it() {
    let reading = auto(&format!("{TRACEBACK}KeyError: 'x'\nbye\n"));
    let exception = reading.ending_exception().map(|exception| (exception.line, exception.text.as_str()));
    assert_eq!(exception, Some((4, "KeyError: 'x'")));
    assert_eq!(scan_json(&reading)["reason"], "exception");
    let torn = auto("  File \"e.py\", line 3, in f\n[Warning] other stream\n    f()\nmy.pkg.OddError: 7\n");
    assert_eq!(torn.ending_exception().unwrap().text, "my.pkg.OddError: 7");
    let ignored = auto(&format!("Exception ignored in: <function f>\n{TRACEBACK}KeyError: 'x'\n"));
    assert_eq!(ignored.exception, None);
    let far_away = auto(&format!("{TRACEBACK}KeyError: 'x'\n{}", "more\n".repeat(60)));
    assert_eq!(far_away.ending_exception(), None);
}

#[test]
fn a_traceback_is_followed_behind_the_prefix_of_its_frames() {
    for prefix in ["[rank0]: ", "(Worker pid=12) ", "eval-1  | ", "2026-11-21 10:00:00,123 - INFO - "] {
        let log: String = format!("{TRACEBACK}KeyError: 'x'\n")
            .lines()
            .flat_map(|line| [format!("{prefix}{line}\n"), "[Warning] other stream\n".to_owned()])
            .collect();
        let reading = auto(&log);
        assert_eq!(reading.ending_exception().unwrap().text, format!("{prefix}KeyError: 'x'"));
    }
    let logged = auto(&format!("2026-11-21 10:00:00,123 - ERROR - {TRACEBACK}KeyError: 'x'\n"));
    assert_eq!(logged.ending_exception().unwrap().text, "KeyError: 'x'");
}

#[test]
fn a_flood_of_alerts_makes_few_marks_and_the_last_one_is_true() {
    let line = "Patch buffer overflow detected, please increase its size to at least 9\n";
    let (marks, reading) = read(LogRules::preset("auto").unwrap(), &line.repeat(10_000));
    assert!(marks.len() < 200, "{} marks", marks.len());
    let Some((offset, MarkKind::Alert(last))) = marks.last() else { panic!("{:?}", marks.last()) };
    assert_eq!((last.count, *offset), (10_000, 9_999 * line.len() as u64));
    assert_eq!(reading.remarks.values().map(|said| said.count).sum::<u64>(), 10_000);
    assert_eq!((last.first_line, last.last_line, last.parts["Patch"]), (1, 10_000, 10_000));
}

#[test]
fn a_scan_shows_the_same_to_people() {
    assert_eq!(
        scan_text(&auto(EPISODES)),
        "\
verdict   succeeded
          line 3, the last: Episode 3/3 reward=-0.5 length=150 success=True
preset    episode
progress  3 of 3 episodes
log       3 lines
metrics   episodes = 3
          mean_length = 150
          mean_reward = 10
          success_rate = 0.666667
          successes = 2
"
    );
    let empty = auto("");
    assert_eq!(scan_json(&empty)["verdict"], "unknown");
    assert_eq!(scan_json(&empty)["progress"], serde_json::Value::Null);
}

#[test]
fn what_a_bar_counted_is_void_when_a_program_shows_itself() {
    let bar = "100%|##########| 10/10 [00:01<00:00, 10.0it/s]\n";
    let begun = auto(&format!("{bar}Task suite: libero_spatial\n"));
    assert_eq!((begun.preset, scan_json(&begun)["verdict"].as_str()), (Some("openvla"), Some("unknown")));
    assert_eq!(begun.progress, None);
    let training = auto(&format!("{bar}args.num_iterations=100\n"));
    assert_ne!(scan_json(&training)["verdict"], "succeeded");
}

#[test]
fn a_crash_at_close_is_told_beside_the_success() {
    let scan = scan_json(&auto(&format!("{EPISODES}Segmentation fault (core dumped)\n")));
    assert_eq!(scan["verdict"], "succeeded");
    let told = serde_json::json!(["after the work was complete: Segmentation fault (core dumped)"]);
    assert_eq!(scan["warnings"], told);
}

proptest! {
    #[test]
    fn every_cut_of_a_log_gives_the_same_marks(
        parts in proptest::collection::vec(0_usize..8, 1..6),
        cuts in proptest::collection::vec(1_usize..400, 1..8),
    ) {
        let logs = [ISAAC, TRAINING_OLD, TRAINING_NEW, BARS, EPISODES, TRACEBACK, "\x1b[1", "\r"];
        let log: String = parts.iter().map(|part| logs[*part]).collect();
        let mut pieces = Vec::new();
        let mut rest = log.as_bytes();
        for cut in cuts.iter().cycle() {
            let (piece, later) = rest.split_at(rest.len().min(*cut));
            pieces.push(piece);
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        let whole = read_pieces(Arc::clone(&AUTO), [log.as_bytes()]);
        prop_assert_eq!(read_pieces(Arc::clone(&AUTO), pieces), whole);
    }

    #[test]
    fn no_bytes_break_a_reader(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        read_pieces(Arc::clone(&AUTO), [bytes.as_slice()]);
    }
}
