//! Single values of documents that are no settings: numbers of episodes are those of the plan, counts add up, and
//! averages of different episodes are not equal to the last digit.

use std::collections::BTreeMap;

use super::copies::copied_averages;
use super::json::Json;
use super::key_names::{is_average, is_count, is_episode_count, is_setting, rule_key};
use super::piece::{Piece, PieceFault, PieceRefusal};

/// The values of the pieces at one path.
pub struct PathValues<'a> {
    /// Path that leads to them in the documents.
    pub path: &'a [String],
    /// The value of each piece.
    pub values: Vec<(&'a Piece, &'a Json)>,
}

impl PathValues<'_> {
    /// The merged value, where its name determines how; refused is what does not add up.
    pub fn merge(&self) -> Result<Option<Json>, Vec<PieceRefusal>> {
        if self.values.len() < 2 || is_setting(self.path) {
            return Ok(None);
        }
        if let Some(episodes) = self.merge_episode_counts() {
            return episodes.map(Some);
        }
        let is_equal = self.values.windows(2).all(|pair| pair[0].1 == pair[1].1);
        let number = self.values[0].1.as_number().filter(|_| is_equal);
        let wrong = match number {
            Some(number) if is_count(self.path) && is_digits(self.values[0].1) && number != 0.0 => {
                self.equal_counts()
            }
            Some(_) | None => self.refuse_copies(),
        };
        if wrong.is_empty() { Ok(None) } else { Err(wrong) }
    }

    /// Refuses what a rule must not hide: numbers of episodes that are not those of the plan, and averages that are
    /// copies.
    pub fn check(&self) -> Vec<PieceRefusal> {
        match self.merge_episode_counts() {
            Some(Err(wrong)) => wrong,
            Some(Ok(_)) | None => copied_averages(&rule_key(self.path), &self.values),
        }
    }

    fn refuse_copies(&self) -> Vec<PieceRefusal> {
        if is_average(self.path) { copied_averages(&rule_key(self.path), &self.values) } else { Vec::new() }
    }

    /// The number of episodes of all pieces, each for one or several tasks; `None` if it is another number.
    fn merge_episode_counts(&self) -> Option<Result<Json, Vec<PieceRefusal>>> {
        if !is_episode_count(self.path) {
            return None;
        }
        let mut counts: Vec<(&Piece, i128, i128)> = Vec::new();
        for (piece, value) in &self.values {
            let planned = i128::try_from(piece.work.episode_ids()?.len()).ok()?;
            counts.push((piece, i128::from(value.as_integer()?), planned));
        }
        let planned: i128 = counts.iter().map(|(_, _, planned)| planned).sum();
        if counts.iter().all(|(_, said, _)| *said == planned) {
            return Some(Ok(Json::from_integer(planned)));
        }
        let is_equal = counts.windows(2).all(|pair| pair[0].1 == pair[1].1);
        let tasks = usual_tasks(&counts).or(is_equal.then_some(1))?;
        let wrong = counts.iter().filter(|(_, said, planned)| *said != tasks * planned);
        let refuse = |(piece, said, planned): &(&Piece, i128, i128)| {
            let wanted = tasks * planned;
            let fault = if *said < wanted { PieceFault::Incomplete } else { PieceFault::Different };
            let path = rule_key(self.path);
            let setting = format!("; `{path} = \"same\"` under `[results.rules]` if it is a setting");
            let hint = if is_equal { setting.as_str() } else { "" };
            let why = format!("`{path}` says {said} of {wanted} episodes{hint}");
            PieceRefusal::new(&piece.shard, fault, why)
        };
        let wrong: Vec<PieceRefusal> = wrong.map(refuse).collect();
        Some(if wrong.is_empty() { Ok(Json::from_integer(tasks * planned)) } else { Err(wrong) })
    }

    /// Whether it is a setting or a count that is the same by chance is not known.
    fn equal_counts(&self) -> Vec<PieceRefusal> {
        let refuse = |(piece, value): &(&Piece, &Json)| {
            let path = rule_key(self.path);
            let why = format!(
                "`{path}` is {} in all pieces: under `[results.rules]` say `{path} = \"sum\"` if they add up, \
                 `{path} = \"same\"` if it is a setting",
                value.display_text()
            );
            PieceRefusal::new(&piece.shard, PieceFault::Different, why)
        };
        self.values.iter().map(refuse).collect()
    }
}

/// `true` is an outcome, and none of these.
fn is_digits(value: &Json) -> bool {
    matches!(value, Json::Word(word) if word != "true" && word != "false")
}

/// The number of tasks by which most pieces have the episodes of the plan; of equals the smaller.
fn usual_tasks(counts: &[(&Piece, i128, i128)]) -> Option<i128> {
    let mut votes: BTreeMap<i128, usize> = BTreeMap::new();
    for (_, said, planned) in counts {
        if *planned > 0 && *said > 0 && said % planned == 0 {
            *votes.entry(said / planned).or_default() += 1;
        }
    }
    votes.into_iter().rev().max_by_key(|(_, votes)| *votes).map(|(tasks, _)| tasks)
}
