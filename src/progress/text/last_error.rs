//! A last line by which a program says that it failed: what a reader without an exit code has to go by.

use super::find::find;
use super::line_level::{has_level, is_mild, is_of_kit, level_name};
use super::line_prefix::behind_prefix;
use super::log_tail::LastLine;
use super::number::leading_u64;
use super::word::{is_one_of, split_dotted_name};

/// How a last line says that its program failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastError {
    /// It names the exception that ended the program, whose traceback is not in the log.
    Thrown,
    /// It says so itself: `Error: cannot open env`, `Evaluation failed.`
    Stated,
    /// Its logger calls it an error, which a program at work may outlive.
    Logged,
}

impl LastError {
    /// Returns how the line says that the program failed, if it does.
    pub fn on(line: &[u8]) -> Option<Self> {
        if is_of_kit(line) || is_mild(line) {
            return None;
        }
        let words = behind_prefix(line).unwrap_or(line).trim_ascii();
        if names_exception(words) {
            Some(Self::Thrown)
        } else if states_error(line)
            || states_error(words)
            || refuses(words)
            || says_work_failed(words)
            || says_tests_failed(words)
        {
            Some(Self::Stated)
        } else {
            is_logged_error(line).then_some(Self::Logged)
        }
    }
}

/// Reports whether the last of the lines names the same error as one before it: what a program prints again and again, it
/// outlives.
pub fn is_habit(lines: &[LastLine]) -> bool {
    let Some((last, before)) = lines.split_last() else { return false };
    let name = name_of_error(&last.text);
    !name.is_empty() && before.iter().any(|line| name_of_error(&line.text) == name)
}

/// `PlanningError` of `PlanningError: no path`.
fn name_of_error(line: &str) -> &[u8] {
    let words = behind_prefix(line.as_bytes()).unwrap_or(line.as_bytes()).trim_ascii();
    words.split(|byte| *byte == b':').next().unwrap_or_default()
}

/// `RuntimeError: no device`, `torch.cuda.OutOfMemoryError: …`, `KeyboardInterrupt`, at the start of the line.
fn names_exception(words: &[u8]) -> bool {
    const ENDS: [&[u8]; 3] = [b"Error", b"Exception", b"KeyboardInterrupt"];
    let (name, behind) = split_dotted_name(words);
    let last = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let is_name =
        last.first().is_some_and(u8::is_ascii_uppercase) && ENDS.iter().any(|end| last.ends_with(end));
    is_name && last.len() > b"Error".len() && (behind.is_empty() || is_message(behind))
}

/// `: no device`, and no number: `PositionError: 0.03` is a measure.
fn is_message(behind: &[u8]) -> bool {
    let Some(message) = behind.strip_prefix(b": ") else { return false };
    let first = message.split(|byte| b" \t[(,;:".contains(byte)).find(|word| !word.is_empty());
    first.is_some_and(|word| {
        word.first().is_some_and(|byte| !byte.is_ascii_digit() && !b"+-.".contains(byte))
            && !is_one_of(word, &["nan", "inf", "none"])
    })
}

/// `Error: cannot open env`, `FATAL: …`, `Fatal error: …`, at the start of the line.
fn states_error(words: &[u8]) -> bool {
    const STARTS: [&str; 4] = ["fatal error", "error", "fatal", "critical"];
    STARTS.iter().any(|start| {
        words
            .split_at_checked(start.len())
            .is_some_and(|(first, behind)| first.eq_ignore_ascii_case(start.as_bytes()) && is_message(behind))
    })
}

/// `eval-policy: error: no such task`, as command lines are refused.
fn refuses(words: &[u8]) -> bool {
    const SIGN: &[u8] = b": error: ";
    let Some(at) = find(words, SIGN) else { return false };
    let program = &words[..at];
    let is_name = |byte: &u8| byte.is_ascii_alphabetic() || b" -_.".contains(byte);
    !program.is_empty() && program.iter().all(is_name) && program != b"slurmstepd"
}

/// `Training failed: no space`, `Evaluation aborted.`, `Aborting!`: the work, and not an episode of it.
fn says_work_failed(words: &[u8]) -> bool {
    const WORK: [&str; 11] = [
        "training", "evaluation", "eval", "experiment", "benchmark", "script", "pipeline", "program", "job",
        "inference", "process",
    ];
    const FAILED: [&str; 3] = ["failed", "aborted", "crashed"];
    const ALONE: [&str; 3] = ["aborted", "aborting", "crashed"];
    const BY: [&str; 6] = ["with", "due", "because", "after", "at", "by"];
    let ends_clause = |text: &[u8]| text.last().is_some_and(|byte| b".:!,;".contains(byte));
    let mut said = words.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    match (said.next(), said.next(), said.next()) {
        (Some(alone), None, _) => is_one_of(letters_of(alone), &ALONE),
        (Some(work), Some(failed), behind) => {
            is_one_of(work, &WORK)
                && is_one_of(letters_of(failed), &FAILED)
                && (ends_clause(failed) || behind.is_none_or(|word| is_one_of(word, &BY)))
        }
        (None, _, _) => false,
    }
}

/// `===== 1 failed, 3 passed in 2.12s =====`: the last line of pytest.
fn says_tests_failed(words: &[u8]) -> bool {
    let Some(said) = words.strip_prefix(b"==").filter(|_| words.ends_with(b"=")) else { return false };
    let start = said.iter().position(|byte| *byte != b'=').unwrap_or(said.len());
    let said = said[start..].trim_ascii();
    let Some((_, behind)) = leading_u64(said) else { return false };
    [&b" failed"[..], b" error"].iter().any(|failed| behind.starts_with(failed))
        && find(behind, b" in ").is_some()
}

/// `failed` of `failed:`.
fn letters_of(word: &[u8]) -> &[u8] {
    &word[..word.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()]
}

/// Words of exceptions, which a program that catches them passes on.
const EXCEPTIONS: [&str; 9] = [
    "has no attribute",
    "No such file or directory",
    "[Errno ",
    "Error: ",
    "Exception: ",
    "is not defined",
    "unexpected keyword argument",
    "No module named ",
    "out of range",
];

/// Reports whether its logger calls the line an error, and it says that something failed or holds an exception.
fn is_logged_error(line: &[u8]) -> bool {
    const FAILED: [&str; 5] = ["failed", "aborted", "cannot", "unable", "crashed"];
    // Chinese, Japanese and Korean.
    const EAST_ASIAN: [&str; 5] = ["失败", "无法", "崩溃", "失敗", "실패"];
    let holds_exception = || {
        let is_named = level_name(line).is_some_and(|name| name.iter().all(u8::is_ascii_uppercase));
        is_named && EXCEPTIONS.iter().any(|text| find(line, text.as_bytes()).is_some())
    };
    let says_failed = || {
        let message = behind_prefix(line);
        let words = message.unwrap_or(line).split(|byte| !byte.is_ascii_alphabetic());
        let is_error = |word: &[u8]| message.is_some() && is_one_of(word, &["error"]);
        words.filter(|word| !word.is_empty()).take(2).any(|word| is_one_of(word, &FAILED) || is_error(word))
            || EAST_ASIAN.iter().any(|failed| find(line, failed.as_bytes()).is_some())
    };
    has_level(line) && (says_failed() || holds_exception())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(line: &str) -> Option<LastError> {
        LastError::on(line.as_bytes())
    }

    #[test]
    fn a_last_line_names_what_was_thrown() {
        for line in [
            "RuntimeError: no device",
            "torch.cuda.OutOfMemoryError: CUDA out of memory",
            "[rank0]: ValueError: x",
            "AssertionError",
            "KeyboardInterrupt",
        ] {
            assert_eq!(on(line), Some(LastError::Thrown), "{line}");
        }
        for line in
            ["PositionError: 0.03", "TrackingError: [0.1, 0.2]", "MeanError: nan", "val_Error", "Errors"]
        {
            assert_eq!(on(line), None, "{line}");
        }
    }

    #[test]
    fn a_last_line_says_that_the_work_failed() {
        for line in [
            "Error: cannot open env",
            "ERROR: no such task",
            "Fatal error: x",
            "Training failed: no space",
            "Evaluation aborted.",
            "eval-policy: error: no such task",
            "Aborting...",
        ] {
            assert_eq!(on(line), Some(LastError::Stated), "{line}");
        }
        for line in [
            "Error: 0.03 rad",
            "error rate: 0.1",
            "Task failed",
            "Episode failed",
            "Training failed episodes: 3",
            "2026-01-06 17:00:39,954 - eval - INFO - Error: none",
            "2026-11-21T10:00:00Z [12,345ms] [Error] [omni.physx.plugin] Error: slow",
        ] {
            assert_eq!(on(line), None, "{line}");
        }
    }

    #[test]
    fn a_logger_calls_a_last_line_an_error() {
        for line in [
            "2026-01-06 17:00:39,954 - eval - ERROR - Error during training: 'close'",
            "[2026-01-01 10:00:00,123][eval][ERROR] - Cannot open env",
            "[16:58:09] ERROR 仿真器未运行，无法继续",
            "2026-01-06 17:00:39,954 - eval - ERROR - got an unexpected keyword argument 'x'",
        ] {
            assert_eq!(on(line), Some(LastError::Logged), "{line}");
        }
        assert_eq!(on("2026-01-06 17:00:39,954 - eval - ERROR - wrist camera is slow"), None);
    }
}
