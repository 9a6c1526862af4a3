//! One value of an axis against another, over the values of the other axes that both were tried on.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::design::Relation;
use super::group;
use super::paired::pairing::PairedSide;
use super::tested_difference::{TestedDifference, adjust_differences};
use crate::model::sweep::plan::Plan;
use crate::results::axes;
use crate::results::outcome::ShardOutcome;
use crate::results::statistics::totals::Totals;

/// Up to so many values of an axis each is compared with each; of more, each with the first.
const EACH_WITH_EACH: usize = 10;

/// A comparison of one value of an axis with another.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    /// Name of the compared axis.
    pub axis: String,
    /// The value that is asked about.
    pub first: String,
    /// The value it is compared with.
    pub second: String,
    /// So many cells of the other axes have episodes of both.
    pub cells: usize,
    /// The episodes of both there.
    pub episodes: (f64, f64),
    /// The rate of the first less that of the second, among all contrasts along the axis.
    pub tested: TestedDifference,
}

impl Contrast {
    /// As a part of `summary.json`.
    pub fn to_json(&self) -> Value {
        let mut told = self.tested.to_json();
        let axis = json!({
            "axis": self.axis,
            "first": self.first,
            "second": self.second,
            "cells": self.cells,
            "first_episodes": self.episodes.0,
            "second_episodes": self.episodes.1,
        });
        if let (Value::Object(told), Value::Object(axis)) = (&mut told, axis) {
            told.extend(axis);
        }
        told
    }

    /// Describes in a sentence what was compared with what.
    pub fn design_text(&self) -> String {
        let told = self.tested.design.full_text(&self.first, &self.second);
        let early =
            self.tested.early_stop.remark_text().map(|words| format!("; {words}")).unwrap_or_default();
        format!("{told}{early}")
    }
}

/// The shards of one value of an axis, by the values of the other axes.
type Tried<'c, 'o, 'a> = BTreeMap<Vec<&'c str>, Vec<&'o ShardOutcome<'a>>>;

/// Two values of an axis with the cells of the other axes that both were tried on.
#[derive(Debug)]
pub struct ValuePair<'o, 'a> {
    /// Name of the compared axis.
    pub axis: &'o str,
    /// The value that is asked about.
    pub first: String,
    /// The value it is compared with.
    pub second: String,
    /// The shards of both, cell by cell.
    pub cells: Vec<(PairedSide<'o, 'a>, PairedSide<'o, 'a>)>,
}

/// Returns every contrast that can be computed. Seeds are no axis of interest: their episodes are put together.
pub fn compute_contrasts(plan: &Plan, outcomes: &[ShardOutcome<'_>]) -> Vec<Contrast> {
    // What was looked at on the way has tests of its own: see [`super::sequential`].
    let is_looked_at = |axis: &str| plan.analysis.stop.as_ref().is_some_and(|rule| rule.compare == axis);
    let mut all = Vec::new();
    for pairs in value_pairs(plan, outcomes) {
        let mut contrasts: Vec<Contrast> =
            pairs.into_iter().filter(|pair| !is_looked_at(pair.axis)).filter_map(compute_contrast).collect();
        adjust_differences(contrasts.iter_mut().map(|contrast| &mut contrast.tested));
        all.extend(contrasts);
    }
    all
}

/// Every two values that are compared, axis by axis.
pub fn value_pairs<'o, 'a>(plan: &'o Plan, outcomes: &'o [ShardOutcome<'a>]) -> Vec<Vec<ValuePair<'o, 'a>>> {
    let axes: Vec<&str> = axes::axes_of_interest(plan);
    let cells = group::group_members(&axes, outcomes);
    let of_axis = |(position, axis): (usize, &&'o str)| of_axis(plan, (axis, position), &cells, outcomes);
    axes.iter().enumerate().map(of_axis).collect()
}

fn of_axis<'o, 'a>(
    plan: &'o Plan,
    (axis, position): (&'o str, usize),
    cells: &[(Vec<String>, Vec<usize>)],
    outcomes: &'o [ShardOutcome<'a>],
) -> Vec<ValuePair<'o, 'a>> {
    let mut values: Vec<&str> = Vec::new();
    let mut tried: BTreeMap<&str, Tried<'_, '_, '_>> = BTreeMap::new();
    for (cell, members) in cells {
        let value = cell[position].as_str();
        if !values.contains(&value) {
            values.push(value);
        }
        // Episodes that were counted twice decide nothing.
        if members.iter().any(|position| outcomes[*position].is_repeated) {
            continue;
        }
        let others = cell.iter().enumerate().filter(|(other, _)| *other != position);
        let others = others.map(|(_, value)| value.as_str()).collect();
        let shards = members.iter().map(|position| &outcomes[*position]).collect();
        tried.entry(value).or_default().insert(others, shards);
    }
    let of_pair = |(first, second): (&str, &str)| {
        let (ours, theirs) = (tried.get(first)?, tried.get(second)?);
        let side = |shards: &Vec<&'o ShardOutcome<'a>>| PairedSide { plan, shards: shards.clone() };
        let cells = ours.iter().filter_map(|(cell, shards)| Some((side(shards), side(theirs.get(cell)?))));
        let cells = cells.collect();
        Some(ValuePair { axis, first: first.to_owned(), second: second.to_owned(), cells })
    };
    compared_pairs(&values).into_iter().filter_map(of_pair).collect()
}

/// The pairs of values that are compared, of many only those with the first.
pub(super) fn compared_pairs<'a>(values: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    let against = if values.len() <= EACH_WITH_EACH { values } else { &values[..values.len().min(1)] };
    let mut pairs = Vec::new();
    for (position, second) in against.iter().enumerate() {
        pairs.extend(values[position + 1..].iter().map(|first| (*first, *second)));
    }
    pairs
}

fn compute_contrast(pair: ValuePair<'_, '_>) -> Option<Contrast> {
    let ValuePair { axis, first, second, mut cells } = pair;
    let sample =
        |side: &PairedSide<'_, '_>| Totals::from_shards(side.shards.iter().copied()).success_sample();
    let mut episodes = (0.0, 0.0);
    cells.retain(|(first, second)| {
        let (Some(one), Some(other)) = (sample(first), sample(second)) else { return false };
        episodes = (episodes.0 + one.episodes, episodes.1 + other.episodes);
        true
    });
    let relation = if axes::is_task(axis) { Relation::Tasks } else { Relation::Methods };
    Some(Contrast {
        axis: axis.to_owned(),
        first,
        second,
        cells: cells.len(),
        episodes,
        tested: TestedDifference::of_cells(&cells, relation)?,
    })
}
