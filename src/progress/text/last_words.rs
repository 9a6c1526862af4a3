//! What a last line says about the end of its program: an error, a code, or work that only begins.

use super::find::find;
use super::last_error::LastError;
use super::line_prefix::behind_prefix;
use super::word::is_one_of;

/// A longer line is a sentence about something else.
const LONGEST: usize = 400;

/// What a last line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastWords {
    /// The code other than 0 with which a program ended.
    Code,
    /// An error.
    Error(LastError),
    /// Work that begins.
    Begins,
}

impl LastWords {
    /// Returns what the line says, if anything.
    pub fn on(line: &[u8]) -> Option<Self> {
        if gives_code(line) || names_code(line) {
            return Some(Self::Code);
        }
        let words = behind_prefix(line).unwrap_or(line);
        let begins = || begins_work(words) || names_evaluation(words);
        LastError::on(line).map(Self::Error).or_else(|| begins().then_some(Self::Begins))
    }
}

/// Texts before the code with which a program ended.
const CODES: [&str; 6] =
    ["exit status ", "exit code ", "exit code: ", "exited with code ", " exit=", "] Error "];

/// Names of the code with which a process ended, where it is given as a value; `exit` may also be what an agent finds.
pub const NAMES_OF_CODE: [&str; 5] = ["rc", "exit_code", "exitcode", "returncode", "return_code"];

/// `DONE 2026-05-03 rc=143 latest_run=3`, `exit_code=137`
fn names_code(line: &[u8]) -> bool {
    const ENDS: [&str; 6] = ["done", "end", "ended", "finished", "complete", "completed"];
    let first = line.split(|byte| !byte.is_ascii_alphabetic() && *byte != b'_').find(|word| !word.is_empty());
    let is_end = first
        .is_some_and(|word| is_one_of(word, &ENDS) || is_one_of(word, &NAMES_OF_CODE) || word == b"EXIT");
    is_end
        && line.split(u8::is_ascii_whitespace).any(|word| {
            let Some(sign) = memchr::memchr(b'=', word) else { return false };
            let (name, code) = (&word[..sign], &word[sign + 1..]);
            let is_named = is_one_of(name, &NAMES_OF_CODE) || name == b"EXIT";
            let is_code = (1..=3).contains(&code.len()) && code.iter().all(u8::is_ascii_digit);
            is_code && code != b"0" && is_named
        })
}

/// Reports whether the line ends in a code other than 0: `returned non-zero exit status 1.`, `END exit=2`.
fn gives_code(line: &[u8]) -> bool {
    CODES.iter().any(|text| {
        let Some(at) = find(line, text.as_bytes()) else { return false };
        let behind = line[at + text.len()..].trim_ascii();
        let number = behind.strip_prefix(b"-").unwrap_or(behind);
        let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_last = number[digits..].iter().all(|byte| b".!)]'\"".contains(byte));
        (1..=3).contains(&digits) && is_last && number[0] != b'0'
    })
}

/// What is begun in such lines: the work, and not what prepares it.
const WORK: [&str; 14] = [
    "episode", "episodes", "evaluation", "evaluations", "evaluating", "eval", "training", "rollout",
    "rollouts", "trial", "testing", "task", "benchmark", "experiment",
];

/// First words of lines that announce it, and of those that name one of its parts.
const STARTS: [&str; 4] = ["start", "starting", "begin", "beginning"];
const PARTS: [&str; 2] = ["stage", "phase"];

/// First two words of lines that name the work which comes next.
const NEXT: [[&str; 2]; 4] =
    [["now", "evaluating"], ["now", "training"], ["next", "experiment"], ["next", "task"]];

/// Reports whether the line announces work that may come behind the end of other work: `Evaluating the policy on 60
/// tasks`, `Running the benchmark...`.
pub fn announces_work(line: &[u8]) -> bool {
    let line = behind_prefix(line).unwrap_or(line);
    if begins_work(line) {
        return true;
    }
    let mut words = line.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let word = words.next().unwrap_or_default();
    let next = words.next().unwrap_or_default();
    if NEXT.iter().any(|[one, other]| is_one_of(word, &[one]) && is_one_of(next, &[other])) {
        return true;
    }
    let is_open = || ["...", "…"].iter().any(|end| line.trim_ascii_end().ends_with(end.as_bytes()));
    let is_bar = || find(line, b"%|").is_some();
    let (deeds, names) = (["evaluating", "benchmarking", "simulating"], ["running", "testing", "training"]);
    // `Training complete` and `Testing time: 3 s` name what is over.
    (is_one_of(word, &deeds) || is_one_of(word, &names) && is_open()) && !is_bar()
}

/// `Evaluating policy over 10 episodes.`, but not `Evaluating: mean reward 3`, which gives what came of it.
fn names_evaluation(words: &[u8]) -> bool {
    let mut said = words.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    said.next().is_some_and(|word| is_one_of(word, &["evaluating", "benchmarking"]))
        && said.next().is_some()
        && !words.iter().any(|byte| b":=|".contains(byte))
}

/// Reports whether the line only announces work: `Starting episode 3...`, `开始评估...`, `Stage 1/5: grasp`.
fn begins_work(words: &[u8]) -> bool {
    let holds = |texts: &[&str]| texts.iter().any(|text| find(words, text.as_bytes()).is_some());
    if holds(&["开始"]) && holds(&["评估", "训练", "测试", "推理"]) || runs_command(words) {
        return true;
    }
    // Most lines are ruled out here, without a copy: signs may stand before the word, and letters of other scripts.
    let first = words.split(|byte| !byte.is_ascii_alphanumeric()).find(|word| !word.is_empty());
    if !first.is_some_and(|word| is_one_of(word, &STARTS) || is_one_of(word, &PARTS)) {
        return false;
    }
    let line = String::from_utf8_lossy(&words[..words.len().min(LONGEST)]).to_lowercase();
    let mut words = line.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    match words.next() {
        Some(word) if STARTS.contains(&word) => words.take(3).any(|word| WORK.contains(&word)),
        Some(word) if PARTS.contains(&word) => {
            let numbers: Vec<u64> = words.by_ref().map_while(|word| word.parse().ok()).take(2).collect();
            matches!(numbers[..], [stage, of] if stage < of)
                && !line.contains("done")
                && !line.contains(" took ")
                && !line.contains("complete")
        }
        _ => false,
    }
}

/// Text before a command that is run next; `+ ` is that of a shell.
const BEFORE_COMMAND: [&str; 6] =
    ["+ ", "$ ", "running command: ", "executing command: ", "运行命令：", "执行命令："];

/// Programs of the work. What others do, such as `ffmpeg` and `rsync`, comes behind it.
pub const PROGRAMS: [&str; 5] = ["python", "torchrun", "accelerate", "deepspeed", "mpirun"];

fn runs_command(words: &[u8]) -> bool {
    let begins = |text: &&str| {
        let start = words.get(..text.len()).unwrap_or_default();
        start.eq_ignore_ascii_case(text.as_bytes()).then(|| words[text.len()..].trim_ascii_start())
    };
    BEFORE_COMMAND.iter().find_map(begins).is_some_and(|command| {
        let program = command.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let name = program.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        PROGRAMS.iter().any(|known| name.starts_with(known.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_line_begins_work() {
        for line in
            ["2025-01-06 17:03:19,447 - INFO - Evaluating policy over 10 episodes.", "Starting episode 3..."]
        {
            assert_eq!(LastWords::on(line.as_bytes()), Some(LastWords::Begins), "{line}");
        }
        for line in ["Evaluating: mean reward 3", "Testing time 3 s", "Training complete"] {
            assert_eq!(LastWords::on(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn work_is_announced_by_the_first_word_of_a_line() {
        for line in [
            "Starting episode 3...",
            "🚀 Starting evaluation...",
            "── BEGIN the rollouts",
            "2026-01-06 17:00:39,954 - INFO - ▶ Starting evaluation",
            "Stage 1/5: grasp",
            "+ python train.py --epochs 100 --data demos",
            "2025-04-16 17:01:01 DEBUG: 运行命令：python3 evaluate.py",
            "Running command: /usr/bin/python3 eval.py --seed 3",
            "开始评估...",
            "Now training SAC on Push-v1",
            "Next task: Push-v1",
        ] {
            assert!(announces_work(line.as_bytes()), "{line}");
        }
        for line in [
            "Running command: ffmpeg -i frames out.mp4",
            "+ 3 points",
            "Restarting evaluation",
            "éStarting evaluation",
            "Stage 5/5: grasp",
            "The start of evaluation",
            "Next steps: run the evaluation",
        ] {
            assert!(!announces_work(line.as_bytes()), "{line}");
        }
    }
}
