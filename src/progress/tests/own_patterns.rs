//! Patterns of a sweep that do not do what they are there for.

use std::sync::Arc;

use crate::model::attempt::AttemptEnd;
use crate::model::outcome::ExitStatus;
use crate::model::sweep::plan::{MetricSource, MetricSpec, ProgressSpec, Reduce};
use crate::progress::files::evidence::FileEvidence;
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::reading::LogSummary;
use crate::progress::scan::reading::Scan;
use crate::progress::verdict::judgement::{ArtifactStatus, VerdictEvidence, judge};

fn metric(name: &str, pattern: &str, reduce: Reduce) -> MetricSpec {
    let source = MetricSource::Log { pattern: pattern.into() };
    MetricSpec { name: name.into(), source, reduce, unit: None, scale: None }
}

fn read(done: &str, metrics: &[MetricSpec], log: &str) -> LogSummary {
    let progress = ProgressSpec {
        done: Some(done.into()),
        finished: Some("^bye".into()),
        ..ProgressSpec::of_preset("auto")
    };
    let mut reader = LogReader::new(Arc::new(LogRules::compile(&progress, metrics, &[]).unwrap()));
    reader.feed(log.as_bytes(), &mut Vec::new());
    reader.finish(&mut Vec::new());
    reader.reading().clone()
}

fn told(reading: &LogSummary) -> Vec<&str> {
    reading.pattern_faults.iter().map(|fault| fault.message.as_str()).collect()
}

fn warnings(reading: &LogSummary, raw: i32) -> Vec<String> {
    let judgement = judge(&VerdictEvidence {
        end: &AttemptEnd::Exited { status: ExitStatus { raw } },
        reading,
        stop: None,
        artifacts: ArtifactStatus::NotAsked,
        memory_ran_out: false,
        files: &FileEvidence::default(),
        values: None,
        setup_step: None,
    });
    judgement.warnings
}

#[test]
fn patterns_that_never_match_are_told_at_the_end() {
    let metrics =
        [metric("reward", r"rewrd=(?<value>\S+)", Reduce::Last), metric("falls", "FELL", Reduce::Count)];
    let reading = read(r"Episde (?<done>\d+)", &metrics, "Episode 1/2\nreward=3\nbye\n");
    let expected = [
        "[progress] done: its pattern matched none of 3 lines",
        "[[metric]] reward: its pattern matched none of 3 lines",
        "[[metric]] falls: its pattern matched none of 3 lines",
    ];
    assert_eq!(told(&reading), expected);
    assert_eq!(warnings(&reading, 0), expected[..2], "a count of nothing may be right");
    assert_eq!(reading.metrics["falls"], 0.0);
    assert_eq!(Scan::of_log(reading).json()["unmatched"][1]["pattern"], "[[metric]] reward");
}

#[test]
fn patterns_that_match_are_not_told_nor_are_those_of_an_empty_log() {
    let metrics = [metric("reward", r"reward=(?<value>\S+)", Reduce::Last)];
    assert_eq!(told(&read(r"Episode (?<done>\d+)", &metrics, "Episode 1/2\nreward=3\nbye\n")), [""; 0]);
    let empty = read(r"Episode (?<done>\d+)", &[metric("falls", "FELL", Reduce::Count)], "");
    assert_eq!((told(&empty).len(), empty.metrics.len()), (0, 0));
}

#[test]
fn a_group_that_holds_no_number_is_told_with_the_first_line() {
    let metrics = [metric("reward", r"reward=(?<value>\S+)", Reduce::Mean)];
    let reading =
        read(r"Episode (?<done>\S+)", &metrics, "Episode one\nreward=n/a\nreward=2\nreward=high\nbye\n");
    let expected = [
        "[progress] done: its pattern matched 1 line, but on 1 of them `done` is no number, first on line 1: `one`",
        "[[metric]] reward: its pattern matched 3 lines, but on 2 of them `value` is no number, first on line 2: `n/a`",
    ];
    assert_eq!(told(&reading), expected);
    assert_eq!(warnings(&reading, 1 << 8), expected, "also of an attempt that failed");
    assert_eq!(reading.metrics["reward"], 2.0);
}

#[test]
fn an_attempt_that_crashed_early_is_not_blamed_for_lines_that_never_came() {
    let reading = read(r"Episode (?<done>\d+)", &[], "loading\nno such file\n");
    assert_eq!(told(&reading).len(), 2);
    assert_eq!(warnings(&reading, 1 << 8), [""; 0]);
    assert_eq!(warnings(&reading, 0).len(), 2, "the line that ends it never came");
}

#[test]
fn a_pattern_that_names_episodes_counts_episodes() {
    let unit = |pattern: &str| read(pattern, &[], "").unit;
    for pattern in [r"Episode (?<done>\d+)", r"(?i)EPISODES:\s+(?P<done>\d+)", r"episode #(?<done>\d+)/"] {
        assert_eq!(unit(pattern), "episodes", "{pattern}");
    }
    for pattern in [r"episode \d+ step (?<done>\d+)", r"step (?<done>\d+)", r"episode: step (?<done>\d+)"] {
        assert_eq!(unit(pattern), "done", "{pattern}");
    }
}

#[test]
fn a_metric_of_the_log_can_be_scaled() {
    let rate = MetricSpec { scale: Some(0.01), ..metric("rate", r"rate: (?<value>[\d.]+)%", Reduce::Last) };
    assert_eq!(read("x(?<done>.)", &[rate], "rate: 50%\n").metrics["rate"], 0.5);
}
