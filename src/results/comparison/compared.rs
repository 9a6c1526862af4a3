//! Several runs by their common combos, each run against the first.

use std::collections::BTreeMap;

use super::change::ComboChange;
use super::pace::{self, PaceComparison, Run};
use super::sameness::{Sameness, combo_axes, compare_plans, describe_addition, without_additions};
use crate::results::findings::Findings;
use crate::results::statistics::design::Relation;
use crate::results::statistics::group::{self, ShardGroup};
use crate::results::statistics::paired::paired_metric::{PairedMetric, paired_metrics};
use crate::results::statistics::paired::pairing;
use crate::results::statistics::tested_difference::{TestedDifference, adjust_differences};

/// Runs side by side.
#[derive(Debug)]
pub struct Compared<'a> {
    /// The axes that distinguish the combos.
    pub axes: Vec<String>,
    /// The runs; the others are compared with the first.
    pub sides: Vec<ComparedRun<'a>>,
    /// The combos that the first run and another one have, in the order of the first.
    pub combos: Vec<ComparedCombo>,
    /// Combos that are left out, because only one run has them.
    pub alone: usize,
    /// For each run, how much more of its episodes it succeeds in than the first, each combo compared with its like.
    pub wholes: Vec<Option<TestedDifference>>,
    /// For each run, the metrics of the episodes that it has in common with the first.
    paired_metrics: Vec<Vec<PairedMetric>>,
}

/// A run that takes part in the comparison.
#[derive(Debug)]
pub struct ComparedRun<'a> {
    /// Label of the run in this comparison: `A`, `B`, …
    pub label: String,
    /// All that is known of it.
    pub findings: &'a Findings<'a>,
    /// How its sweep differs from that of the first; nothing for the first itself.
    pub sameness: Sameness,
}

/// A combo with its results in each run.
#[derive(Debug)]
pub struct ComparedCombo {
    /// Its values, one for each axis.
    pub values: Vec<String>,
    /// Results of the combo in each run; `None` where a run does not have it.
    pub cells: Vec<Option<ShardGroup>>,
    /// How much more of its episodes it succeeds in there than in the first run, among all combos of all runs.
    pub tested: Vec<Option<TestedDifference>>,
    /// How long its work took there, against the first run.
    pub paces: Vec<Option<PaceComparison>>,
}

impl<'a> Compared<'a> {
    /// These runs, side by side.
    pub fn new(runs: &'a [Findings<'a>]) -> Self {
        let sides: Vec<ComparedRun<'a>> =
            runs.iter().enumerate().map(|(place, run)| build_side(place, run, &runs[0])).collect();
        let common = |axis: &&str| runs.iter().all(|run| combo_axes(run.records.plan).contains(axis));
        let axes: Vec<&str> = runs
            .first()
            .map(|run| combo_axes(run.records.plan))
            .unwrap_or_default()
            .into_iter()
            .filter(common)
            .collect();
        let (mut combos, alone) = collect_combos(&axes, runs);
        combos.iter_mut().for_each(|combo| combo.test_differences(runs));
        compare_times(&mut combos, runs);
        adjust_differences(combos.iter_mut().flat_map(|combo| combo.tested.iter_mut().flatten()));
        let mut wholes: Vec<_> = (0..runs.len()).map(|place| test_overall(runs, &combos, place)).collect();
        adjust_differences(wholes.iter_mut().flatten());
        let paired_metrics = sides.iter().enumerate().map(|(place, side)| match place {
            0 => Vec::new(),
            _ => paired_metrics(&collect_cells(runs, &combos, place), &format!("{}/A/paired", side.label)),
        });
        Self {
            axes: axes.into_iter().map(str::to_owned).collect(),
            paired_metrics: paired_metrics.collect(),
            sides,
            combos,
            alone,
            wholes,
        }
    }

    /// The metrics of the episodes that the run has in common with the first.
    pub fn paired_metrics(&self, place: usize) -> &[PairedMetric] {
        self.paired_metrics.get(place).map_or(&[], Vec::as_slice)
    }

    /// The runs that are compared with the first, by their places.
    pub fn other_sides(&self) -> impl Iterator<Item = (usize, &ComparedRun<'a>)> {
        self.sides.iter().enumerate().skip(1)
    }

    /// Compares a combo in that run, where it has the combo, with the first run.
    pub fn combo_change<'c>(&'c self, combo: &'c ComparedCombo, place: usize) -> Option<ComboChange<'c>> {
        let (first, other) = (combo.cells.first()?.as_ref()?, combo.cells.get(place)?.as_ref()?);
        Some(ComboChange::new(
            combo.tested.get(place).copied().flatten(),
            combo.paces.get(place).copied().flatten(),
            (first, &self.sides[0].findings.outcomes),
            (other, &self.sides[place].findings.outcomes),
        ))
    }

    /// How much more of its episodes that run succeeds in than the first.
    pub fn overall_difference(&self, place: usize) -> Option<TestedDifference> {
        self.wholes.get(place).copied().flatten()
    }
}

impl ComparedCombo {
    /// Its values as one text.
    pub fn name(&self) -> String {
        if self.values.is_empty() { "all".to_owned() } else { self.values.join(" ") }
    }

    /// Its shards in that run and in the first one.
    fn shards_against_first<'s, 'a>(&self, runs: &'s [Findings<'a>], place: usize) -> Option<Cell<'s, 'a>> {
        let side = |place: usize| {
            let run = &runs[place];
            // Episodes that were counted twice decide nothing.
            let group = self.cells.get(place)?.as_ref().filter(|group| group.totals.repeated == 0)?;
            let members = &group.members;
            let shards = members.iter().map(|position| &run.outcomes[*position]).collect();
            Some(pairing::PairedSide { plan: run.records.plan, shards })
        };
        Some((side(place)?, side(0)?))
    }

    fn test_differences(&mut self, runs: &[Findings<'_>]) {
        let of_run = |place| {
            TestedDifference::of_cells(
                &[self.shards_against_first(runs, place).filter(|_| place > 0)?],
                Relation::Runs,
            )
        };
        self.tested = (0..self.cells.len()).map(of_run).collect();
    }
}

/// Compares the times of each run with those of the first.
fn compare_times(combos: &mut [ComparedCombo], runs: &[Findings<'_>]) {
    let crowds: Vec<Vec<f64>> = runs.iter().map(pace::mean_concurrency).collect();
    let run = |place: usize| Run { outcomes: &runs[place].outcomes, crowds: &crowds[place] };
    for place in 1..runs.len() {
        let cells = |combo: &'_ ComparedCombo| combo.cells[0].clone().zip(combo.cells[place].clone());
        let pairs: Vec<Option<(ShardGroup, ShardGroup)>> = combos.iter().map(cells).collect();
        let pairs: Vec<_> = pairs.iter().map(|pair| pair.as_ref().map(|(a, b)| (a, b))).collect();
        for (combo, pace) in combos.iter_mut().zip(pace::compare_paces(run(0), run(place), &pairs)) {
            combo.paces[place] = pace;
        }
    }
}

/// The shards of one combo in two runs.
type Cell<'s, 'a> = (pairing::PairedSide<'s, 'a>, pairing::PairedSide<'s, 'a>);

fn collect_cells<'s, 'a>(
    runs: &'s [Findings<'a>],
    combos: &[ComparedCombo],
    place: usize,
) -> Vec<Cell<'s, 'a>> {
    combos.iter().filter_map(|combo| combo.shards_against_first(runs, place)).collect()
}

fn test_overall(runs: &[Findings<'_>], combos: &[ComparedCombo], place: usize) -> Option<TestedDifference> {
    TestedDifference::of_cells(&collect_cells(runs, combos, place), Relation::Runs).filter(|_| place > 0)
}

fn build_side<'a>(place: usize, run: &'a Findings<'a>, first: &Findings<'_>) -> ComparedRun<'a> {
    let label = run_label(place);
    let sameness = match place {
        0 => Sameness::default(),
        _ => with_additions(("A", first), (&label, run)),
    };
    ComparedRun { label, findings: run, sameness }
}

/// How a run differs from the first; what was added to one of both is no other sweep.
fn with_additions((here, first): (&str, &Findings<'_>), (there, run): (&str, &Findings<'_>)) -> Sameness {
    let (a, b) = (&first.records, &run.records);
    let (ours, ours_added) = without_additions(a.plan, a.state, b.plan);
    let (theirs, theirs_added) = without_additions(b.plan, b.state, a.plan);
    let mut told = compare_plans((here, &ours), (there, &theirs));
    told.notes.extend(
        describe_addition(here, &ours_added).into_iter().chain(describe_addition(there, &theirs_added)),
    );
    told
}

/// `A`, `B`, … and after `Z` numbers.
fn run_label(place: usize) -> String {
    match u8::try_from(place).ok().filter(|place| *place < 26) {
        Some(place) => char::from(b'A' + place).to_string(),
        None => format!("#{}", place + 1),
    }
}

fn collect_combos(axes: &[&str], runs: &[Findings<'_>]) -> (Vec<ComparedCombo>, usize) {
    let mut places: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut combos: Vec<ComparedCombo> = Vec::new();
    for (run, findings) in runs.iter().enumerate() {
        for group in group::group_outcomes(axes, &findings.outcomes, &findings.costs) {
            let place = *places.entry(group.values.clone()).or_insert_with(|| {
                combos.push(ComparedCombo {
                    values: group.values.clone(),
                    cells: vec![None; runs.len()],
                    tested: Vec::new(),
                    paces: vec![None; runs.len()],
                });
                combos.len() - 1
            });
            combos[place].cells[run] = Some(group);
        }
    }
    let found = combos.len();
    combos.retain(|combo| {
        let in_first = combo.cells.first().is_some_and(Option::is_some);
        in_first && combo.cells.iter().skip(1).any(Option::is_some)
    });
    let alone = found - combos.len();
    (combos, alone)
}
