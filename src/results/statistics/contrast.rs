//! One value of an axis against another, over the values of the other axes that both were tried on.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::design::Relation;
use super::group;
use super::pairing::Side;
use super::tested_difference::{TestedDifference, adjust};
use crate::model::plan::Plan;
use crate::results::axes;
use crate::results::outcome::ShardOutcome;
use crate::results::totals::Totals;

/// Up to so many values of an axis each is compared with each; of more, each with the first.
const EACH_WITH_EACH: usize = 10;

/// One value of an axis against another.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    /// The axis.
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

    /// What was held against what, in a sentence.
    pub fn design_text(&self) -> String {
        self.tested.design.told(&self.first, &self.second)
    }
}

/// The shards of one value of an axis, by the values of the other axes.
type Tried<'o, 'a> = BTreeMap<Vec<&'o str>, Vec<&'o ShardOutcome<'a>>>;

/// Every contrast that can be told. Seeds are no axis of interest: their episodes are put together.
pub fn contrasts(plan: &Plan, outcomes: &[ShardOutcome<'_>]) -> Vec<Contrast> {
    let axes: Vec<&str> = axes::axes_of_interest(plan);
    let cells = group::members(&axes, outcomes);
    // What was looked at on the way has tests of its own: see [`super::sequential`].
    let is_looked_at = |axis: &str| plan.analysis.stop.as_ref().is_some_and(|rule| rule.compare == axis);
    let of_axis = |(position, axis): (usize, &&str)| of_axis(plan, (axis, position), &cells, outcomes);
    axes.iter().enumerate().filter(|(_, axis)| !is_looked_at(axis)).flat_map(of_axis).collect()
}

fn of_axis(
    plan: &Plan,
    (axis, position): (&str, usize),
    cells: &[(Vec<String>, Vec<usize>)],
    outcomes: &[ShardOutcome<'_>],
) -> Vec<Contrast> {
    let mut values: Vec<&str> = Vec::new();
    let mut tried: BTreeMap<&str, Tried<'_, '_>> = BTreeMap::new();
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
    let contrasts = pairs(&values).into_iter().filter_map(|(first, second)| {
        contrast(plan, axis, (first, tried.get(first)?), (second, tried.get(second)?))
    });
    let mut contrasts: Vec<Contrast> = contrasts.collect();
    adjust(contrasts.iter_mut().map(|contrast| &mut contrast.tested));
    contrasts
}

/// The pairs of values that are compared, of many only those with the first.
pub(super) fn pairs<'a>(values: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    let against = if values.len() <= EACH_WITH_EACH { values } else { &values[..values.len().min(1)] };
    let mut pairs = Vec::new();
    for (position, second) in against.iter().enumerate() {
        pairs.extend(values[position + 1..].iter().map(|first| (*first, *second)));
    }
    pairs
}

fn contrast(
    plan: &Plan,
    axis: &str,
    (first, ours): (&str, &Tried<'_, '_>),
    (second, theirs): (&str, &Tried<'_, '_>),
) -> Option<Contrast> {
    let sample = |shards: &[&ShardOutcome<'_>]| Totals::of(shards.iter().copied()).sample();
    let mut cells = Vec::new();
    let mut episodes = (0.0, 0.0);
    for (cell, first) in ours {
        let Some(second) = theirs.get(cell) else { continue };
        let (Some(one), Some(other)) = (sample(first), sample(second)) else { continue };
        episodes = (episodes.0 + one.episodes, episodes.1 + other.episodes);
        cells.push((Side { plan, shards: first.clone() }, Side { plan, shards: second.clone() }));
    }
    let relation = if axes::is_task(axis) { Relation::Tasks } else { Relation::Methods };
    Some(Contrast {
        axis: axis.to_owned(),
        first: first.to_owned(),
        second: second.to_owned(),
        cells: cells.len(),
        episodes,
        tested: TestedDifference::of_cells(&cells, relation)?,
    })
}
