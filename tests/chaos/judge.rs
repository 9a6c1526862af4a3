//! What a round came to, by its journal and the witnesses of its programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::Count;
use crate::signs::describe_standstill;

/// What a shard does.
#[derive(Debug, Clone)]
pub struct Work {
    pub name: String,
    pub milliseconds: u64,
    /// Exit code, or `sig` and a signal.
    pub end: String,
}

/// What a round leaves behind.
pub struct Evidence<'a> {
    pub run: &'a Path,
    /// Folder of the witnesses of its programs.
    pub witness: &'a Path,
    pub work: &'a [Work],
    /// Verbs have changed what happens to shards.
    pub by_user: bool,
}

/// The newest stage of the run is its end.
pub fn has_ended(run: &Path) -> bool {
    let last = facts(run).into_iter().rev().find_map(|fact| match fact["fact"].as_str()? {
        "run-ended" => Some(true),
        "run-continued" | "shard-queued" | "attempt-starting" => Some(false),
        _ => None,
    });
    last == Some(true)
}

/// The newest end of the run left nothing over.
pub fn has_finished(run: &Path) -> bool {
    let mut ends = facts(run).into_iter().filter(|fact| fact["fact"] == "run-ended");
    ends.next_back().is_some_and(|end| end["finished"] == true)
}

/// The facts of a journal.
pub fn facts(run: &Path) -> Vec<Value> {
    let text = fs::read(run.join("journal.jsonl")).unwrap_or_default();
    text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Attempts of a shard in the journal: how often announced, and their outcomes.
#[derive(Default)]
struct Attempt {
    announced: u32,
    outcomes: Vec<Value>,
}

pub fn judge(round: &Evidence<'_>, has_ended: bool) -> Count {
    let mut count = Count { rounds: 1, shards: round.work.len() as u64, ..Count::default() };
    if !has_ended {
        count.stuck = 1;
        count.notes.push(format!("it has no end; {}", describe_standstill(round.run)));
    }
    let mut attempts: BTreeMap<(String, u64), Attempt> = BTreeMap::new();
    let mut cancelled = Vec::new();
    for fact in facts(round.run) {
        let key = || Some((fact["shard"].as_str()?.to_owned(), fact["attempt"].as_u64()?));
        match fact["fact"].as_str() {
            Some("attempt-starting") => attempts.entry(key().unwrap()).or_default().announced += 1,
            Some("attempt-ended") => {
                attempts.entry(key().unwrap()).or_default().outcomes.push(fact["outcome"].clone())
            }
            Some("shard-cancelled") => cancelled.push(fact["shard"].as_str().unwrap().to_owned()),
            _ => {}
        }
    }
    for work in round.work {
        let mine: Vec<(u64, &Attempt)> = attempts
            .iter()
            .filter(|((shard, _), _)| *shard == work.name)
            .map(|((_, number), one)| (*number, one))
            .collect();
        judge_shard(round, work, &mine, cancelled.contains(&work.name), &mut count);
    }
    count
}

fn judge_shard(
    round: &Evidence<'_>,
    work: &Work,
    mine: &[(u64, &Attempt)],
    is_cancelled: bool,
    count: &mut Count,
) {
    let name = &work.name;
    let witness = fs::read_to_string(round.witness.join(name)).unwrap_or_default();
    let lines =
        |word: &str, number: u64| witness.lines().filter(|line| **line == format!("{word} {number}")).count();
    let mut note = |figure: fn(&mut Count) -> &mut u64, text: String| {
        *figure(count) += 1;
        count.notes.push(format!("{name}: {text}"));
    };
    if witness.contains("overlap") {
        note(|count| &mut count.twice, "two attempts at a time".to_owned());
    }
    let unknown = witness.lines().filter_map(|line| line.strip_prefix("start ")?.parse::<u64>().ok());
    if let Some(number) = unknown.into_iter().find(|number| mine.iter().all(|(known, _)| known != number)) {
        note(|count| &mut count.twice, format!("attempt {number} ran and the journal does not know it"));
    }
    for (number, attempt) in mine {
        if lines("start", *number) > 1 || attempt.announced != 1 || attempt.outcomes.len() > 1 {
            note(|count| &mut count.twice, format!("attempt {number} is there twice"));
        }
        let Some(outcome) = attempt.outcomes.first() else { continue };
        if let Some(problem) = wrong_end(work, outcome, lines("end", *number) > 0) {
            note(|count| &mut count.wrong, format!("attempt {number}: {problem}"));
        }
    }
    let last = mine.last().and_then(|(_, attempt)| attempt.outcomes.first());
    let by_user = round.by_user;
    let is_over =
        last.is_some_and(|outcome| by_user || outcome["reason"] != "lost") || by_user && is_cancelled;
    if !is_over {
        note(|count| &mut count.lost, format!("it has no end: {last:?}"));
    }
}

/// The recorded end is not the program's.
fn wrong_end(work: &Work, outcome: &Value, has_end: bool) -> Option<String> {
    if matches!(outcome["reason"].as_str(), Some("lost" | "killed")) || outcome["verdict"] == "cancelled" {
        return None;
    }
    let code = work.end.parse::<i64>();
    let raw = match &code {
        Ok(code) => code << 8,
        Err(_) => work.end.strip_prefix("sig").unwrap().parse().unwrap(),
    };
    let found = outcome["exit"]["raw"].as_i64().map(|raw| raw & !128);
    let is_right = has_end && found == Some(raw) && (outcome["verdict"] == "succeeded") == (code == Ok(0));
    (!is_right).then(|| format!("it ends with {}, and is recorded as {outcome}", work.end))
}
