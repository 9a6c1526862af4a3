//! Tracebacks in the layouts that loggers, launchers and terminals give them.

use super::any_cut::{read, summary};
use crate::progress::reading::LogSummary;
use crate::progress::scan::reading::scan_json;

fn ended_by(log: &str) -> Option<String> {
    read(log).ending_exception().map(|exception| exception.text.clone())
}

fn alerts(reading: &LogSummary) -> Vec<(&str, u64)> {
    reading.alerts.iter().map(|alert| (alert.kind.as_str(), alert.count)).collect()
}

const BOX: &str = "\
╭────────── Traceback (most recent call last) ──────────╮
│ /lab/eval.py:7 in step                                │
│                                                       │
│   6     if full:                                      │
│ ❱ 7         raise OSError(\"No space left on device\") │
│ ╭──────── locals ────────╮                            │
│ │ envs = 4096            │                            │
│ ╰────────────────────────╯                            │
╰───────────────────────────────────────────────────────╯
";

#[test]
fn a_box_around_the_frames_is_not_their_end() {
    assert_eq!(ended_by(&format!("{BOX}KeyError: 'missing'\n")).unwrap(), "KeyError: 'missing'");
    assert_eq!(alerts(&read(&format!("{BOX}KeyError: 'missing'\n"))), [("traceback", 1)]);
    let indented: String =
        format!("{BOX}KeyError: 'missing'\n").lines().map(|line| format!("          {line}\n")).collect();
    let logged = format!("[11/21/26 10:00:00] ERROR    episode 1 failed\n{indented}");
    assert_eq!(ended_by(&logged).unwrap(), "KeyError: 'missing'");
    let oom = format!("{logged}          RuntimeError: CUDA out of memory. Tried to allocate 1 GiB\n");
    assert_eq!(alerts(&read(&oom)), [("traceback", 1), ("gpu-oom", 1)], "what follows is read again");
}

#[test]
fn an_exception_of_the_script_itself_has_a_name_of_its_own_kind() {
    for line in [
        "__main__.MissingKeyError: UNNORM_KEY_MISSING:libero_10",
        "_pickle.PicklingError: Can't pickle <function f at 0x7f>",
        "__main__.main.<locals>.Stop: no more",
        "_queue.Empty",
    ] {
        let log = format!(
            "Loading the policy\nTraceback (most recent call last):\n  File \"run.py\", line 605, in <module>\n    main()\n{line}\n"
        );
        assert_eq!(ended_by(&log).unwrap(), line);
        assert_eq!(summary(&log).3, "failed", "{line}");
    }
}

#[test]
fn a_notebook_names_the_exception_before_its_frames() {
    let frames = "KeyError                                  Traceback (most recent call last)\n\
                  <ipython-input-21> in <module>()\n----> 1 train(args)\n\n\
                  train.py in train(args)\n    726     reward = data['reward']\n";
    assert_eq!(summary(frames).3, "failed", "cut before its last line");
    assert_eq!(ended_by(&format!("{frames}KeyError: 'reward'\n")).unwrap(), "KeyError: 'reward'");
}

#[test]
fn what_other_processes_throw_after_ctrl_c_says_nothing_more() {
    let thrown = |exception: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"run.py\", line 6, in <module>\n    main()\n{exception}\n"
        )
    };
    let interrupted = thrown("KeyboardInterrupt");
    let torn = "Traceback (most recent call last):\n  File \"run.py\", line 6, in <module>\n";
    for behind in ["", torn, &thrown("EOFError"), &thrown("BrokenPipeError: [Errno 32] Broken pipe")] {
        let log = format!("loading\n{interrupted}process exiting with exitcode 1\n{behind}");
        assert_eq!(scan_json(&read(&log))["reason"], "cancelled", "{behind}");
    }
    let of_another =
        format!("{interrupted}starting the evaluation\n{}", thrown("ValueError: checkpoint has wrong shape"));
    assert_eq!(scan_json(&read(&of_another))["reason"], "exception");
    let went_on = "episode over, the next one\n".repeat(60);
    let log = format!("{interrupted}{went_on}{}", thrown("KeyError: 'x'"));
    assert_eq!(scan_json(&read(&log))["reason"], "exception", "it was caught");
}

#[test]
fn code_holds_words_of_trouble_that_never_happened() {
    let log = "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    \
               raise MemoryError(\"CUDA out of memory. \")  # CUDA error: device-side assert triggered\n    \
               ^^^^^^^^^^^^^^^\nKeyError: 'x'\n";
    assert_eq!(alerts(&read(log)), [("traceback", 1)]);
    let launched: String = log.lines().map(|line| format!("[rank0]: {line}\n")).collect();
    assert_eq!(alerts(&read(&launched)), [("traceback", 1)]);
}

#[test]
fn a_group_of_exceptions_stands_behind_a_border() {
    let log = "  + Exception Group Traceback (most recent call last):\n  |   File \"a.py\", line 4, in main\n  |     \
               raise ExceptionGroup(\"workers\", [OSError(28, \"No space left on device\")])\n  \
               | ExceptionGroup: workers (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    \
               | Traceback (most recent call last):\n    |   File \"a.py\", line 9, in work\n    |     f()\n    \
               | ValueError: one\n    | seed 3\n    +------------------------------------\n";
    assert_eq!(alerts(&read(log)), [("traceback", 2)]);
    assert_eq!(ended_by(log).unwrap(), "| ValueError: one");
}

#[test]
fn the_first_rank_that_fails_is_to_blame() {
    let traceback = |rank: u32, exception: &str| {
        format!(
            "[rank{rank}]: Traceback (most recent call last):\n[rank{rank}]:   File \"a.py\", line 3, in f\n\
             [rank{rank}]:     f()\n[rank{rank}]: {exception}\n"
        )
    };
    let ranks =
        traceback(1, "ValueError: a rank broke") + &traceback(0, "RuntimeError: Connection closed by peer");
    let summary = "Traceback (most recent call last):\n  File \"run.py\", line 8, in <module>\n    sys.exit(main())\n\
                   torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n";
    let list = "Root Cause (first observed failure):\n".repeat(80);
    assert_eq!(ended_by(&format!("{ranks}{summary}{list}")).unwrap(), "[rank1]: ValueError: a rank broke");
    let reason = |log: &str| scan_json(&read(log))["reason"].clone();
    assert_eq!(reason(&format!("{ranks}{summary}{list}")), "exception");
    assert_eq!(reason(summary), "exit-code");
    assert_eq!(
        reason(&format!("{summary}  traceback : Signal 9 (SIGKILL) received by PID 4508\n")),
        "signal"
    );
}

#[test]
fn the_fault_handler_names_no_exception() {
    let log = "Fatal Python error: Aborted\n\nCurrent thread 0x01 (most recent call first):\n  \
               File \"a.py\", line 3 in f\n  File \"a.py\", line 9 in <module>\nAborted\n";
    assert_eq!(alerts(&read(log)), [("signal", 2)]);
}

#[test]
fn a_client_that_only_looked_for_the_server_did_not_end_it() {
    let log = "ERROR:websockets.server:opening handshake failed\nTraceback (most recent call last):\n  \
               File \"http11.py\", line 138, in parse\n    yield from f()\nEOFError: stream ends after 0 bytes\n\n\
               The above exception was the direct cause of the following exception:\n\n\
               Traceback (most recent call last):\n  File \"server.py\", line 2, in handshake\n    raise e\n\
               websockets.exceptions.InvalidMessage: did not receive a valid HTTP request\n\
               INFO:websockets.server:connection open\n";
    assert_eq!(ended_by(log), None);
    let handler = log.replace("opening handshake failed", "connection handler failed");
    assert!(ended_by(&handler).is_some(), "that one was served");
}

#[test]
fn what_a_server_or_a_logger_survives_ends_nothing() {
    let traceback =
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    f()\nValueError: no\n";
    for heading in [
        "--- Logging error ---",
        "ERROR:    Exception in ASGI application",
        "Future exception was never retrieved",
    ] {
        let log = format!("{heading}\n{traceback}");
        assert_eq!((ended_by(&log), alerts(&read(&log))), (None, vec![("traceback", 1)]), "{heading}");
        assert_eq!(ended_by(&format!("{log}\nINFO: at work\n{traceback}")).unwrap(), "ValueError: no");
    }
}

#[test]
fn frames_that_no_exception_ended_name_none() {
    let frame = "  File \"a.py\", line 3, in f\n    f()\n";
    let broken = format!(
        "--- Logging error ---\nTraceback (most recent call last):\n{frame}TypeError: not all arguments converted\n\
         Call stack:\n{frame}Message: 'abc'\nArguments: (1,)\n"
    );
    let stack = format!("Stack (most recent call last):\n{frame}");
    for line in ["INFO:root: going on", "loaded: policy", "Message: 'abc'"] {
        for log in [&broken, &stack, &frame.to_owned()] {
            assert_eq!(ended_by(&format!("{log}{line}\n")), None, "{log}{line}");
        }
    }
    assert_eq!(ended_by(&format!("{frame}ValueError: torn\n")).unwrap(), "ValueError: torn");
    let header = "Traceback (most recent call last):\n";
    assert_eq!(ended_by(&format!("{header}{frame}lab.Broken: no\n")).unwrap(), "lab.Broken: no");
    let again = format!("{broken}{header}{frame}KeyError: 'x'\n");
    assert_eq!(ended_by(&again).unwrap(), "KeyError: 'x'");
}

#[test]
fn an_announcement_without_a_traceback_ends() {
    let traceback =
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    f()\nValueError: no\n";
    for announced in [
        "Exception ignored in: <_io.TextIOWrapper name='<stdout>'>\nBrokenPipeError: [Errno 32] Broken pipe\n",
        "ERROR:asyncio:Exception in callback f()\nhandle: <Handle f()>\nINFO:root: at work\nat work\n",
    ] {
        assert_eq!(ended_by(announced), None);
        assert_eq!(ended_by(&format!("{announced}{traceback}")).as_deref(), Some("ValueError: no"));
    }
}

#[test]
fn a_worker_of_several_that_goes_on_has_caught_its_exception() {
    let of = |pid: u32, line: &str| format!("(LoopWorker pid={pid}) {line}\n");
    let thrown = of(7, "ERROR:2025-12-25 23:46:30,691:Traceback (most recent call last):")
        + &of(7, "  File \"env.py\", line 470, in update")
        + &of(7, "    x, y = parse(text)")
        + &of(7, "TypeError: cannot unpack non-iterable NoneType object")
        + &of(7, "");
    let own = of(7, "ERROR:2025-12-25 23:46:30,692:no action for item 3") + &of(7, "next item");
    let others: String = (8..=10).map(|pid| of(pid, "next item")).collect();
    assert_eq!(ended_by(&format!("{thrown}{own}{others}")), None);
    assert!(ended_by(&format!("{thrown}{others}")).is_some(), "that worker never spoke again");
    assert!(ended_by(&format!("{thrown}{own}")).is_some(), "nor did the others");
    let driver = "Traceback (most recent call last):\n  File \"run.py\", line 8, in <module>\n    main()\n\
                  RuntimeError: the batch is empty\n";
    assert!(ended_by(&format!("{thrown}{own}{others}{driver}")).is_some(), "it ended the program");
    assert!(ended_by(&format!("{driver}{own}{others}")).is_some(), "no worker has thrown it");
    assert_eq!(
        alerts(&read(&format!("{thrown}{own}{others}"))),
        [("traceback", 1)],
        "it is told all the same"
    );
}

#[test]
fn what_a_replica_has_thrown_is_told_behind_what_passes_it_on() {
    let log = "Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n    main()\n\
               torch.OutOfMemoryError: Caught OutOfMemoryError in replica 0 on device 0.\n\
               Original Traceback (most recent call last):\n  File \"model.py\", line 3, in forward\n    \
               f(x)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 14.00 MiB.\n";
    let cause = read(log).ending_cause().map(|cause| cause.proof.text.clone());
    assert_eq!(cause.unwrap(), "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 14.00 MiB.");
}

#[test]
fn a_traceback_that_is_a_value_of_a_record_was_not_thrown() {
    let record = r#"RESULT {"seed": 14, "status": "unstable", "traceback": ["Traceback (most recent call last):", "  File"]}"#;
    assert_eq!(summary(&format!("Testing\n{record}\nNote: three seeds\n")).3, "unknown");
    let printed = "[\n  \"Traceback (most recent call last):\",\n  \"  File\"\n]\nNote: three seeds\n";
    assert_eq!(summary(printed).3, "unknown");
}
