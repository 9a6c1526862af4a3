//! How single episodes of an attempt ended, as its files or its log report it: short enough for the journal.

use serde::{Deserialize, Serialize};

use super::episode_values::{EpisodeValues, MOST_NUMBERS, Measures};

/// Highest number of episodes in one attempt; of more none is kept, because a part of them would be no fair sample.
pub const MOST_EPISODES: usize = 20_000;

/// Stretches are long where numbers and seeds count up; where they do not, a list has at most so many.
pub const MOST_STRETCHES: usize = 2_000;

/// A task has a name of at most so many bytes.
pub const LONGEST_TASK: usize = 128;

/// The episodes of an attempt in the order in which they were reported.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EpisodeList {
    stretches: Vec<EpisodeStretch>,
}

/// Episodes of one task whose numbers follow one another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct EpisodeStretch {
    /// The task by the word of the program; empty where it names none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    task: String,
    /// The number of the first one.
    first: i64,
    /// The seeds, where they are reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seeds: Option<SeedSequence>,
    /// Results with one sign for each episode: `1` succeeded, `0` did not, `-` is not known.
    ended: String,
    /// Measures of each episode besides its success.
    #[serde(default, skip_serializing_if = "EpisodeValues::is_empty")]
    values: EpisodeValues,
}

/// The seeds of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct SeedSequence {
    /// The seed of the first episode.
    first: i64,
    /// How much larger that of each next one is.
    #[serde(default)]
    step: i64,
}

/// An episode and how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Episode<'a> {
    /// Its task by the word of the program; empty where it names none.
    pub task: &'a str,
    /// Its number by the word of the program.
    pub number: i64,
    /// Its seed, where one is reported.
    pub seed: Option<i64>,
    /// Whether it succeeded, where that is known.
    pub success: Option<bool>,
}

impl EpisodeList {
    /// The episodes themselves; `None` if there are none, or more than are kept.
    pub fn from_episodes<'e>(episodes: impl IntoIterator<Item = Episode<'e>>) -> Option<Self> {
        Self::of_measured(episodes.into_iter().map(|episode| (episode, Measures::new())))
    }

    /// The same with what was measured of each; of too many numbers none is kept.
    pub fn of_measured<'e>(episodes: impl IntoIterator<Item = (Episode<'e>, Measures)>) -> Option<Self> {
        let mut list = Self::default();
        let mut count = 0;
        for (episode, measures) in episodes {
            count += 1;
            if episode.task.len() > LONGEST_TASK || count > MOST_EPISODES {
                return None;
            }
            list.push(episode, &measures);
            if list.stretches.len() > MOST_STRETCHES {
                return None;
            }
        }
        if list.stretches.iter().map(|stretch| stretch.values.count()).sum::<usize>() > MOST_NUMBERS {
            list.stretches.iter_mut().for_each(|stretch| stretch.values = EpisodeValues::default());
        }
        (count > 0).then_some(list)
    }

    fn push(&mut self, episode: Episode<'_>, measures: &[(String, f64)]) {
        let sign = match episode.success {
            Some(true) => '1',
            Some(false) => '0',
            None => '-',
        };
        if let Some(last) = self.stretches.last_mut()
            && last.continues_with(&episode)
        {
            last.values.push(last.ended.len(), measures);
            last.ended.push(sign);
            return;
        }
        let mut values = EpisodeValues::default();
        values.push(0, measures);
        self.stretches.push(EpisodeStretch {
            task: episode.task.to_owned(),
            first: episode.number,
            seeds: episode.seed.map(|first| SeedSequence { first, step: 0 }),
            ended: sign.to_string(),
            values,
        });
    }

    /// Several lists one after the other; `None` if together they are too many.
    pub fn join_lists(lists: &[Self]) -> Option<Self> {
        Self::of_measured(lists.iter().flat_map(Self::measured_episodes).map(|(episode, measures)| {
            (episode, measures.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
        }))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.stretches.iter().map(|stretch| stretch.ended.len()).sum()
    }

    /// Each has a seed.
    pub fn tells_seeds(&self) -> bool {
        self.stretches.iter().all(|stretch| stretch.seeds.is_some())
    }

    /// Iterates over all episodes in their order.
    pub fn episodes(&self) -> impl Iterator<Item = Episode<'_>> {
        self.stretches.iter().flat_map(EpisodeStretch::episodes)
    }

    /// Each of them with what was measured of it.
    pub fn measured_episodes(&self) -> impl Iterator<Item = (Episode<'_>, Vec<(&str, f64)>)> {
        self.stretches.iter().flat_map(|stretch| {
            let places = stretch.episodes().enumerate();
            places.map(|(place, episode)| (episode, stretch.values.measures_at(place).collect()))
        })
    }
}

impl EpisodeStretch {
    /// The episode is its next one. The second one decides whether seeds count up.
    fn continues_with(&mut self, episode: &Episode<'_>) -> bool {
        let count = self.ended.len();
        let next = i64::try_from(count).ok().and_then(|count| self.first.checked_add(count));
        if self.task != episode.task || next != Some(episode.number) {
            return false;
        }
        match (&mut self.seeds, episode.seed) {
            (None, None) => true,
            (Some(seeds), Some(seed)) if count == 1 => {
                let step = seed.wrapping_sub(seeds.first);
                let fits = step == 0 || step == 1;
                seeds.step = if fits { step } else { seeds.step };
                fits
            }
            (Some(seeds), Some(seed)) => seeds.seed_at(count) == seed,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    fn episodes(&self) -> impl Iterator<Item = Episode<'_>> {
        self.ended.bytes().enumerate().map(|(place, sign)| Episode {
            task: &self.task,
            number: self.first.saturating_add(i64::try_from(place).unwrap_or(i64::MAX)),
            seed: self.seeds.map(|seeds| seeds.seed_at(place)),
            success: match sign {
                b'1' => Some(true),
                b'0' => Some(false),
                _ => None,
            },
        })
    }
}

impl SeedSequence {
    fn seed_at(self, place: usize) -> i64 {
        let place = i64::try_from(place).unwrap_or(i64::MAX);
        self.first.wrapping_add(self.step.wrapping_mul(place))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;

    fn episode(number: i64, seed: Option<i64>, success: bool) -> Episode<'static> {
        Episode { task: "", number, seed, success: Some(success) }
    }

    #[test]
    fn a_hundred_episodes_are_one_short_line() {
        let counted = (0..100).map(|number| episode(number, Some(1000 + number), number % 3 > 0));
        let text = serde_json::to_string(&EpisodeList::from_episodes(counted).unwrap()).unwrap();
        assert!(text.len() < 160, "{text}");
        assert!(text.starts_with(r#"[{"first":0,"seeds":{"first":1000,"step":1},"ended":"011011"#), "{text}");
        let same = (1..=3).map(|number| episode(number, Some(7), true));
        let text = serde_json::to_string(&EpisodeList::from_episodes(same).unwrap()).unwrap();
        assert_eq!(text, r#"[{"first":1,"seeds":{"first":7,"step":0},"ended":"111"}]"#);
    }

    #[test]
    fn of_too_many_none_is_kept() {
        let many = |count: usize| {
            EpisodeList::from_episodes((0..count as i64).map(|number| episode(number, None, true)))
        };
        assert!(many(MOST_EPISODES).is_some() && many(MOST_EPISODES + 1).is_none() && many(0).is_none());
        let torn = (0..MOST_STRETCHES as i64 + 1).map(|number| episode(2 * number, None, true));
        assert!(EpisodeList::from_episodes(torn).is_none());
        let task = "t".repeat(LONGEST_TASK + 1);
        assert!(EpisodeList::from_episodes([Episode { task: &task, ..episode(0, None, true) }]).is_none());
    }

    #[test]
    fn what_was_measured_is_kept_beside() {
        let reward = |value: f64| vec![("reward".to_owned(), value)];
        let told = [reward(1.5), reward(f64::NAN), vec![("length".to_owned(), 9.0)], Measures::new()];
        let episodes = (0..4).map(|number| episode(number, None, true)).zip(told);
        let list = EpisodeList::of_measured(episodes).unwrap();
        let text = serde_json::to_string(&list).unwrap();
        let values = r#""values":{"length":[null,null,9.0],"reward":[1.5]}"#;
        assert_eq!(text, format!(r#"[{{"first":0,"ended":"1111",{values}}}]"#));
        assert_eq!(serde_json::from_str::<EpisodeList>(&text).unwrap(), list);
        let measured = |list: &EpisodeList| {
            list.measured_episodes().map(|(_, measures)| format!("{measures:?}")).collect::<Vec<_>>()
        };
        assert_eq!(measured(&list), [r#"[("reward", 1.5)]"#, "[]", r#"[("length", 9.0)]"#, "[]"]);
        let joined = EpisodeList::join_lists(&[list.clone(), list.clone()]).unwrap();
        assert_eq!(measured(&joined), [measured(&list), measured(&list)].concat());
        let many = (0..MOST_NUMBERS as i64 + 1).map(|number| (episode(number, None, true), reward(0.1)));
        let many = EpisodeList::of_measured(many).unwrap();
        assert!(measured(&many).iter().all(|none| none == "[]"), "the journal keeps no more");
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(
            told in proptest::collection::vec(
                (0_u8..2, -2_i64..6, any::<Option<bool>>(), proptest::option::of(-2_i64..4)), 1..40,
            )
        ) {
            let tasks = ["", "lift"];
            let episodes: Vec<Episode<'_>> = told
                .iter()
                .map(|(task, number, success, seed)| Episode {
                    task: tasks[usize::from(*task)], number: *number, seed: *seed, success: *success,
                })
                .collect();
            let list = EpisodeList::from_episodes(episodes.iter().copied()).unwrap();
            let text = serde_json::to_string(&list).unwrap();
            let read: EpisodeList = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(read.episodes().collect::<Vec<_>>(), episodes);
        }
    }
}
