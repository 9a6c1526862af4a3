//! Verdicts on attempts that have left files of results.

use std::sync::Arc;

use crate::model::attempt::AttemptEnd;
use crate::model::outcome::{ExitStatus, Verdict};
use crate::model::results::result_file::ResultFile;
use crate::model::state::phase::StopCause;
use crate::progress::files::evidence::FileEvidence;
use crate::progress::files::reader::ResultReader;
use crate::progress::files::reading::{FileFault, ResultReading};
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::reading::LogSummary;
use crate::progress::scan::reading::{Scan, ScanVerdict};
use crate::progress::scan::text::Frame;
use crate::progress::trouble::built_in::BuiltInRules;
use crate::progress::verdict::judgement::{ArtifactStatus, VerdictEvidence, judge};

const SEGFAULT: i32 = 11;
const EXIT_1: i32 = 1 << 8;
const TRACEBACK: &str = "Traceback (most recent call last):\n  File \"e.py\", line 3, in f\nKeyError: 'x'\n";

fn log(text: &str) -> LogSummary {
    let mut reader = LogReader::new(Arc::new(LogRules::preset("auto").unwrap()));
    reader.feed(text.as_bytes(), &mut Vec::new());
    reader.finish(&mut Vec::new());
    reader.reading().clone()
}

fn file(text: &str) -> ResultReading {
    let mut reader = ResultReader::new(&[]);
    reader.take("r.json", text.as_bytes(), &ResultFile { known: true, ..ResultFile::default() });
    reader.finish()
}

fn counts(episodes: u64) -> ResultReading {
    file(&format!("{{\"episodes\": {episodes}, \"successes\": 1}}"))
}

/// The verdict in one line, and the warnings behind it.
fn judged(
    log: &LogSummary,
    files: &ResultReading,
    raw: i32,
    stop: Option<StopCause>,
    artifacts: ArtifactStatus<'_>,
) -> String {
    let judgement = judge(&VerdictEvidence {
        end: &AttemptEnd::Exited { status: ExitStatus { raw } },
        reading: log,
        stop,
        artifacts,
        memory_ran_out: false,
        files: &FileEvidence::weigh(files, log, Some(100), &BuiltInRules::changed_by(&[])),
        values: None,
        setup_step: None,
    });
    let verdict = match judgement.verdict {
        Verdict::Succeeded => "succeeded".to_owned(),
        Verdict::Failed(failure) => format!("{}: {}", failure.reason, failure.message),
        Verdict::Cancelled => "cancelled".to_owned(),
    };
    std::iter::once(verdict).chain(judgement.warnings).collect::<Vec<_>>().join(" | ")
}

fn ended(log_text: &str, files: &ResultReading, raw: i32) -> String {
    judged(&log(log_text), files, raw, None, ArtifactStatus::NotAsked)
}

#[test]
fn a_file_that_counts_fewer_episodes_than_were_asked_for_is_incomplete() {
    let short = "incomplete: 87 of 100 episodes in r.json, exit code 0";
    assert_eq!(ended("", &counts(87), 0), short);
    let disagreement = format!("{short} | episodes: log says 100, r.json says 87");
    assert_eq!(ended("Episode 100/100\n", &counts(87), 0), disagreement);
    assert_eq!(ended("", &counts(100), 0), "succeeded");
}

#[test]
fn a_file_that_counts_all_episodes_outweighs_a_log_that_lacks_some() {
    let told = "succeeded | the log ends at 87 of 100 episodes | episodes: log says 87, r.json says 100";
    assert_eq!(ended("Episode 87/100\n", &counts(100), 0), told);
}

#[test]
fn complete_results_make_a_crash_at_the_close_a_warning() {
    let done = counts(100);
    assert_eq!(ended("", &done, SEGFAULT), "succeeded | ended by SIGSEGV after the work was complete");
    assert_eq!(ended(TRACEBACK, &done, EXIT_1).split(" | ").next(), Some("succeeded"));
    assert!(ended("", &counts(87), SEGFAULT).contains("ended by SIGSEGV"));
    assert!(ended("", &ResultReading::default(), SEGFAULT).contains("ended by SIGSEGV"));
    let missing = ["x".to_owned()];
    let without = judged(&log(""), &done, SEGFAULT, None, ArtifactStatus::Missing(&missing));
    assert!(without.starts_with("signal"), "{without}");
    let hung = judged(&log(""), &done, 15, Some(StopCause::Timeout), ArtifactStatus::NotAsked);
    assert_eq!(hung, "succeeded | it hung after the work was complete and was ended");
    let killed = judged(&log(""), &done, 15, Some(StopCause::Killed), ArtifactStatus::NotAsked);
    assert_eq!(killed, "killed: killed by the user");
}

#[test]
fn a_number_that_is_none_in_a_file_spoils_the_results() {
    let nan = file(r#"{"per_task": [{"metrics": {"successes": [true], "sum_rewards": [NaN]}}]}"#);
    let verdict = judged(&log(""), &nan, 0, None, ArtifactStatus::NotAsked);
    assert_eq!(verdict, "invalid: mean_sum_reward is not a number in r.json");
}

#[test]
fn a_file_that_is_not_there_is_told_of_a_success_only() {
    let reading =
        ResultReading { faults: vec![FileFault::Absent("no r.json".to_owned())], ..ResultReading::default() };
    assert_eq!(ended("Episode 3/3\n", &reading, 0), "succeeded | no r.json");
    assert!(!ended("", &reading, EXIT_1).contains("r.json"));
}

#[test]
fn a_scan_weighs_files_as_a_run_does() {
    let scan = |log_text: &str, files: ResultReading| {
        let scan = Scan::with_results(log(log_text), files, &BuiltInRules::changed_by(&[]));
        assert_eq!(scan.json()["verdict"], ScanVerdict::with_files(&scan.reading, &scan.evidence).as_str());
        scan
    };
    let short = scan("Episode 100/100\n", counts(87)).json();
    assert_eq!(
        (&short["verdict"], &short["message"]),
        (&"incomplete".into(), &"87 of 100 episodes in r.json".into())
    );
    assert_eq!(short["metrics"]["episodes"], 87.0);
    assert_eq!(short["results"]["disagreements"][0]["message"], "episodes: log says 100, r.json says 87");
    let done = scan("Episode 87/100\n", counts(100));
    assert_eq!(done.json()["verdict"], "succeeded");
    insta::assert_snapshot!(done.text(&Frame::default()), @"
    verdict   succeeded
    preset    episode
    progress  87 of 100 episodes
    log       1 line
              ends on line 1: Episode 87/100
    metrics   episodes = 100
              success_rate = 0.01
              successes = 1
    results   r.json: counts of episodes and successes
              episodes: log says 87, r.json says 100
    ");
    let agreeing = scan("Episode 1/1 success=1\n", counts(1));
    assert!(
        agreeing.text(&Frame::default()).contains("agrees with the log: episodes, success_rate, successes\n")
    );
    assert_eq!(Scan::of_log(log("")).json()["results"], serde_json::Value::Null);
}
