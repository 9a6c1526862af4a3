//! Whether two runs are of the same sweep, and in words what differs.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::model::ids::ShardId;
use crate::model::state::run_state::RunState;
use crate::model::sweep::command_template::CommandTemplate;
use crate::model::sweep::growth::PlanChange;
use crate::model::sweep::plan::{Plan, ShardSpec};
use crate::results::axes;
use crate::results::outcome::planned_episodes;

/// So many combos are named.
const NAMED: usize = 3;

/// Most characters of a command that are shown.
const LONGEST: usize = 160;

/// How the sweep of a run differs from that of another, one sentence each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sameness {
    /// Differences that make it another sweep.
    pub breaks: Vec<String>,
    /// Differences that are worth knowing where results differ.
    pub notes: Vec<String>,
}

/// Returns the axes that distinguish combos: seeds repeat the others.
pub fn combo_axes(plan: &Plan) -> Vec<&str> {
    axes::axes_of_interest(plan)
}

/// How `there` differs from `here`, which are called by these labels.
pub fn compare_plans((here, ours): (&str, &Plan), (there, theirs): (&str, &Plan)) -> Sameness {
    let mut told = Sameness::default();
    let differ = |what: &str, a: &str, b: &str| format!("{what}: {a} in {here}, {b} in {there}");
    let (a, b) = (combo_axes(ours), combo_axes(theirs));
    if a.iter().collect::<BTreeSet<_>>() == b.iter().collect::<BTreeSet<_>>() {
        told.breaks.extend(unshared_combos((here, ours), (there, theirs), &a));
    } else {
        told.breaks.push(differ("the axes differ", &join_or_none(&a), &join_or_none(&b)));
    }
    let (a, b) = (&ours.template, &theirs.template);
    if a.command != b.command {
        told.breaks.push(differ(
            "the command differs",
            &shorten_command(&a.command),
            &shorten_command(&b.command),
        ));
    }
    let (a, b) = (episodes_by_combo(ours), episodes_by_combo(theirs));
    if let Some((combo, a, b)) = first_difference(&a, &b) {
        let what = format!("the episodes of {} differ", combo_name(combo));
        told.breaks.push(differ(&what, &format_optional(a), &format_optional(b)));
    }
    let (a, b) = (lowest_seed(ours), lowest_seed(theirs));
    if a != b {
        told.breaks.push(differ(
            "the seed of the first episode differs",
            &format_optional(a),
            &format_optional(b),
        ));
    }
    if ours.template.setup != theirs.template.setup {
        told.notes.push(format!("the setup steps of {here} and {there} differ"));
    }
    if ours.template.env != theirs.template.env {
        told.notes.push(format!("the environment variables of {here} and {there} differ"));
    }
    if ours.schedule.parallel != theirs.schedule.parallel || ours.all_resources() != theirs.all_resources() {
        told.notes.push(format!(
            "{here} and {there} do not run as many shards side by side or give them other room: times differ by that too"
        ));
    }
    if ours.metrics != theirs.metrics || ours.rules != theirs.rules || ours.progress != theirs.progress {
        told.notes.push(format!("{here} and {there} read their logs and files by other rules"));
    }
    told
}

/// A plan without the combos that were added to its run and that the other plan does not have, and their names: a run
/// that grew is no run of another sweep.
pub fn without_additions<'p>(plan: &'p Plan, state: &RunState, other: &Plan) -> (Cow<'p, Plan>, Vec<String>) {
    let shards = |change: &'_ PlanChange| match change {
        PlanChange::Growth(growth) => growth.shards.iter().map(|shard| shard.id.clone()).collect(),
        PlanChange::Split(_) => Vec::new(),
    };
    let added: BTreeSet<ShardId> = state.changes.iter().flat_map(shards).collect();
    if added.is_empty() {
        return (Cow::Borrowed(plan), Vec::new());
    }
    let axes = combo_axes(plan);
    let known: BTreeSet<Vec<String>> = other.shards.iter().map(|shard| axis_values(shard, &axes)).collect();
    let is_alone =
        |shard: &ShardSpec| added.contains(&shard.id) && !known.contains(&axis_values(shard, &axes));
    let alone = plan.shards.iter().filter(|shard| is_alone(shard));
    let names: BTreeSet<String> = alone.map(|shard| combo_name(&axis_values(shard, &axes))).collect();
    let shards = plan.shards.iter().filter(|shard| !is_alone(shard)).cloned().collect();
    (Cow::Owned(Plan { shards, ..plan.clone() }), names.into_iter().collect())
}

/// `only B has teacher, which was added to it`.
pub fn describe_addition(label: &str, names: &[String]) -> Option<String> {
    let few = describe_only_in(label, names)?;
    let were = if names.len() == 1 { "was" } else { "were" };
    Some(format!("{few}, which {were} added to it"))
}

fn describe_only_in(label: &str, names: &[String]) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    let more = names.len().saturating_sub(NAMED);
    let named = join_or_none(&names.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("only {label} has {named}{more}"))
}

/// Names the combos that only one of both runs has.
fn unshared_combos(
    (here, ours): (&str, &Plan),
    (there, theirs): (&str, &Plan),
    axes: &[&str],
) -> Vec<String> {
    let of = |plan: &Plan| plan.shards.iter().map(|shard| axis_values(shard, axes)).collect::<BTreeSet<_>>();
    let (a, b) = (of(ours), of(theirs));
    let alone = |label: &str, left: &BTreeSet<Vec<String>>, right: &BTreeSet<Vec<String>>| {
        describe_only_in(label, &left.difference(right).map(|combo| combo_name(combo)).collect::<Vec<_>>())
    };
    [alone(here, &a, &b), alone(there, &b, &a)].into_iter().flatten().collect()
}

fn axis_values(shard: &ShardSpec, axes: &[&str]) -> Vec<String> {
    axes.iter().map(|axis| shard.value_of(axis)).collect()
}

/// Episodes of each combo, by its values sorted by axis; unknown where neither slices nor the sweep give it.
fn episodes_by_combo(plan: &Plan) -> BTreeMap<Vec<String>, Option<u64>> {
    let mut axes = combo_axes(plan);
    axes.sort_unstable();
    let mut sums: BTreeMap<Vec<String>, Option<u64>> = BTreeMap::new();
    for shard in &plan.shards {
        let here = planned_episodes(plan, shard);
        let sum = sums.entry(axis_values(shard, &axes)).or_insert(Some(0));
        *sum = sum.zip(here).map(|(sum, here)| sum + here);
    }
    sums
}

type Episodes = BTreeMap<Vec<String>, Option<u64>>;

fn first_difference<'a>(a: &'a Episodes, b: &Episodes) -> Option<(&'a [String], Option<u64>, Option<u64>)> {
    a.iter().find_map(|(combo, ours)| {
        let theirs = b.get(combo)?;
        (ours != theirs).then_some((combo.as_slice(), *ours, *theirs))
    })
}

fn lowest_seed(plan: &Plan) -> Option<i64> {
    plan.shards.iter().filter_map(|shard| Some(shard.slice.as_ref()?.seed)).min()
}

fn combo_name(combo: &[String]) -> String {
    if combo.is_empty() { "the sweep".to_owned() } else { combo.join(" ") }
}

fn join_or_none(words: &[&str]) -> String {
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

fn format_optional(number: Option<impl ToString>) -> String {
    number.map_or_else(|| "not told".to_owned(), |number| number.to_string())
}

fn shorten_command(command: &CommandTemplate) -> String {
    let text = match command {
        CommandTemplate::Shell(text) => text.clone(),
        CommandTemplate::Arguments(words) => words.join(" "),
    };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("`{}…`", &line[..cut]),
        None => format!("`{line}`"),
    }
}
