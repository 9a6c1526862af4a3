//! Salvage of a damaged journal: the facts that are sound, in order, and those that the rest of the run proves.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::beneath::PathBeneath;
use super::error::RunDirError;
use super::journal::{self, Journal};
use super::layout::RunDir;
use super::machine_wide::discover;
use super::seal::{self, Seal};
use super::{plans, records};
use crate::model::claims::claim::Claim;
use crate::model::ids::{AttemptKey, AttemptNumber, ShardId};
use crate::model::state::fact::{Event, Fact, JOURNAL_VERSION};
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::{FoldError, RunState};
use crate::model::sweep::plan::{Parallel, Plan};

/// Sound facts of a journal, with what is wrong with the others.
#[derive(Debug)]
pub struct Salvage {
    /// Facts that fit together, in their order.
    pub facts: Vec<Fact>,
    /// Losses and additions, one line for people each; none where the journal is sound.
    pub notes: Vec<String>,
    state: RunState,
}

/// Reads what is sound of a run's journal; nothing is written.
pub fn salvage_journal(run: &RunDir) -> Result<Salvage, RunDirError> {
    let (info, plan) = (discover::read_info(run)?, plans::read_first_plan(run)?);
    let path = run.journal_path();
    let bytes = if path.exists() { records::read_bytes(&path)? } else { Vec::new() };
    let mut salvage = Salvage { facts: Vec::new(), notes: Vec::new(), state: RunState::default() };
    let facts = salvage.sort_lines(&bytes);
    salvage.begin(&facts, &info, &plan);
    for fact in facts {
        salvage.take(fact);
    }
    salvage.announce_found(run);
    Ok(salvage)
}

/// Puts the salvaged facts in place of the journal and returns the path at which the damaged one is kept. The caller
/// holds the lock of the run.
pub fn replace_journal(run: &RunDir, salvage: Salvage) -> Result<PathBeneath, RunDirError> {
    let path = run.journal_path();
    let at = salvage.state.last_fact.unwrap_or(Timestamp::UNIX_EPOCH);
    let text = format!("the journal was damaged and is salvaged: {}", salvage.notes.join("; "));
    let mut facts = salvage.facts;
    facts.push(Fact::new(at, Event::Remarked { about: None, text }));
    let kept = (1..)
        .map(|number| path.with_extension(&format!("damaged-{number}.jsonl")))
        .find(|kept| !kept.exists());
    let kept = kept.expect("numbers do not end");
    if path.exists() {
        kept.write_once(&records::read_bytes(&path)?).map_err(RunDirError::io("write", &kept))?;
    }
    let text = journal::encode_facts(&facts, 0)
        .map_err(|source| RunDirError::Malformed { path: path.full_path().to_owned(), source })?;
    path.replace(&text).map_err(RunDirError::io("write", &path))?;
    Journal::open(&path)?.sync()?;
    Ok(kept)
}

impl Salvage {
    /// Returns the sound facts by their numbers; those of earlier versions have none and keep their places.
    fn sort_lines(&mut self, bytes: &[u8]) -> Vec<Fact> {
        let mut numbered: BTreeMap<u64, Fact> = BTreeMap::new();
        let mut last = 0;
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| *line != b"\n");
        for (place, line) in (1..).zip(lines) {
            let Some(line) = line.strip_suffix(b"\n") else {
                self.notes.push(format!("line {place} is torn and left out"));
                continue;
            };
            let seal = seal::check_seal(line);
            let (Some(fact), Seal::Absent | Seal::Sound { .. }) = (serde_json::from_slice(line).ok(), seal)
            else {
                self.notes.push(format!("line {place} is damaged and left out: {}", excerpt(line)));
                continue;
            };
            let number = if let Seal::Sound { number } = seal { number } else { last + 1 };
            if number != last + 1 && numbered.contains_key(&number) {
                self.notes.push(format!("line {place} is there twice"));
                continue;
            }
            if number < last {
                self.notes.push(format!("line {place} has number {number} and is put in its place"));
            }
            numbered.entry(number).or_insert(fact);
            last = number;
        }
        let last = numbered.keys().next_back().copied().unwrap_or(0);
        let missing: Vec<String> = (1..=last)
            .filter(|number| !numbered.contains_key(number))
            .map(|number| number.to_string())
            .collect();
        if !missing.is_empty() {
            self.notes.push(format!("no sound line has number {}", missing.join(", ")));
        }
        numbered.into_values().collect()
    }

    /// A journal that lost its first fact gets it from the plan.
    fn begin(&mut self, facts: &[Fact], info: &RunInfo, plan: &Plan) {
        if matches!(facts.first(), Some(Fact { event: Event::RunCreated { .. }, .. })) {
            return;
        }
        let parallel = match plan.schedule.parallel {
            Parallel::Fixed(count) => count,
            Parallel::Auto => 1,
        };
        let shards = plan.shards.iter().map(|shard| shard.id.clone()).collect();
        self.notes.push(format!(
            "the first fact is lost and made again from plan.json, with {parallel} side by side"
        ));
        let event = Event::RunCreated { version: JOURNAL_VERSION, run: info.id.clone(), shards, parallel };
        self.take(Fact::new(info.created, event));
    }

    fn take(&mut self, fact: Fact) {
        match self.state.apply_fact(&fact) {
            Ok(()) => self.facts.push(fact),
            Err(FoldError::Unannounced { shard, attempt }) => {
                self.announce(&shard, attempt, fact.at, "a later fact is about it");
                match self.state.apply_fact(&fact) {
                    Ok(()) => self.facts.push(fact),
                    Err(error) => self.notes.push(format!("a fact does not fit and is left out: {error}")),
                }
            }
            Err(error @ (FoldError::UnknownShard(_) | FoldError::NewerVersion { .. })) => {
                self.notes.push(format!("a fact does not fit and is left out: {error}"));
            }
        }
    }

    /// Announces attempts up to this one, so that none of their numbers is used again.
    fn announce(&mut self, shard: &ShardId, up_to: AttemptNumber, at: Timestamp, proof: &str) {
        while let Some(state) = self.state.shard(shard) {
            let attempt = state.attempt.map_or(AttemptNumber::FIRST, AttemptNumber::next);
            if attempt > up_to {
                return;
            }
            let starting = Event::AttemptStarting {
                shard: shard.clone(),
                attempt,
                gpus: Vec::new(),
                claim: Claim::default(),
                previous: None,
            };
            let fact = Fact::new(at, starting);
            if self.state.apply_fact(&fact).is_err() {
                return;
            }
            self.facts.push(fact);
            self.notes.push(format!("attempt {attempt} of {shard} is announced again: {proof}"));
        }
    }

    /// Attempts whose folders are there were begun: the next supervisor looks at them, and none runs twice.
    fn announce_found(&mut self, run: &RunDir) {
        let at = self.state.last_fact.unwrap_or(Timestamp::UNIX_EPOCH);
        let known: Vec<ShardId> = self.state.shards.iter().map(|shard| shard.id.clone()).collect();
        for shard in known {
            loop {
                let newest = self.state.shard(&shard).and_then(|state| state.attempt);
                let attempt = newest.map_or(AttemptNumber::FIRST, AttemptNumber::next);
                let key = AttemptKey { shard: shard.clone(), attempt };
                if !run.own_attempt_folder(&key).exists() {
                    break;
                }
                self.announce(&shard, attempt, at, "its folder is there");
                if self.state.shard(&shard).and_then(|state| state.attempt) != Some(attempt) {
                    break;
                }
            }
        }
    }
}

/// The beginning of a damaged line.
fn excerpt(line: &[u8]) -> String {
    const SHOWN: usize = 120;
    String::from_utf8_lossy(&line[..line.len().min(SHOWN)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn salvage(facts: &[Fact], change: impl FnOnce(&mut Vec<Vec<u8>>)) -> Salvage {
        let text = journal::encode_facts(facts, 0).unwrap();
        let mut lines: Vec<Vec<u8>> =
            text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        change(&mut lines);
        let mut salvage = Salvage { facts: Vec::new(), notes: Vec::new(), state: RunState::default() };
        for fact in salvage.sort_lines(&lines.concat()) {
            salvage.take(fact);
        }
        salvage
    }

    fn facts() -> Vec<Fact> {
        let shard = ShardId::new("a").unwrap();
        let run = crate::model::ids::RunId("r".to_owned());
        let started = Timestamp::UNIX_EPOCH;
        let attempt = AttemptNumber::FIRST;
        let events = [
            Event::RunCreated { version: JOURNAL_VERSION, run, shards: vec![shard.clone()], parallel: 1 },
            Event::AttemptStarting {
                shard: shard.clone(),
                attempt,
                gpus: Vec::new(),
                claim: Claim::default(),
                previous: None,
            },
            Event::AttemptStarted { shard, attempt, pid: 7, started },
            Event::Remarked { about: None, text: "later".to_owned() },
        ];
        events.into_iter().map(|event| Fact::new(started, event)).collect()
    }

    #[test]
    fn a_sound_journal_has_nothing_to_salvage() {
        let sound = salvage(&facts(), |_| ());
        assert_eq!((sound.facts, sound.notes), (facts(), vec![]));
    }

    #[test]
    fn facts_in_another_order_or_there_twice_find_their_places() {
        let sorted = salvage(&facts(), |lines| {
            lines.swap(1, 3);
            lines.push(lines[0].clone());
        });
        assert_eq!(sorted.facts, facts());
        let notes = sorted.notes.join(", ");
        assert!(notes.contains("line 3 has number 3") && notes.contains("line 5 is there twice"), "{notes}");
    }

    #[test]
    fn an_attempt_whose_announcement_is_lost_is_announced_by_what_follows() {
        let kept = salvage(&facts(), |lines| lines[1][20] ^= 1);
        assert_eq!(kept.facts, facts());
        assert!(kept.notes.iter().any(|note| note.contains("line 2 is damaged")), "{:?}", kept.notes);
        assert!(
            kept.notes.iter().any(|note| note.contains("attempt 1 of a is announced again")),
            "{:?}",
            kept.notes
        );
    }
}
