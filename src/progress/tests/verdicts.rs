//! Evidence of every kind, judged.

use std::sync::Arc;

use crate::model::attempt::AttemptEnd;
use crate::model::outcome::{ExitStatus, FailureReason, Verdict};
use crate::model::state::phase::StopCause;
use crate::model::sweep::plan::ProgressSpec;
use crate::model::sweep::rule::{
    BuiltInRule, BuiltInRuleSpec, BuiltInVerdict, OwnRuleSpec, RuleSpec, RuleVerdict,
};
use crate::progress::files::evidence::FileEvidence;
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::reading::LogSummary;
use crate::progress::verdict::judgement::{ArtifactStatus, Judgement, VerdictEvidence, judge};

pub(super) const TRACEBACK: &str =
    "Traceback (most recent call last):\n  File \"e.py\", line 3, in f\n    f()\n";
pub(super) const OOM: &str = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n";

fn read_with(rules: LogRules, log: &str) -> LogSummary {
    let mut reader = LogReader::new(Arc::new(rules));
    let mut marks = Vec::new();
    reader.feed(log.as_bytes(), &mut marks);
    reader.finish(&mut marks);
    reader.reading().clone()
}

pub(super) fn read(log: &str) -> LogSummary {
    read_with(LogRules::preset("auto").unwrap(), log)
}

fn exited(raw: i32) -> AttemptEnd {
    AttemptEnd::Exited { status: ExitStatus { raw } }
}

fn judged(end: &AttemptEnd, reading: &LogSummary, stop: Option<StopCause>) -> Judgement {
    judge(&VerdictEvidence {
        end,
        reading,
        stop,
        artifacts: ArtifactStatus::NotAsked,
        memory_ran_out: false,
        files: &FileEvidence::default(),
        values: None,
        setup_step: None,
    })
}

/// The reason and the message; nothing for a success.
pub(super) fn failure(raw: i32, log: &str) -> Option<(FailureReason, String)> {
    match judged(&exited(raw), &read(log), None).verdict {
        Verdict::Succeeded => None,
        Verdict::Failed(failure) => Some((failure.reason, failure.message)),
        Verdict::Cancelled => panic!("nobody stopped the run"),
    }
}

fn is(reason: FailureReason, message: &str) -> Option<(FailureReason, String)> {
    Some((reason, message.to_owned()))
}

#[test]
fn exit_code_0_is_believed_only_where_the_log_agrees() {
    assert_eq!(failure(0, ""), None);
    assert_eq!(failure(0, "Episode 3/3\n"), None);
    let short = is(FailureReason::Incomplete, "87 of 100 episodes, exit code 0");
    assert_eq!(failure(0, "Episode 87/100\n"), short);
    let exception = is(FailureReason::Exception, "KeyError: 'x', exit code 0");
    assert_eq!(failure(0, &format!("Episode 2/3\n{TRACEBACK}KeyError: 'x'\n")), exception);
    assert_eq!(failure(0, &format!("{TRACEBACK}KeyError: 'x'\n")), exception);
    assert_eq!(
        failure(0, &format!("Episode 3/3\n{TRACEBACK}KeyError: 'x'\n")),
        exception,
        "nothing was written"
    );
    let overflow =
        "Patch buffer overflow detected, please increase its size to at least 9 in the scene desc!\n";
    let dropped = is(FailureReason::Invalid, "PhysX ran out of a buffer and dropped contacts (2 x)");
    assert_eq!(failure(0, &format!("{overflow}Episode 3/3\n{overflow}")), dropped);
    assert_eq!(failure(0, &format!("Episode 1/3\n{OOM}")).unwrap().0, FailureReason::GpuOom);
    assert_eq!(failure(0, &format!("Episode 1/3\n{OOM}Episode 3/3\n")), None, "the program handled it");
}

#[test]
fn an_own_pattern_that_falls_short_is_incomplete() {
    let rules = |total, finished: Option<&str>| {
        let progress = ProgressSpec {
            done: Some(r"Episode (?<done>\d+)".into()),
            total,
            finished: finished.map(Into::into),
            ..ProgressSpec::of_preset("auto")
        };
        LogRules::compile(&progress, &[], &[]).unwrap()
    };
    let verdict = |rules, log| match judged(&exited(0), &read_with(rules, log), None).verdict {
        Verdict::Succeeded => "succeeded".to_owned(),
        Verdict::Failed(failure) => format!("{}: {}", failure.reason, failure.message),
        Verdict::Cancelled => "cancelled".to_owned(),
    };
    assert_eq!(
        verdict(rules(Some(100), None), "Episode 87\n"),
        "incomplete: 87 of 100 episodes, exit code 0"
    );
    assert_eq!(verdict(rules(Some(100), None), ""), "incomplete: 0 of 100 episodes, exit code 0");
    assert_eq!(verdict(rules(Some(100), None), "Episode 100\n"), "succeeded");
    assert_eq!(verdict(rules(None, Some("bye")), "Episode 9\nbye\n"), "succeeded");
    assert_eq!(
        verdict(rules(None, Some("bye")), "Episode 9\n"),
        "incomplete: the line that says it is complete never came, exit code 0"
    );
}

#[test]
fn another_exit_code_is_explained_by_the_log() {
    assert_eq!(failure(3 << 8, ""), is(FailureReason::ExitCode, "nothing printed, exit code 3"));
    assert_eq!(failure(3 << 8, "a\nb\n"), is(FailureReason::ExitCode, "last line: b; exit code 3"));
    let missing = "/runs/a/shards/a/attempt-01/command.sh: line 11: nope: command not found\n";
    let message = "last line: line 11: nope: command not found; exit code 127";
    assert_eq!(failure(127 << 8, missing), is(FailureReason::ExitCode, message));
    let exception = format!("{TRACEBACK}KeyError: 'x'\nbye\n");
    assert_eq!(failure(1 << 8, &exception), is(FailureReason::ExitCode, "KeyError: 'x', exit code 1"));
    assert_eq!(failure(1 << 8, &format!("{TRACEBACK}{OOM}")).unwrap().0, FailureReason::GpuOom);
    assert_eq!(failure(1 << 8, "Detected 1 oom_kill event in StepId=1\n").unwrap().0, FailureReason::HostOom);
    let late = is(FailureReason::ExitCode, "exit code 3 after the work was complete");
    assert_eq!(failure(3 << 8, "Episode 3/3\n"), late);
    let why = "last line: cannot write results.json: no space; exit code 3 after the work was complete";
    let log = "Episode 3/3\ncannot write results.json: no space\n";
    assert_eq!(failure(3 << 8, log), is(FailureReason::ExitCode, why), "the cause is not lost");
}

#[test]
fn a_signal_is_named() {
    assert_eq!(failure(11, "x\n"), is(FailureReason::Signal, "last line: x; ended by SIGSEGV"));
    assert_eq!(failure(9, ""), is(FailureReason::Signal, "nothing printed, ended by SIGKILL"));
}

#[test]
fn a_stop_decides_unless_all_was_done_before() {
    let reason = |raw, log, stop| match judged(&exited(raw), &read(log), Some(stop)).verdict {
        Verdict::Succeeded => "succeeded",
        Verdict::Failed(failure) => failure.reason.as_str(),
        Verdict::Cancelled => "cancelled",
    };
    assert_eq!(reason(2, "Episode 1/3\n", StopCause::Killed), "killed");
    assert_eq!(reason(0, "Episode 1/3\n", StopCause::Killed), "killed");
    assert_eq!(reason(0, "", StopCause::Timeout), "timeout");
    assert_eq!(reason(9, "", StopCause::Stalled), "stalled");
    assert_eq!(reason(15, "Episode 1/3\n", StopCause::RunStopped), "cancelled");
    assert_eq!(reason(0, "Episode 3/3\n", StopCause::RunStopped), "succeeded");
    assert_eq!(reason(0, "Episode 3/3\n", StopCause::Killed), "succeeded");
    assert_eq!(reason(15, "Episode 3/3\n", StopCause::Killed), "killed");
}

#[test]
fn what_never_ran_or_was_lost_is_said_as_it_is() {
    let reading = read("");
    let text = |end: &AttemptEnd, stop| match judged(end, &reading, stop).verdict {
        Verdict::Failed(failure) => format!("{}: {}", failure.reason, failure.message),
        Verdict::Succeeded | Verdict::Cancelled => panic!("it did not run"),
    };
    let launch = AttemptEnd::LaunchError { message: "cannot run `x`: no such file".into() };
    assert_eq!(text(&launch, None), "launch-error: cannot run `x`: no such file");
    let lost = AttemptEnd::Lost { message: "the holder died".into() };
    assert_eq!(text(&lost, None), "lost: the holder died");
    assert_eq!(text(&lost, Some(StopCause::Killed)), "killed: killed by the user");
    let end = exited(127 << 8);
    let evidence = VerdictEvidence {
        end: &end,
        reading: &reading,
        stop: None,
        artifacts: ArtifactStatus::NotAsked,
        memory_ran_out: false,
        files: &FileEvidence::default(),
        values: None,
        setup_step: Some(2),
    };
    let Verdict::Failed(failure) = judge(&evidence).verdict else { panic!("the setup failed") };
    assert_eq!(failure.reason, FailureReason::LaunchError);
    assert_eq!(failure.message, "setup step 2 failed: exit code 127");
    let log = "/runs/x/shards/a/attempt-01/command.sh: line 9: conda: command not found";
    let reading = LogSummary { last_line: log.to_owned(), ..reading.clone() };
    let Verdict::Failed(failure) = judge(&VerdictEvidence { reading: &reading, ..evidence }).verdict else {
        panic!("the setup failed")
    };
    assert_eq!(failure.message, "setup step 2 failed: conda: command not found (exit code 127)");
}

#[test]
fn a_missing_artifact_fails_what_seemed_done() {
    let (end, reading) = (exited(0), read("Episode 3/3\n"));
    let missing = ["out/a.jsonl".to_owned(), "out/b.jsonl".to_owned()];
    let evidence = VerdictEvidence {
        end: &end,
        reading: &reading,
        stop: None,
        artifacts: ArtifactStatus::Missing(&missing),
        memory_ran_out: false,
        files: &FileEvidence::default(),
        values: None,
        setup_step: None,
    };
    let Verdict::Failed(failure) = judge(&evidence).verdict else { panic!("files are missing") };
    assert_eq!(failure.reason, FailureReason::MissingArtifact);
    assert_eq!(failure.message, "missing or empty: out/a.jsonl, out/b.jsonl");
}

#[test]
fn rules_of_the_sweep_decide_or_remark() {
    let rule = |pattern: &str, verdict| {
        RuleSpec::Own(OwnRuleSpec { pattern: pattern.into(), verdict, message: None })
    };
    let progress = ProgressSpec::of_preset("auto");
    let rules = [rule("diverged", RuleVerdict::Invalid), rule("slow", RuleVerdict::Warning)];
    let compiled = || LogRules::compile(&progress, &[], &rules).unwrap();
    let invalid = judged(&exited(0), &read_with(compiled(), "diverged\nslow\n"), None);
    let Verdict::Failed(failure) = invalid.verdict else { panic!("a rule says that it is invalid") };
    assert_eq!(
        (failure.reason, failure.message.as_str()),
        (FailureReason::Invalid, "a line matches `diverged`")
    );
    assert_eq!(invalid.warnings, ["a line matches `slow`"]);
    let warned = judged(&exited(0), &read_with(compiled(), "slow\nslow\n"), None);
    assert_eq!(warned.verdict, Verdict::Succeeded);
    assert_eq!(warned.warnings, ["a line matches `slow` (2 x)"]);
}

#[test]
fn handled_trouble_and_a_guessed_bar_are_remarks() {
    let log = format!("{OOM}\rEvaluating:  50%|██  | 2/4 [00:02<00:02, 1it/s]\n");
    let judgement = judged(&exited(0), &read(&log), None);
    assert_eq!(judgement.verdict, Verdict::Succeeded);
    assert_eq!(judgement.warnings.len(), 2, "{:?}", judgement.warnings);
    assert_eq!(judgement.warnings[1], "the last progress was 2 of 4 steps");
}

#[test]
fn a_crash_at_close_costs_nothing_that_was_complete() {
    let judged_with = |raw, log: &str, stop, artifacts| {
        let (end, reading) = (exited(raw), read(log));
        judge(&VerdictEvidence {
            end: &end,
            reading: &reading,
            stop,
            artifacts,
            memory_ran_out: false,
            files: &FileEvidence::default(),
            values: None,
            setup_step: None,
        })
    };
    let done = "Episode 2/3\nEpisode 3/3\n";
    for raw in [11, 139 << 8, 6] {
        let judgement = judged_with(raw, done, None, ArtifactStatus::NotAsked);
        assert_eq!(judgement.verdict, Verdict::Succeeded);
        assert!(judgement.warnings[0].ends_with("after the work was complete"), "{:?}", judgement.warnings);
        assert_eq!(judgement.proof.unwrap().line, 2);
    }
    let written = judged_with(1 << 8, done, None, ArtifactStatus::Written);
    assert_eq!((written.verdict, written.warnings.len()), (Verdict::Succeeded, 1));
    let missing = ["a.json".to_owned()];
    let saving_failed = format!("{done}{TRACEBACK}OSError: disk\n");
    for (raw, log, artifacts) in [
        (1 << 8, done, ArtifactStatus::NotAsked),
        (11, done, ArtifactStatus::Missing(&missing)),
        (11, saving_failed.as_str(), ArtifactStatus::NotAsked),
        (11, "Episode 2/3\n", ArtifactStatus::Written),
    ] {
        let judgement = judged_with(raw, log, None, artifacts);
        assert!(matches!(judgement.verdict, Verdict::Failed(_)), "{log} {artifacts:?}");
    }
    let hung = "  [   1/1] a_ep0000  TIMEOUT  progress= 39.5m  zone=4  time=87.4s\nEvaluation complete!\n";
    let judgement = judged_with(15, hung, Some(StopCause::Timeout), ArtifactStatus::NotAsked);
    assert_eq!(judgement.verdict, Verdict::Succeeded);
    assert_eq!(judgement.warnings, ["it hung after the work was complete and was ended"]);
    let killed = judged_with(15, hung, Some(StopCause::Killed), ArtifactStatus::NotAsked);
    assert!(matches!(killed.verdict, Verdict::Failed(_)), "the user decides");
}

#[test]
fn built_in_rules_can_be_switched_off_or_mean_something_else() {
    let verdict = |changes: &[(BuiltInRule, BuiltInVerdict)], log: &str| {
        let progress = ProgressSpec::of_preset("auto");
        let rules: Vec<RuleSpec> = changes
            .iter()
            .map(|(name, verdict)| RuleSpec::BuiltIn(BuiltInRuleSpec { name: *name, verdict: *verdict }))
            .collect();
        let reading = read_with(LogRules::compile(&progress, &[], &rules).unwrap(), log);
        let judgement = judged(&exited(0), &reading, None);
        let text = match judgement.verdict {
            Verdict::Succeeded => "succeeded".to_owned(),
            Verdict::Failed(failure) => format!("{}: {}", failure.reason, failure.message),
            Verdict::Cancelled => "cancelled".to_owned(),
        };
        (text, judgement.proof.map(|proof| proof.line), judgement.warnings)
    };
    let (overflow, nan) = (BuiltInRule::PhysxOverflow, BuiltInRule::Nan);
    let dropped =
        "Episode 1/2\nPatch buffer overflow detected, please increase its size to at least 9\nEpisode 2/2\n";
    let message = "PhysX ran out of a buffer and dropped contacts";
    assert_eq!(verdict(&[], dropped), (format!("invalid: {message}"), Some(2), vec![]));
    let (text, _, warnings) = verdict(&[(overflow, BuiltInVerdict::Warning)], dropped);
    assert_eq!((text.as_str(), warnings[0].as_str()), ("succeeded", message));
    assert_eq!(verdict(&[(overflow, BuiltInVerdict::Off)], dropped).0, "succeeded");
    let no_number = "Episode 1/2 reward=3\nEpisode 2/2 reward=nan\n";
    assert_eq!(verdict(&[], no_number).0, "invalid: mean_reward is not a number");
    assert_eq!(verdict(&[], no_number).1, Some(2));
    assert_eq!(verdict(&[(nan, BuiltInVerdict::Off)], no_number).0, "succeeded");
    let bar = "\rTraining: 100%|██| 4/4 [00:02<00:00, 1it/s, loss=nan]\n";
    assert_eq!(verdict(&[], bar).0, "succeeded", "what a bar shows beside itself is no result");
}

#[test]
fn physics_without_memory_that_goes_on_is_invalid() {
    let alloc = "PxgCudaDeviceMemoryAllocator fail to allocate memory 100663296 bytes!! Result = 2\n";
    assert_eq!(failure(0, &format!("Episode 1/3\n{alloc}")).unwrap().0, FailureReason::GpuOom);
    let frozen = failure(0, &format!("Episode 1/3\n{alloc}Episode 2/3\nEpisode 3/3\n")).unwrap();
    assert_eq!(frozen.0, FailureReason::Invalid);
}

#[test]
fn an_out_of_memory_names_whose_memory_it_was() {
    let oom = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of \
        23.69 GiB of which 11.31 MiB is free. Process 574341 has 18.50 GiB memory in use.\n";
    let message = failure(1 << 8, oom).unwrap().1;
    assert!(message.ends_with("(process 574341 held 18.5 GiB), exit code 1"), "{message}");
}

#[test]
fn a_sigkill_of_the_kernel_is_told_from_one_of_a_person() {
    let reading = read("Episode 1/3\n");
    let reason = |raw, memory_ran_out, stop| {
        let end = exited(raw);
        let artifacts = ArtifactStatus::NotAsked;
        let evidence = VerdictEvidence {
            end: &end,
            reading: &reading,
            stop,
            artifacts,
            memory_ran_out,
            files: &FileEvidence::default(),
            values: None,
            setup_step: None,
        };
        match judge(&evidence).verdict {
            Verdict::Failed(failure) => failure.reason,
            Verdict::Succeeded | Verdict::Cancelled => panic!("it was killed"),
        }
    };
    assert_eq!(reason(9, true, None), FailureReason::HostOom);
    assert_eq!(reason(137 << 8, true, None), FailureReason::HostOom);
    assert_eq!(reason(9, false, None), FailureReason::Signal);
    assert_eq!(reason(11, true, None), FailureReason::Signal);
    assert_eq!(reason(9, true, Some(StopCause::Killed)), FailureReason::Killed);
}

#[test]
fn an_unknown_exit_code_leaves_the_verdict_to_the_log() {
    let judged = |log: &str| judged(&AttemptEnd::Unseen, &read(log), None);
    let failed = |log: &str| match judged(log).verdict {
        Verdict::Failed(failure) => (failure.reason, failure.message),
        verdict => panic!("{verdict:?} of {log}"),
    };
    let done = judged("Episode 3/3\nEvaluation complete!\n");
    assert_eq!(done.verdict, Verdict::Succeeded);
    assert_eq!(done.warnings, ["exit code unknown: sweepdeck did not start it"]);
    let expected = |reason, message: &str| (reason, message.to_owned());
    let short = expected(FailureReason::Incomplete, "87 of 100 episodes, exit code unknown");
    assert_eq!(failed("Episode 87/100\n"), short);
    let thrown = expected(FailureReason::Exception, "KeyError: 'x', exit code unknown");
    assert_eq!(failed(&format!("Episode 2/3\n{TRACEBACK}KeyError: 'x'\n")), thrown);
    let silent = "its log does not say that it is complete, exit code unknown";
    assert_eq!(failed("hello\n"), expected(FailureReason::Incomplete, silent), "no success without a proof");
    assert_eq!(failed(OOM).0, FailureReason::GpuOom);
}
