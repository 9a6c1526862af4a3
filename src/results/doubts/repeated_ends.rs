//! Shards of which every single episode ended alike though they should have done different ones, as far as their logs
//! show how each ended. A few episodes end alike by chance: a find is what chance hardly makes.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::state::phase::PhaseKind;
use crate::model::sweep::plan::Plan;
use crate::results::axes::{cluster_axes, is_seed};
use crate::results::interval::WilsonInterval;
use crate::results::outcome::ShardOutcome;

/// Probability below which chance is ruled out.
const CHANCE: f64 = 1e-6;

/// How the episodes of a shard ended, each with its task.
type Ends<'a> = Vec<(&'a str, bool)>;

/// Places of shards that ended alike, and how many episodes of each. Two policies on the same episodes may well fail in
/// the same ones; only slices and seeds are compared with one another.
pub fn find_equal_ends(
    plan: &Plan,
    outcomes: &[ShardOutcome<'_>],
    known: &BTreeSet<usize>,
) -> Vec<(BTreeSet<usize>, usize)> {
    let clusters = cluster_axes(plan);
    let repeats_others = |axis: &str| is_seed(axis) && !clusters.contains(&axis);
    let mut families: BTreeMap<Vec<String>, Vec<(usize, Ends<'_>)>> = BTreeMap::new();
    for (position, outcome) in outcomes.iter().enumerate() {
        let is_told = outcome.phase == PhaseKind::Succeeded && !known.contains(&position);
        let Some(ends) = episode_ends(outcome).filter(|_| is_told) else { continue };
        let axes = plan.axes.iter().filter(|axis| !repeats_others(axis));
        let family = axes.map(|axis| outcome.value_of(axis)).collect();
        families.entry(family).or_default().push((position, ends));
    }
    families.into_values().flat_map(|family| find_twins(&family)).collect()
}

fn episode_ends<'a>(outcome: &ShardOutcome<'a>) -> Option<Ends<'a>> {
    let list = outcome.episode_list?;
    list.episodes().map(|episode| Some((episode.task, episode.success?))).collect()
}

/// The members of a family that ended alike as far as the shortest of them goes.
fn find_twins(family: &[(usize, Ends<'_>)]) -> Vec<(BTreeSet<usize>, usize)> {
    let common = family.iter().map(|(_, ends)| ends.len()).min().unwrap_or_default();
    let mut groups: BTreeMap<&[(&str, bool)], BTreeSet<usize>> = BTreeMap::new();
    for (position, ends) in family {
        groups.entry(&ends[..common]).or_default().insert(*position);
    }
    let is_find = |ends: &[(&str, bool)], twins: usize| {
        twins > 1 && coincidence_probability(ends, twins) * binomial_coefficient(family.len(), twins) < CHANCE
    };
    let finds = groups.into_iter().filter(|(ends, twins)| is_find(ends, twins.len()));
    finds.map(|(_, twins)| (twins, common)).collect()
}

/// Computes how likely so many shards end like this by chance. Each task has a rate of its own, and the least
/// informative one that its episodes allow: an episode that always succeeds or never does is no evidence.
fn coincidence_probability(ends: &[(&str, bool)], twins: usize) -> f64 {
    let mut tasks: BTreeMap<&str, (u32, i32)> = BTreeMap::new();
    for (task, success) in ends {
        let counts = tasks.entry(task).or_default();
        counts.0 += u32::from(*success);
        counts.1 += 1;
    }
    let alike = |(successes, episodes): &(u32, i32)| -> f64 {
        let interval = WilsonInterval::wilson(f64::from(*successes), f64::from(*episodes));
        let rate = interval.map_or(1.0, |interval| interval.high.max(1.0 - interval.low));
        let twins = i32::try_from(twins).unwrap_or(i32::MAX);
        (rate.powi(twins) + (1.0 - rate).powi(twins)).powi(*episodes)
    };
    tasks.values().map(alike).product()
}

/// In how many ways so many of a family can be chosen.
fn binomial_coefficient(of: usize, chosen: usize) -> f64 {
    (0..chosen).map(|taken| (of - taken) as f64 / (taken + 1) as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::results::episode_list::Episode;
    use crate::model::results::episode_list::EpisodeList;
    use crate::model::value::{Value, Variables};
    use crate::results::status::status_tests::plan;

    /// Shards of these policies and seeds, and how each of their episodes ended; a task has so many episodes.
    fn found(shards: &[(&str, i64, &str)], of_task: usize) -> Vec<(BTreeSet<usize>, usize)> {
        let names: Vec<String> = (0..shards.len()).map(|number| format!("s{number}")).collect();
        let mut plan = plan(&names.iter().map(String::as_str).collect::<Vec<_>>());
        plan.axes = vec!["policy".to_owned(), "seed".to_owned()];
        let tasks = ["lift", "push", "open", "stack", "turn", "close", "pour", "wipe"];
        let list = |signs: &str| {
            let episodes = signs.bytes().zip(0..).map(|(sign, number)| Episode {
                task: tasks[number / of_task % tasks.len()],
                number: number as i64,
                seed: None,
                success: Some(sign == b'1'),
            });
            EpisodeList::from_episodes(episodes).unwrap()
        };
        let lists: Vec<EpisodeList> = shards.iter().map(|(_, _, signs)| list(signs)).collect();
        for (spec, (policy, seed, _)) in plan.shards.iter_mut().zip(shards) {
            spec.vars = Variables(vec![
                ("policy".to_owned(), Value::String((*policy).to_owned())),
                ("seed".to_owned(), Value::Integer(*seed)),
            ]);
        }
        let outcomes: Vec<ShardOutcome<'_>> = plan
            .shards
            .iter()
            .zip(&lists)
            .map(|(spec, list)| ShardOutcome {
                phase: PhaseKind::Succeeded,
                episode_list: Some(list),
                ..ShardOutcome::from_state(spec, None)
            })
            .collect();
        find_equal_ends(&plan, &outcomes, &BTreeSet::new())
    }

    /// 33 of 50, in no order.
    const MANY: &str = "11011011101100110111011010111011011110100110111001";

    #[test]
    fn seeds_whose_episodes_all_end_alike_are_found() {
        let finds = found(&[("flat", 1, MANY), ("flat", 2, MANY)], 50);
        assert_eq!(finds, [(BTreeSet::from([0, 1]), 50)]);
        // The last slice of a combo may be an episode shorter.
        assert_eq!(found(&[("flat", 1, MANY), ("flat", 2, &MANY[..49])], 50).len(), 1);
        let other = MANY.replacen("0", "1", 1);
        assert_eq!(found(&[("flat", 1, MANY), ("flat", 2, &other)], 50), []);
    }

    #[test]
    fn what_chance_or_the_task_makes_alike_is_no_find() {
        assert_eq!(found(&[("flat", 1, "1011001011"), ("flat", 2, "1011001011")], 50), [], "ten are too few");
        let sure = "1".repeat(200);
        assert_eq!(found(&[("flat", 1, &sure), ("flat", 2, &sure)], 200), [], "all succeed");
        // Each task is either easy or not to be done.
        let by_task: String =
            [25; 8].iter().enumerate().map(|(task, times)| ["1", "0"][task % 2].repeat(*times)).collect();
        assert_eq!(found(&[("flat", 1, &by_task), ("flat", 2, &by_task)], 25), []);
        assert_eq!(
            found(&[("flat", 1, MANY), ("rough", 1, MANY)], 50),
            [],
            "two policies fail in the same episodes"
        );
    }

    #[test]
    fn few_episodes_of_many_seeds_are_found_too() {
        let shards: Vec<(&str, i64, &str)> =
            (0..5).map(|seed| ("flat", seed, "10110010111010010110")).collect();
        assert_eq!(found(&shards, 20), [((0..5).collect(), 20)]);
        assert_eq!(found(&shards[..2], 20), [], "two of them may be alike");
    }
}
