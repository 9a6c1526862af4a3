//! Free words that say that work is done: `=== ALL DONE ===`, `Results saved to results.json`.

use super::closing_results::{names_final_result, saves_final_model, saves_results};
use super::closing_sequel::{NOT_YET, is_of_part};
use super::east_asian_ends::says_in_east_asian;
use super::exit_codes::{code_on, gives_exit_0, gives_exit_code, reports_completed_job};
use super::line_words::is_end;
use super::time_behind::before_time;
use crate::progress::counts::count_units;
use crate::progress::text::word::{is_number, is_one_of, only_difference};

/// A sentence about something else is longer.
const LONGEST: usize = 240;
const MOST_SUBJECT: usize = 5;

/// How much a line proves that says that something is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proves {
    /// The whole work is over.
    Work,
    /// The whole work or a part of it: only at the very end.
    Part,
}

/// Programs that end say that they are closing things.
pub const CLOSES: &[&str] = &[
    "closing", "exiting", "saving", "killing", "terminating", "stopping", "cleaning", "shutting", "warning",
    "writing",
];

/// What such a word ends is over: `Training and evaluation environments closed`.
pub const OVER: &[&str] =
    &["closed", "saved", "done", "finished", "completed", "complete", "stopped", "ended"];

/// Returns what the words of a line prove, if anything.
pub fn closing_words(words: &[String]) -> Option<Proves> {
    let is_long = words.iter().map(String::len).sum::<usize>() > LONGEST;
    let has_failed = code_on(words).is_some_and(|(_, code)| code != "0");
    if is_long || has_failed || gives_exit_code(words) || raises_doubt(words) {
        return None;
    }
    before_time(words)
        .and_then(said_in_short)
        .or_else(|| names_end(words))
        .or_else(|| names_final_result(words).then_some(Proves::Work))
        .or_else(|| gives_total_time(words))
        .or_else(|| saves_results(words).then_some(Proves::Part))
        .or_else(|| saves_final_model(words).then_some(Proves::Part))
        .or_else(|| solves_after(words))
        .or_else(|| ends_all(words))
        .or_else(|| names_all_done(words))
        .or_else(|| gives_tests_passed(words))
}

/// In few words, behind which a time may be given.
fn said_in_short(words: &[String]) -> Option<Proves> {
    said_in_whole(words).or_else(|| (0..words.len()).find_map(|place| said_by_verb(words, place)))
}

/// Words that make something else of a line.
const DOUBTS: &[&str] = &[
    "failed", "fail", "fails", "failure", "failures", "error", "errors", "exception", "aborted",
    "interrupted", "killed", "incomplete", "unfinished", "partially", "cancelled", "canceled", "skipped",
    "timeout", "crashed", "without", "cannot", "unable",
];

/// One of them is among the words, and `0 failed` says that there was none.
pub fn raises_doubt(words: &[String]) -> bool {
    let are_none = |before: &[String]| match before {
        // `1.0 error`
        [.., number, last] if is_number(number) && last == "0" => false,
        [.., last] => is_one_of(last, &["0", "no", "zero"]),
        [] => false,
    };
    (0..words.len()).any(|place| is_one_of(&words[place], DOUBTS) && !are_none(&words[..place]))
}

/// Lines that are nothing else.
fn said_in_whole(words: &[String]) -> Option<Proves> {
    use Proves::{Part, Work};
    let line = words.join(" ");
    let starts = |start: &str| line.starts_with(start);
    match line.as_str() {
        "all done"
        | "all ok"
        | "all passed"
        | "all succeeded"
        | "successfully completed"
        | "exit code 0"
        | "exiting script"
        | "exiting main"
        | "everything done"
        | "全部完成" => Some(Work),
        "done" | "finished" | "complete" | "completed" | "exiting" => Some(Part),
        // The service of W&B ends with its process.
        "server is closed" => Some(Part),
        _ if gives_exit_0(words) => Some(Part),
        _ if reports_completed_job(words) => Some(Work),
        _ if starts("trainer fit stopped max_") && line.ends_with("reached") => Some(Work),
        _ if starts("wandb synced ") || line.contains("is pushed to the hub") => Some(Work),
        _ if starts("generate ") && line.contains(" with beam ") => Some(Work),
        // Isaac Lab's collection of demonstrations.
        _ if matches!(words, [reached, all, ..] if reached == "reached" && is_number(all))
            && line.ends_with(" successes attempts exiting") =>
        {
            Some(Work)
        }
        "training over" => Some(Work),
        // Trainings with Prismatic, OpenVLA and their descendants, also behind the time and before the place of a logger.
        _ if line.contains("and that s all folks") => Some(Work),
        _ if starts("learning finished after ") && line.ends_with(" steps") => Some(Work),
        _ if starts("training time ") && is_clock(&words[2..]) => Some(Work),
        // Trainings of MuJoCo Playground with brax.
        _ if starts("time to train ") && is_clock(&words[3..]) => Some(Work),
        // The summary of Optuna's examples.
        _ if starts("number of finished trials ") => Some(Work),
        _ if starts("job finished at ") || starts("job ended at ") => Some(Work),
        _ if line.contains("完成") && (line.contains("所有") || line.contains("全部")) => Some(Work),
        _ if says_in_east_asian(&line) => Some(Work),
        _ => None,
    }
}

/// `2:14:38`, `1 day, 2:03:04`, `0:08:09.227187`, and nothing else.
fn is_clock(words: &[String]) -> bool {
    let clock = match words {
        [days, day, clock @ ..] if is_number(days) && day.starts_with("day") => clock,
        clock => clock,
    };
    (3..=4).contains(&clock.len())
        && clock.iter().all(|word| is_number(word))
        && clock[1..3].iter().all(|word| word.len() == 2)
}

/// Things that a program does once, in the singular or in the plural.
const WHOLE_WORK: &[&str] = &[
    "training", "evaluation", "evaluations", "eval", "experiment", "experiments", "benchmark", "benchmarks",
    "benchmarking", "sweep", "sweeps", "job", "jobs", "pipeline", "script", "simulation", "simulations",
    "inference", "testing", "tests", "process", "processing", "search", "optimization", "optimisation",
    "finetuning", "tuning", "pass", "generation", "collection", "analysis", "demo", "rollouts", "tasks",
    "epochs", "episodes", "runs", "trials", "games", "seeds", "everything", "program", "execution", "run",
    "work", "extraction", "rendering", "conversion", "comparison", "scenarios", "suites", "steps",
    "evaluate", "main", "profiling", "diagnostics", "learning", "test",
];

/// Words around it that change nothing.
const FILLERS: &[&str] = &[
    "the", "all", "is", "was", "has", "been", "have", "are", "were", "successfully", "now", "fully", "of",
    "full", "total",
];

/// What is done before the work or between its parts: `Finished loading training data`.
const PREPARES: &[&str] = &[
    "loading", "building", "creating", "downloading", "initializing", "preparing", "compiling", "generating",
    "reading", "setting", "installing", "importing", "warming", "parsing", "caching", "saving", "writing",
    "copying", "splitting", "tokenizing", "preprocessing", "resetting", "connecting", "configuring",
];

/// `Training completed`, `Finished training`, `All 40 tasks done`, `274 epochs completed in 35.859 hours`.
fn said_by_verb(words: &[String], place: usize) -> Option<Proves> {
    if !is_end(&words[place]) && words[place] != "accomplished" {
        return None;
    }
    let (before, behind) = (&words[..place], &words[place + 1..]);
    if before.iter().any(|word| is_one_of(word, NOT_YET)) {
        return None;
    }
    let numbers: Vec<&String> = before.iter().filter(|word| is_number(word)).collect();
    let subject: Vec<&String> =
        before.iter().filter(|word| !is_number(word) && !is_one_of(word, FILLERS)).collect();
    // `4/4: Training completed`, `274 epochs completed in 35.859 hours`, `All 40 tasks done`; `Run 3 complete` is one of
    // several, and behind `3 tasks done` others may come.
    let last_is = |names: &dyn Fn(&str) -> bool| subject.last().is_some_and(|word| names(word));
    let is_all = || {
        let gives_time = behind.iter().any(|word| is_number(word));
        before.iter().any(|word| word == "all") || last_is(&|word| word == "epochs") && gives_time
    };
    let counts_all = match numbers[..] {
        [] => true,
        [_] => is_all() && last_is(&|word| word.ends_with('s') && !word.ends_with("ss")),
        [done, total] => done == total,
        _ => false,
    };
    let trains = words.iter().any(|word| is_one_of(word, &["training", "learning"]));
    if !counts_all || is_of_part(before, behind, trains, !subject.is_empty()) {
        return None;
    }
    let next = words.get(place + 1).map(String::as_str);
    // `Evaluation loop completed`
    let Some(last) = subject.iter().rfind(|word| **word != "loop").or(subject.last()) else {
        // `Finished training batch`
        if next != Some("all") && behind.get(1).is_some_and(|word| is_one_of(word, NOT_YET)) {
            return None;
        }
        // `Done playing 100000 games`, `Finished all episode`.
        let counts_work = behind.iter().any(|word| is_one_of(word, WHOLE_WORK));
        let is_deed = |word: &str| word.ends_with("ing") && !is_one_of(word, PREPARES);
        let ends_in_deed = next.is_some_and(is_deed) && counts_work;
        let ends_all =
            next == Some("all") && words.get(place + 2).is_some_and(|word| is_plural_of_work(word));
        let ends_each = next == Some("all") && names_counted(&words[place + 2..]);
        if ends_in_deed || ends_all || ends_each {
            return Some(Proves::Work);
        }
        let named = behind.iter().find(|word| !is_one_of(word, FILLERS) && !is_number(word));
        let is_counted =
            behind.iter().any(|word| is_one_of(word, &["steps", "episodes", "epochs", "trials"]));
        // `Complete evaluation` is a whole one, and behind `Done 878 tasks` others may come.
        let is_whole = words[place] != "complete" && !next.is_some_and(is_number);
        let names_work = named.is_some_and(|word| is_one_of(word, WHOLE_WORK)) && !is_counted && is_whole
            || names_script(behind);
        let gives_time =
            matches!(next, Some("in" | "after" | "at" | "took")) && behind.iter().any(|word| is_number(word));
        return match (names_work, gives_time) {
            (true, _) => Some(Proves::Work),
            (false, true) => Some(Proves::Part),
            (false, false) => None,
        };
    };
    // Trainings collect rollouts for each update.
    let is_of_update = *last == "rollouts" && !before.iter().any(|word| word == "all");
    let proves = if names_one(behind) || is_of_update { Proves::Part } else { Proves::Work };
    (subject.len() <= MOST_SUBJECT && is_one_of(last, WHOLE_WORK)).then_some(proves)
}

/// `for monaco` behind `Training complete`: it may be one of several.
pub fn names_one(behind: &[String]) -> bool {
    let is_name =
        |word: &String| !is_number(word) && !is_one_of(word, FILLERS) && !is_one_of(word, WHOLE_WORK);
    matches!(behind, [of, name, ..] if is_one_of(of, &["for", "on", "of"]) && is_name(name))
}

/// `Environment solved in 24 episodes!`, `Completed at episode: 109`: what was trained for came early.
fn solves_after(words: &[String]) -> Option<Proves> {
    const UNITS: &[&str] = &["episode", "episodes", "epochs", "iterations", "generations"];
    let [rest @ .., one, two] = words else { return None };
    let counts = is_number(one) && is_one_of(two, UNITS) || is_one_of(one, UNITS) && is_number(two);
    let solves = matches!(rest, [.., end, at] if is_one_of(end, &["solved", "completed", "converged"])
        && is_one_of(at, &["in", "at", "after"]));
    (counts && solves && rest.len() <= MOST_SUBJECT).then_some(Proves::Part)
}

/// `All renders done`: of things that are no part of the preparation.
fn ends_all(words: &[String]) -> Option<Proves> {
    const OTHERS: &[&str] = &[
        "checks", "dependencies", "requirements", "packages", "downloads", "models", "environments", "envs",
        "workers", "processes", "threads", "ranks", "servers", "nodes", "files", "imports", "weights",
        "assets",
    ];
    let [all, named, end] = words else { return None };
    let names = named.len() > 3 && named.ends_with('s') && !is_one_of(named, OTHERS);
    (all == "all" && names && is_end(end)).then_some(Proves::Work)
}

/// `=== Pair 01 ALL DONE ===`: of what is named, which may be one of several.
fn names_all_done(words: &[String]) -> Option<Proves> {
    let (name, [all, end]) = words.split_last_chunk()?;
    let is_part = name.iter().any(|word| is_one_of(word, NOT_YET) || is_one_of(word, PREPARES));
    let is_name = (1..=MOST_SUBJECT).contains(&name.len()) && !is_part;
    (is_name && all == "all" && is_end(end)).then_some(Proves::Part)
}

/// `===== 2 passed, 1 warning in 3.12s =====`: the last line of pytest, where nothing failed.
fn gives_tests_passed(words: &[String]) -> Option<Proves> {
    const COUNTED: &[&str] = &["passed", "in", "warning", "warnings", "deselected", "xfailed", "xpassed"];
    let [number, passed, behind @ ..] = words else { return None };
    let is_time =
        |word: &String| word.ends_with('s') && word.starts_with(|letter: char| letter.is_ascii_digit());
    let is_counted = |word: &String| is_number(word) || is_time(word) || is_one_of(word, COUNTED);
    let gives = is_number(number) && passed == "passed" && behind.iter().any(|word| word == "in");
    (gives && behind.iter().all(is_counted) && behind.iter().any(is_time)).then_some(Proves::Work)
}

/// `10 sequential rounds in 68.68 seconds` behind `Completed all`.
fn names_counted(words: &[String]) -> bool {
    let counts = |word: &String| count_units::find(word.as_bytes()).is_some_and(|(_, is_plural)| is_plural);
    words.first().is_some_and(|word| is_number(word)) && words.iter().skip(1).take(2).any(counts)
}

/// `SAC training script` behind `Finished`: a name, and nothing but the work.
fn names_script(words: &[String]) -> bool {
    let Some((name, work)) = words.split_first() else { return false };
    let is_name = !is_number(name) && !name.ends_with("ing") && !is_one_of(name, NOT_YET);
    is_name && !work.is_empty() && work.len() <= 2 && work.iter().all(|word| is_one_of(word, WHOLE_WORK))
}

/// `>>>>> End testing <<<<<`, `=== End of training ===`; evaluations end within a training too.
fn names_end(words: &[String]) -> Option<Proves> {
    const ONCE: &[&str] =
        &["training", "testing", "experiment", "experiments", "benchmark", "script", "program", "job"];
    let (end, behind) = words.split_first()?;
    let mut named = behind.iter().skip_while(|word| is_one_of(word, FILLERS));
    let names_work = named.next().is_some_and(|word| is_one_of(word, ONCE));
    let is_part = named.next().is_some_and(|word| is_number(word) || is_one_of(word, NOT_YET));
    (is_one_of(end, &["end", "ended"]) && names_work && !is_part).then_some(Proves::Work)
}

/// `Total training time: 26119 seconds`; `Total time` alone is printed for each iteration too.
fn gives_total_time(words: &[String]) -> Option<Proves> {
    const OF: &[&str] =
        &["training", "evaluation", "eval", "execution", "simulation", "experiment", "wall", "running"];
    // `Took 1859.5s to run`
    let ends_so = |end: &str| words.last().is_some_and(|word| word == end);
    if words.first().is_some_and(|word| word == "took")
        && words.len() <= 6
        && ["run", "complete", "finish"].into_iter().any(ends_so)
    {
        return Some(Proves::Part);
    }
    // `Total time for inference and evaluation: 0:14:11`
    if let [total, time, of, named, ..] = words
        && total == "total"
        && is_one_of(time, &["time", "runtime"])
        && is_one_of(of, &["for", "of"])
        && is_one_of(named, &["inference", "evaluation", "training", "eval"])
        && words.iter().skip(4).any(|word| is_number(word))
        && !words.iter().any(|word| is_one_of(word, NOT_YET))
    {
        return Some(Proves::Part);
    }
    let [total, of, time, ..] = words else { return None };
    let is_time = is_one_of(time, &["time", "runtime", "duration", "clock"]);
    let gives = words.iter().any(|word| word.starts_with(|letter: char| letter.is_ascii_digit()));
    (total == "total" && is_one_of(of, OF) && is_time && gives).then_some(Proves::Part)
}

/// `Done! Best score: 85/100 wins!`: a sentence of one word, and the result behind it.
pub fn gives_result_when_done(line: &str, words: &[String]) -> bool {
    const RESULTS: &[&str] = &["best", "final", "results", "accuracy", "score", "reward", "success", "saved"];
    let Some((first, behind)) = words.split_first() else { return false };
    let is_sentence = || ["!", "."].iter().any(|end| line.to_lowercase().contains(&format!("{first}{end} ")));
    let names = |known: &[&str]| behind.iter().any(|word| is_one_of(word, known));
    is_end(first)
        && names(RESULTS)
        && !raises_doubt(behind)
        && !names(&["will", "be", "next"])
        && is_sentence()
}

/// `offline diagnostic: COMPLETED`, `status=done`: the state of the whole, and nothing else behind the sign.
pub fn states_end(line: &str, words: &[String]) -> bool {
    const OTHERS: &[&str] = &["setup", "check", "load", "init", "build", "warmup", "download", "install"];
    let Some((last, before)) = words.split_last() else { return false };
    // `status: training_finished`
    let last = last.rsplit('_').next().unwrap_or(last);
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let state = line.trim_end_matches(|letter| !is_letter(letter));
    let sign = state.trim_end_matches(is_letter).trim_end();
    let is_part = |word: &String| {
        is_one_of(word, NOT_YET)
            || is_one_of(word, PREPARES)
            || is_one_of(word, OTHERS)
            || is_one_of(word, DOUBTS)
    };
    is_end(last) && sign.ends_with([':', '=']) && !before.is_empty() && !before.iter().any(is_part)
}

/// `Early stopping at epoch 5`, `No improvement for 10 epochs, stopping.`: the work may be over before its total. A
/// counter of such rounds says nothing.
pub fn hints_at_early_stop(line: &str) -> bool {
    const SAYINGS: [&str; 5] = ["early stop", "early-stop", "earlystop", "stopping early", "stopped early"];
    const REASONS: [&str; 4] = ["no improvement", "target", "converged", "patience"];
    let line = line.to_lowercase();
    let holds = |texts: &[&str]| texts.iter().any(|text| line.contains(text));
    let stops = holds(&SAYINGS) || line.contains("stopping") && holds(&REASONS);
    stops && !holds(&["counter", "out of", "patience:", "patience="])
}

/// The lines differ in the name of what is over alone: `Training complete for monaco` and `Training complete for suzuka`,
/// `Finished ddqn in 7 s` and `Finished dqn in 9 s`.
pub fn differ_in_name(one: &[String], other: &[String]) -> bool {
    only_difference(one, other).is_some_and(|place| {
        let before = place.checked_sub(1).map(|before| &one[before]);
        before.is_some_and(|before| is_end(before) || is_one_of(before, &["for", "on", "of"]))
            && !is_one_of(&one[place], WHOLE_WORK)
            && !is_one_of(&other[place], WHOLE_WORK)
    })
}

/// The word, or its plural, is what a program does once in all.
fn is_plural_of_work(word: &str) -> bool {
    is_one_of(word, WHOLE_WORK) || is_one_of(format!("{word}s"), WHOLE_WORK)
}
