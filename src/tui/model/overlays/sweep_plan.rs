//! The plan of a sweep before its start, and what the user changes of it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use crate::model::ids::ShardId;
use crate::model::sweep::axis::{AxisError, AxisValues};
use crate::model::value::Value;
use crate::results::time_left::forecast::Forecast;

/// A sweep and the user's wishes, as far as they differ from its file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SweepRequest {
    /// Path of the sweep file.
    pub path: PathBuf,
    /// Axes with other values than the file gives them.
    pub axes: Vec<AxisValues>,
    /// Combos that are left out, by name.
    pub left_out: BTreeSet<String>,
    /// Fixed number of shards side by side, whatever file and machine give.
    pub parallel: Option<u32>,
}

/// A run to be started, as the user has seen its plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The sweep and the changes to it.
    pub wish: SweepRequest,
    /// The text of the file for which the user has seen the plan.
    pub source: String,
    /// How the run differs from its sweep, one line each.
    pub changes: Vec<String>,
}

/// The plan of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPlan {
    /// The wish that the plan is for.
    pub wish: SweepRequest,
    /// The text of its file.
    pub source: String,
    /// Name of the sweep.
    pub name: String,
    /// The axes as the file gives them and, next to those, as they are now.
    pub axes: Vec<AxisLine>,
    /// The combos in the order of the sweep, those that are left out too.
    pub combos: Vec<ComboLine>,
    /// How many shards would run side by side without a wish, at least 1.
    pub parallel: u32,
    /// Why the machine chose `parallel`, where the sweep leaves it to the machine.
    pub because: Option<String>,
    /// The forecast and the remarks of the preflight, or why there is no plan.
    pub outlook: PlanForecast,
    /// The list that has the keys.
    pub list: PlanList,
    /// Index of the chosen combo in `combos`.
    pub cursor: usize,
    /// The chosen value, counted through all axes.
    pub value: usize,
    /// A value that is being typed.
    pub typing: Option<Typing>,
    /// The wish has changed, and the answer is not there yet.
    pub asked: bool,
}

/// The lists of the plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PlanList {
    /// The combos of the sweep.
    #[default]
    Combos,
    /// The values of the axes.
    Axes,
}

/// The forecast for the present choice, or why there is no plan.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanForecast {
    /// There is a plan for this choice.
    Told {
        /// Remarks of the preflight, the gravest first.
        preflight: Vec<PreflightRemark>,
        /// How long it takes in all.
        forecast: Forecast,
    },
    /// There is no plan for this choice, and why: lines for people.
    NoPlan(Vec<String>),
}

/// An axis of the matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisLine {
    /// Its values in the file.
    pub given: AxisValues,
    /// Its values as they are chosen now.
    pub now: AxisValues,
    /// Several of its values are in each shard, so that leaving out one changes shards rather than leaving them out.
    pub packed: bool,
}

/// A value of an axis as a line of the list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueLine<'a> {
    /// The axis that the value belongs to.
    pub axis: &'a AxisLine,
    /// The value that the line shows.
    pub value: &'a Value,
    /// How many of its combos will be run.
    pub ticked: usize,
    /// How many combos have it.
    pub combos: usize,
}

/// A value that is being typed for an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Typing {
    /// Name of the axis.
    pub axis: String,
    /// The value it takes the place of; none for a further one.
    pub instead_of: Option<Value>,
    /// The text typed so far.
    pub text: String,
}

/// A combo of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct ComboLine {
    /// Its values, or its id where it has none.
    pub name: String,
    /// Names of the axes with the values on them.
    pub values: Vec<(String, String)>,
    /// Its shards: one, or its slices.
    pub shards: Vec<ShardId>,
    /// How long all of them should take one after another, where that is known of each.
    pub foreseen: Option<Duration>,
}

/// How grave a remark of the preflight is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gravity {
    /// The sweep would not be started.
    Refusal,
    /// The run may fail.
    Warning,
    /// The user should know it, but nothing is wrong.
    Note,
}

/// A remark of the preflight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreflightRemark {
    /// How grave it is.
    pub gravity: Gravity,
    /// The remark in one line.
    pub text: String,
}

impl SweepRequest {
    /// A sweep as in its file.
    pub fn for_path(path: PathBuf) -> Self {
        Self { path, ..Self::default() }
    }
}

impl SweepPlan {
    /// The combo will be run.
    pub fn is_ticked(&self, combo: &ComboLine) -> bool {
        !self.wish.left_out.contains(&combo.name)
    }

    /// The combos that will be run.
    pub fn ticked_combos(&self) -> impl Iterator<Item = &ComboLine> + Clone {
        self.combos.iter().filter(|combo| self.is_ticked(combo))
    }

    /// How many shards run side by side.
    pub fn side_by_side(&self) -> u32 {
        self.wish.parallel.unwrap_or(self.parallel)
    }

    /// All values of all axes, in their order; of a packed axis also those of the file that were taken out.
    pub fn value_lines(&self) -> Vec<ValueLine<'_>> {
        let line = |axis, value: &'_ Value| {
            let text = value.to_string();
            let has = |combo: &&ComboLine| self.has_value(combo, axis, &text);
            let combos = self.combos.iter().filter(has);
            (combos.clone().count(), combos.filter(|combo| self.is_ticked(combo)).count())
        };
        let lines = self.axes.iter().flat_map(|axis| axis.shown_values().map(move |value| (axis, value)));
        lines
            .map(|(axis, value)| {
                let (combos, ticked) = line(axis, value);
                ValueLine { axis, value, ticked, combos }
            })
            .collect()
    }

    fn has_value(&self, combo: &ComboLine, axis: &AxisLine, value: &str) -> bool {
        let mut values = combo.values.iter().filter(|(name, _)| *name == axis.given.name);
        values.any(|(_, known)| known == value)
    }

    /// Ticks the chosen combo or takes the tick away.
    pub fn tick_combo(&mut self) {
        let Some(combo) = self.combos.get(self.cursor) else { return };
        if !self.wish.left_out.remove(&combo.name) {
            self.wish.left_out.insert(combo.name.clone());
        }
        self.cursor = (self.cursor + 1).min(self.combos.len() - 1);
    }

    /// Ticks all combos, or takes all ticks away where all are ticked.
    pub fn tick_all(&mut self) {
        if self.wish.left_out.is_empty() {
            self.wish.left_out = self.combos.iter().map(|combo| combo.name.clone()).collect();
        } else {
            self.wish.left_out.clear();
        }
    }

    /// Takes all combos of the chosen value, or leaves all of them out; of a packed axis the value itself.
    pub fn tick_value(&mut self) {
        let lines = self.value_lines();
        let Some(line) = lines.get(self.value).copied() else { return };
        let (axis, value, ticked) = (line.axis.clone(), line.value.clone(), line.ticked);
        if axis.packed {
            let mut now = axis.now.values.clone();
            match now.iter().position(|known| *known == value) {
                Some(_) if now.len() == 1 => return,
                Some(place) => _ = now.remove(place),
                None => {
                    now = axis
                        .shown_values()
                        .filter(|known| now.contains(known) || **known == value)
                        .cloned()
                        .collect()
                }
            }
            self.set_values(&axis.given.name, now);
            return;
        }
        let text = value.to_string();
        let names: Vec<String> = self
            .combos
            .iter()
            .filter(|combo| self.has_value(combo, &axis, &text))
            .map(|combo| combo.name.clone())
            .collect();
        if ticked > 0 {
            self.wish.left_out.extend(names);
        } else {
            names.iter().for_each(|name| _ = self.wish.left_out.remove(name));
        }
    }

    /// Begins to type a value for the axis of the chosen one, a further one or one in its place.
    pub fn begin_value(&mut self, instead: bool) {
        let lines = self.value_lines();
        let Some(line) = lines.get(self.value) else { return };
        let axis = line.axis.given.name.clone();
        let text = if instead { line.value.to_string() } else { String::new() };
        let instead_of = instead.then(|| line.value.clone());
        self.typing = Some(Typing { axis, instead_of, text });
    }

    /// Takes the value that was typed; where it is none of this axis, the typing goes on.
    pub fn end_value(&mut self) -> Result<(), AxisError> {
        let Some(typing) = &self.typing else { return Ok(()) };
        let Some(axis) = self.axes.iter().find(|axis| axis.given.name == typing.axis) else { return Ok(()) };
        let mut values = axis.now.values.clone();
        let place = typing.instead_of.as_ref().and_then(|old| values.iter().position(|value| value == old));
        // Its own text again is no second one.
        if place.is_some_and(|place| values[place].to_string() == typing.text.trim()) {
            self.typing = None;
            return Ok(());
        }
        let value = axis.now.parse_value(&typing.text)?;
        match place {
            Some(place) => values[place] = value,
            None => values.push(value),
        }
        let name = axis.given.name.clone();
        self.typing = None;
        self.set_values(&name, values);
        Ok(())
    }

    fn set_values(&mut self, name: &str, values: Vec<Value>) {
        let Some(axis) = self.axes.iter_mut().find(|axis| axis.given.name == name) else { return };
        axis.now.values = values;
        self.wish.axes.retain(|axis| axis.name != name);
        if axis.now != axis.given {
            self.wish.axes.push(axis.now.clone());
        }
    }

    /// Another limit than file and machine give, at least 1.
    pub fn change_parallel(&mut self, by: i32) {
        self.wish.parallel = Some(self.side_by_side().saturating_add_signed(by).max(1));
    }

    /// Takes what came back for a wish, where that is still the wish.
    pub fn apply_answer(&mut self, wish: &SweepRequest, answer: Result<Self, Vec<String>>) {
        if *wish != self.wish {
            return;
        }
        self.asked = false;
        match answer {
            Ok(plan) => {
                let (list, cursor, value) = (self.list, self.cursor, self.value);
                let typing = self.typing.take();
                *self = Self { list, typing, ..plan };
                self.cursor = cursor.min(self.combos.len().saturating_sub(1));
                self.value = value.min(self.value_lines().len().saturating_sub(1));
            }
            Err(lines) => self.outlook = PlanForecast::NoPlan(lines),
        }
    }

    /// Returns what is started with the present choice, or why nothing can be.
    pub fn prepare_start(&self) -> Result<Start, String> {
        if self.ticked_combos().next().is_none() {
            return Err("no combo is ticked; Space ticks one, a all of them".to_owned());
        }
        match &self.outlook {
            PlanForecast::NoPlan(lines) if !self.asked => {
                return Err(format!("there is no plan for this: {}", lines.join(" ")));
            }
            PlanForecast::Told { preflight, .. } if !self.asked => {
                let refusal = preflight.iter().find(|remark| remark.gravity == Gravity::Refusal);
                if let Some(refusal) = refusal {
                    return Err(format!("not started: {}", refusal.text));
                }
            }
            PlanForecast::NoPlan(_) | PlanForecast::Told { .. } => {}
        }
        Ok(Start { wish: self.wish.clone(), source: self.source.clone(), changes: self.list_changes() })
    }

    /// How the run would differ from the file, one line each.
    pub fn list_changes(&self) -> Vec<String> {
        let listed = |values: &[Value]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let axes = self.axes.iter().filter(|axis| axis.now != axis.given).map(|axis| {
            format!(
                "{} = {} instead of {}",
                axis.now.name,
                listed(&axis.now.values),
                listed(&axis.given.values)
            )
        });
        // Values that are left out altogether are clearer than their combos.
        let is_whole = |line: &ValueLine<'_>| line.combos > 0 && line.ticked == 0;
        let whole: Vec<ValueLine<'_>> = self.value_lines().into_iter().filter(is_whole).collect();
        let is_told = |combo: &ComboLine| {
            whole.iter().any(|line| self.has_value(combo, line.axis, &line.value.to_string()))
        };
        let values = whole.iter().map(|line| format!("{}={}", line.axis.given.name, line.value));
        let single = self.combos.iter().filter(|combo| !self.is_ticked(combo) && !is_told(combo));
        let left_out: Vec<String> = values.chain(single.map(|combo| combo.name.clone())).collect();
        let without = match left_out.len() {
            0 => None,
            1..=4 => Some(format!("without {}", left_out.join("; "))),
            more => Some(format!("without {}; and {} more", left_out[..3].join("; "), more - 3)),
        };
        let parallel = self.wish.parallel.map(|parallel| format!("{parallel} side by side"));
        axes.chain(without).chain(parallel).collect()
    }
}

impl AxisLine {
    /// Its values as lines: those of now, and of a packed axis also those that the file has and that were taken out.
    fn shown_values(&self) -> impl Iterator<Item = &Value> {
        let is_kept = |value: &&Value| self.packed && !self.now.values.contains(value);
        let out = self.given.values.iter().filter(is_kept).collect::<Vec<_>>();
        // In the order of the file, then what was added.
        let given = self
            .given
            .values
            .iter()
            .filter(move |value| self.now.values.contains(value) || out.contains(value));
        let added = self.now.values.iter().filter(|value| !self.given.values.contains(value));
        given.chain(added)
    }

    /// A value that the file does not have.
    pub fn is_added(&self, value: &Value) -> bool {
        !self.given.values.contains(value)
    }

    /// A value that the shards of a packed axis go without.
    pub fn is_out(&self, value: &Value) -> bool {
        !self.now.values.contains(value)
    }
}
