//! Shards that should have done different episodes and have the same results, value by value: a program that ignores
//! its seed, its slice, or the value of an axis.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::repeated_ends;
use crate::model::ids::ShardId;
use crate::model::state::phase::PhaseKind;
use crate::model::sweep::plan::{Plan, ShardSpec};
use crate::results::doubts::seeds;
use crate::results::merge::episode_list::EpisodeHashes;
use crate::results::outcome::ShardOutcome;

/// So many digits of averages together are never the same by chance.
const TELLING: usize = 8;

/// Parts of the names of axes along which a program may do the same on purpose: how much at once, and with how many.
const ROOM: [&str; 8] =
    ["batch", "env_count", "gpus", "n_envs", "num_envs", "parallel", "threads", "workers"];

/// Results that are the same and should not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedResults {
    /// All shards that have them.
    pub shards: Vec<ShardId>,
    /// The find in one line for people.
    pub text: String,
}

/// Every find. `lists` are the episodes that each shard's files hold, by the places of the shards.
pub fn find_repeats(
    plan: &Plan,
    outcomes: &[ShardOutcome<'_>],
    lists: &[Vec<EpisodeHashes>],
) -> Vec<RepeatedResults> {
    let by_files = of_lists(lists);
    let mut known: BTreeSet<usize> = by_files.iter().flat_map(|(shards, _)| shards.iter().copied()).collect();
    let by_ends = repeated_ends::find_equal_ends(plan, outcomes, &known).into_iter();
    let by_ends: Vec<Find> =
        by_ends.map(|(shards, count)| (shards, format!("how each of {count} episodes ended"))).collect();
    known.extend(by_ends.iter().flat_map(|(shards, _)| shards.iter().copied()));
    let by_averages = of_averages(plan, outcomes, &known);
    let all = by_files.into_iter().chain(by_ends).chain(by_averages);
    let is_whole = |position: &usize| outcomes[*position].phase == PhaseKind::Succeeded;
    let finds = all.filter_map(|(shards, what)| {
        let shards: Vec<usize> = shards.into_iter().filter(is_whole).collect();
        let differing = distinguishing_axes(plan, &shards)?;
        Some(RepeatedResults {
            text: describe_repeat(plan, &shards, &what, &differing),
            shards: shards.iter().map(|position| plan.shards[*position].id.clone()).collect(),
        })
    });
    finds.collect()
}

/// Places of shards that have the same, and what that is.
type Find = (BTreeSet<usize>, String);

/// The place of a list in the files, and its first two episodes.
type Begin<'l> = (&'l str, &'l [u64]);

/// A list and the place of its shard.
type Owned<'l> = (usize, &'l EpisodeHashes);

/// Shards whose lists of episodes are the same, as far as the shorter goes.
fn of_lists(lists: &[Vec<EpisodeHashes>]) -> Vec<Find> {
    let mut groups: HashMap<Begin<'_>, Vec<Owned<'_>>> = HashMap::new();
    for (position, list) in
        lists.iter().enumerate().flat_map(|(at, of)| of.iter().map(move |list| (at, list)))
    {
        if let Some(begin) = list.episodes.get(..2) {
            groups.entry((&list.place, begin)).or_default().push((position, list));
        }
    }
    let mut finds: BTreeMap<BTreeSet<usize>, String> = BTreeMap::new();
    for group in groups.values() {
        let (first, twin) = group[0];
        let same = |(_, list): &&Owned<'_>| {
            let common = list.episodes.len().min(twin.episodes.len());
            list.is_telling && twin.is_telling && list.episodes[..common] == twin.episodes[..common]
        };
        let shards: BTreeSet<usize> = group.iter().filter(same).map(|(position, _)| *position).collect();
        if shards.len() > 1 && shards.contains(&first) {
            let least = group.iter().map(|(_, list)| list.episodes.len()).min().unwrap_or_default();
            finds.entry(shards).or_insert_with(|| format!("{least} episodes in {}", twin.place));
        }
    }
    finds.into_iter().collect()
}

/// Slices of one combo whose averages are the same to the last of many digits.
fn of_averages(plan: &Plan, outcomes: &[ShardOutcome<'_>], known: &BTreeSet<usize>) -> Vec<Find> {
    let mut groups: BTreeMap<(String, String), BTreeSet<usize>> = BTreeMap::new();
    for (position, (spec, outcome)) in plan.shards.iter().zip(outcomes).enumerate() {
        let averages = seeds::fractional_metrics(outcome);
        let digits: usize = averages.iter().map(|(_, value)| significant_digits(*value)).sum();
        if spec.slice.is_some() && digits >= TELLING && !known.contains(&position) {
            let all = (outcome.episodes.map(f64::to_bits), outcome.successes.map(f64::to_bits), averages);
            groups.entry((spec.combo_key(), format!("{all:?}"))).or_default().insert(position);
        }
    }
    let several = groups.into_values().filter(|shards| shards.len() > 1);
    several.map(|shards| (shards, "all averages".to_owned())).collect()
}

fn significant_digits(value: f64) -> usize {
    let written = format!("{value}");
    written.chars().filter(char::is_ascii_digit).collect::<String>().trim_matches('0').len()
}

/// Names what distinguishes the shards: `slice`, or axes; `None` if they may well do the same.
fn distinguishing_axes(plan: &Plan, shards: &[usize]) -> Option<Vec<String>> {
    let first = &plan.shards[*shards.first()?];
    let others = || shards[1..].iter().map(|position| &plan.shards[*position]);
    let differs = |axis: &&String| others().any(|other| other.value_of(axis) != first.value_of(axis));
    let mut axes: Vec<String> = plan.axes.iter().filter(differs).map(|axis| format!("`{axis}`")).collect();
    let is_room = |axis: &String| ROOM.iter().any(|room| axis.contains(room));
    let first_episode = |spec: &ShardSpec| spec.slice.as_ref().map(|slice| slice.first);
    let are_slices = others().any(|other| first_episode(other) != first_episode(first));
    if axes.iter().all(is_room) && !are_slices {
        return None;
    }
    if are_slices {
        axes.insert(0, "the slice".to_owned());
    }
    Some(axes).filter(|axes| !axes.is_empty())
}

fn describe_repeat(plan: &Plan, shards: &[usize], what: &str, differing: &[String]) -> String {
    /// Limit of names in one text.
    const NAMED: usize = 3;
    let names: Vec<&str> =
        shards.iter().take(NAMED).map(|position| plan.shards[*position].id.as_str()).collect();
    let more = match shards.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names = names.join(", ");
    format!(
        "{names}{more} have the same results, value by value ({what}): does the program use {}?",
        differing.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ids::ShardId;
    use crate::model::sweep::plan::Slice;
    use crate::model::sweep::plan::SliceUnit;
    use crate::model::value::{Value, Variables};
    use crate::results::merge::episode_list::lists_of;
    use crate::results::merge::piece::{Piece, PieceWork};
    use crate::results::outcome::ShardOutcome;
    use crate::results::status::status_tests::plan;

    /// Shards of these axes and slices, each with what it has written.
    fn found(shards: &[(&str, i64, Option<u64>, &str)]) -> Vec<RepeatedResults> {
        let names: Vec<String> = (0..shards.len()).map(|number| format!("s{number}")).collect();
        let mut plan = plan(&names.iter().map(String::as_str).collect::<Vec<_>>());
        plan.axes = vec!["policy".to_owned(), "num_envs".to_owned()];
        let mut lists = Vec::new();
        for (spec, (policy, envs, first, file)) in plan.shards.iter_mut().zip(shards) {
            spec.vars = Variables(vec![
                ("policy".to_owned(), Value::String((*policy).to_owned())),
                ("num_envs".to_owned(), Value::Integer(*envs)),
            ]);
            spec.slice = first.map(|first| Slice {
                index: 0,
                count: 2,
                episodes: 3,
                first,
                seed: first as i64,
                ids: (first..first + 3).collect(),
                unit: SliceUnit::default(),
            });
            let (shard, bytes) = (ShardId::new(spec.id.as_str()).unwrap(), file.as_bytes().to_vec());
            let piece = Piece { shard, work: PieceWork::from_spec(spec), file: String::new(), bytes };
            lists.push(lists_of("eval_info.json", &piece));
        }
        let phase = PhaseKind::Succeeded;
        let outcomes: Vec<ShardOutcome<'_>> = plan
            .shards
            .iter()
            .map(|spec| ShardOutcome { phase, ..ShardOutcome::from_state(spec, None) })
            .collect();
        find_repeats(&plan, &outcomes, &lists)
    }

    const ONE: &str = r#"{"per_task": [{"metrics": {"sum_rewards": [61.3121, 17.0442, 98.1173], "seeds": [1, 2, 3]}}],
        "overall": {"eval_s": 12.5}}"#;
    const SAME: &str = r#"{"per_task": [{"metrics": {"sum_rewards": [61.3121, 17.0442, 98.1173], "seeds": [4, 5, 6]}}],
        "overall": {"eval_s": 13.5}}"#;
    const OTHER: &str = r#"{"per_task": [{"metrics": {"sum_rewards": [61.3121, 17.0443, 98.1173], "seeds": [4, 5, 6]}}],
        "overall": {"eval_s": 13.5}}"#;
    const ROUND: &str = r#"{"per_task": [{"metrics": {"successes": [true, false, true]}}]}"#;

    #[test]
    fn slices_with_the_same_episodes_are_found_whatever_the_command_says() {
        let finds = found(&[("flat", 1, Some(0), ONE), ("flat", 1, Some(3), SAME)]);
        assert_eq!(finds.len(), 1, "{finds:?}");
        assert!(finds[0].text.starts_with("s0, s1 have the same results, value by value"), "{finds:?}");
        assert!(finds[0].text.ends_with("does the program use the slice?"), "{finds:?}");
        assert_eq!(found(&[("flat", 1, Some(0), ONE), ("flat", 1, Some(3), OTHER)]), []);
        assert_eq!(
            found(&[("flat", 1, Some(0), ROUND), ("flat", 1, Some(3), ROUND)]),
            [],
            "chance makes these"
        );
    }

    #[test]
    fn combos_that_should_differ_are_found_and_those_that_may_be_equal_are_not() {
        let finds = found(&[("flat", 1, None, ONE), ("rough", 1, None, SAME)]);
        assert!(finds[0].text.ends_with("does the program use `policy`?"), "{finds:?}");
        assert_eq!(
            found(&[("flat", 1, None, ONE), ("flat", 8, None, SAME)]),
            [],
            "more at once is the same work"
        );
    }
}
