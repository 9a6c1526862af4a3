//! One value of an axis against another, over the values of the other axes that both were tried on.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::difference::Sample;
use super::group;
use super::tested_difference::{TestedDifference, adjust};
use crate::model::plan::Plan;
use crate::results::outcome::ShardOutcome;
use crate::results::seeds;
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
        let TestedDifference { difference, p_value, adjusted, family } = self.tested;
        json!({
            "axis": self.axis,
            "first": self.first,
            "second": self.second,
            "cells": self.cells,
            "first_episodes": self.episodes.0,
            "second_episodes": self.episodes.1,
            "success_rate_difference": difference.value,
            "newcombe_95": {"low": difference.low, "high": difference.high},
            "p_value": p_value,
            "p_holm": adjusted,
            "comparisons": family,
        })
    }
}

/// Every contrast that can be told. Seeds are no axis of interest: their episodes are put together.
pub fn contrasts(plan: &Plan, outcomes: &[ShardOutcome<'_>]) -> Vec<Contrast> {
    let axes: Vec<&str> = plan.axes.iter().map(String::as_str).filter(|axis| !seeds::is_seed(axis)).collect();
    let cells: Vec<(Vec<String>, Totals)> = group::members(&axes, outcomes)
        .into_iter()
        .map(|(values, members)| (values, Totals::of(members.iter().map(|position| &outcomes[*position]))))
        .collect();
    axes.iter().enumerate().flat_map(|(position, axis)| of_axis(axis, position, &cells)).collect()
}

fn of_axis(axis: &str, position: usize, cells: &[(Vec<String>, Totals)]) -> Vec<Contrast> {
    let mut values: Vec<&str> = Vec::new();
    // What was tried with a value, by the values of the other axes.
    let mut samples: BTreeMap<&str, BTreeMap<Vec<&str>, Sample>> = BTreeMap::new();
    for (cell, totals) in cells {
        let value = cell[position].as_str();
        if !values.contains(&value) {
            values.push(value);
        }
        let others = cell.iter().enumerate().filter(|(other, _)| *other != position);
        let others = others.map(|(_, value)| value.as_str()).collect();
        if let (Some(successes), Some(episodes)) = (totals.successes, totals.episodes) {
            samples.entry(value).or_default().insert(others, Sample { successes, episodes });
        }
    }
    let contrasts = pairs(&values).into_iter().filter_map(|(first, second)| {
        contrast(axis, (first, samples.get(first)?), (second, samples.get(second)?))
    });
    let mut contrasts: Vec<Contrast> = contrasts.collect();
    adjust(contrasts.iter_mut().map(|contrast| &mut contrast.tested));
    contrasts
}

fn pairs<'a>(values: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    let against = if values.len() <= EACH_WITH_EACH { values } else { &values[..values.len().min(1)] };
    let mut pairs = Vec::new();
    for (position, second) in against.iter().enumerate() {
        pairs.extend(values[position + 1..].iter().map(|first| (*first, *second)));
    }
    pairs
}

type Samples<'a> = BTreeMap<Vec<&'a str>, Sample>;

fn contrast(
    axis: &str,
    (first, ours): (&str, &Samples<'_>),
    (second, theirs): (&str, &Samples<'_>),
) -> Option<Contrast> {
    let strata: Vec<(Sample, Sample)> = ours
        .iter()
        .filter_map(|(cell, sample)| Some((*sample, *theirs.get(cell)?)))
        .filter(|(ours, theirs)| ours.episodes > 0.0 && theirs.episodes > 0.0)
        .collect();
    Some(Contrast {
        axis: axis.to_owned(),
        first: first.to_owned(),
        second: second.to_owned(),
        cells: strata.len(),
        episodes: (
            strata.iter().map(|(ours, _)| ours.episodes).sum(),
            strata.iter().map(|(_, theirs)| theirs.episodes).sum(),
        ),
        tested: TestedDifference::stratified(&strata)?,
    })
}
