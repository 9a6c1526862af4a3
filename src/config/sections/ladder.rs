//! `on_oom`, `on_stall` and `on_fail` of `[schedule]`: what is done about failures, step by step.

use std::collections::BTreeMap;
use std::ops::Range;

use regex::Regex;
use toml::Spanned;
use toml::de::DeValue;

use crate::config::document::problem::{Problem, word_hint};
use crate::config::document::scalar::{scalar_value, type_name};
use crate::config::document::table::{Sink, Table};
use crate::config::edit;
use crate::config::keys::machine::STEP;
use crate::config::matrix::combos::Matrix;
use crate::model::outcome::FailureReason;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::ladder::{LadderAction, LadderStep, StepEdit, Trigger, ValueChange};
use crate::model::sweep::plan::Plan;
use crate::model::value::Value;

/// Words for the steps that change no value.
const WORDS: [(&str, LadderAction); 6] = [
    ("back-off", LadderAction::BackOff),
    ("split", LadderAction::Split),
    ("more-room", LadderAction::MoreRoom),
    ("alone", LadderAction::Alone),
    ("retry", LadderAction::Retry),
    ("fail", LadderAction::Fail),
];

/// So many shards of a sweep are tried with the values of the steps: what renders for these renders for the others.
const MOST_TRIED: usize = 50;

/// Axes that the steps are checked against.
pub(in crate::config) struct LadderAxes<'a> {
    pub(in crate::config) matrix: &'a Matrix,
    /// Axes that are packed: no shard has a single value of one.
    pub(in crate::config) packed: &'a [String],
}

/// The steps of all three keys; a key that is a word has none.
pub(in crate::config) fn read_ladder(schedule: &Table<'_>, axes: &LadderAxes<'_>) -> Vec<LadderStep> {
    let keys = [("on_oom", Trigger::Oom), ("on_stall", Trigger::Stall), ("on_fail", Trigger::Fail)];
    let mut steps = Vec::new();
    for (key, on) in keys {
        let Some(value) = schedule.get(key) else { continue };
        let reading = LadderParser { sink: schedule.sink(), key, on, axes };
        match value.get_ref() {
            DeValue::Array(items) => steps.extend(items.iter().filter_map(|item| reading.read_step(item))),
            // The other two keys may be one word, which is checked where the words are.
            other if on == Trigger::Fail => reading.report_problem(
                value.span(),
                format!("`on_fail` is an array of steps, not {}", type_name(other)),
                "such as `on_fail = [\"retry\"]`",
            ),
            _ => {}
        }
    }
    steps
}

/// Tries the templates with the values of the steps, so that none fails only at night.
pub(in crate::config) fn check_ladder(plan: &Plan, schedule: &Table<'_>) {
    for step in &plan.schedule.ladder {
        let LadderAction::Edit(change) = &step.action else { continue };
        let span = || schedule.get(step.on.key()).map_or(0..0, Spanned::span);
        if let Some(name) = change.env.keys().find(|name| plan.template.secret.contains(name)) {
            let message = format!("`{name}` is a secret of the sweep, and a step stands in the journal");
            schedule.sink().add(Problem::new(span(), message));
            return;
        }
        for shard in plan.shards.iter().take(MOST_TRIED) {
            let edited = change.next_edit(&shard.vars, &plan.template.env, &Edit::default());
            let Some((edited, words)) = edited.filter(|(edit, _)| !edit.is_empty()) else { continue };
            if let Err(error) = edit::validate_edit(plan, shard, &edited) {
                let message = format!("`{}` with {words}: {error} (shard `{}`)", step.on.key(), shard.id);
                schedule.sink().add(Problem::new(span(), message));
                return;
            }
        }
    }
}

struct LadderParser<'a> {
    sink: &'a Sink,
    key: &'static str,
    on: Trigger,
    axes: &'a LadderAxes<'a>,
}

impl LadderParser<'_> {
    fn report_problem(&self, span: Range<usize>, message: String, hint: impl Into<String>) {
        self.sink.add(Problem::new(span, message).with_hint(hint.into()));
    }

    fn read_step(&self, item: &Spanned<DeValue<'_>>) -> Option<LadderStep> {
        match item.get_ref() {
            DeValue::String(word) => {
                let action = self.parse_action(word, item.span())?;
                Some(self.default_times(LadderStep::new(self.on, action)))
            }
            DeValue::Table(table) => self.read_step_table(item.span(), table),
            other => {
                let message =
                    format!("a step of `{}` is a word or a table, not {}", self.key, type_name(other));
                self.report_problem(
                    item.span(),
                    message,
                    "such as `\"alone\"` or `{ set = { num_envs = \"half\" } }`",
                );
                None
            }
        }
    }

    /// Steps that keep their own count are taken as often as they find something to do.
    fn default_times(&self, step: LadderStep) -> LadderStep {
        match step.action {
            LadderAction::BackOff | LadderAction::Split => LadderStep { times: u32::MAX, ..step },
            LadderAction::MoreRoom
            | LadderAction::Alone
            | LadderAction::Retry
            | LadderAction::Edit(_)
            | LadderAction::Fail => step,
        }
    }

    fn parse_action(&self, word: &str, span: Range<usize>) -> Option<LadderAction> {
        let is_of_memory = |action: &LadderAction| {
            !matches!(action, LadderAction::Retry | LadderAction::Edit(_) | LadderAction::Fail)
        };
        let known: Vec<(&str, LadderAction)> = WORDS
            .into_iter()
            .filter(|(_, action)| self.on == Trigger::Oom || !is_of_memory(action))
            .collect();
        let found = known.iter().find(|(name, _)| *name == word).map(|(_, action)| action.clone());
        if found.is_none() {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            self.report_problem(
                span,
                format!("`{}` has no step `{word}`", self.key),
                word_hint(word, &names),
            );
        }
        found
    }

    fn read_step_table(&self, span: Range<usize>, table: &toml::de::DeTable<'_>) -> Option<LadderStep> {
        let mut step = LadderStep::new(self.on, LadderAction::Fail);
        let (mut action, mut change, mut times) = (None, StepEdit::default(), None);
        for (key, value) in table {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("do", DeValue::String(word)) => action = Some(self.parse_action(word, value.span())?),
                ("set", DeValue::Table(set)) => change.set = self.read_variable_changes(set)?,
                ("env", DeValue::Table(env)) => change.env = self.read_env(env)?,
                ("reason", DeValue::String(word)) => {
                    step.reasons = vec![self.parse_reason(word, value.span())?]
                }
                ("reason", DeValue::Array(words)) => {
                    let reason = |word: &Spanned<DeValue<'_>>| {
                        self.parse_reason(word.get_ref().as_str().unwrap_or_default(), word.span())
                    };
                    step.reasons = words.iter().map(reason).collect::<Option<_>>()?;
                }
                ("pattern", DeValue::String(text)) => {
                    step.pattern = Some(self.check_pattern(text, value.span())?)
                }
                ("times", DeValue::Integer(_)) => {
                    let number = crate::config::document::scalar::parse_integer(value.get_ref())
                        .and_then(|number| number.try_into().ok());
                    times = Some(number.filter(|number: &u32| *number > 0).or_else(|| {
                        self.report_problem(
                            value.span(),
                            "`times` must be at least 1".to_owned(),
                            "leave it out for once",
                        );
                        None
                    })?);
                }
                (name, _) => {
                    let message = format!("a step of `{}` has no key `{name}` like this", self.key);
                    self.report_problem(key.span(), message, word_hint(name, &STEP.names()));
                    return None;
                }
            }
        }
        step.action = match (action, change == StepEdit::default()) {
            (Some(action), true) => action,
            (None, false) => LadderAction::Edit(change),
            (Some(_), false) | (None, true) => {
                let message = format!("a step of `{}` does one thing", self.key);
                self.report_problem(span, message, "say `set`, `env` or both, or `do` with a word");
                return None;
            }
        };
        let step = self.default_times(step);
        Some(LadderStep { times: times.unwrap_or(step.times), ..step })
    }

    fn read_variable_changes(&self, table: &toml::de::DeTable<'_>) -> Option<BTreeMap<String, ValueChange>> {
        let mut set = BTreeMap::new();
        for (name, value) in table {
            let matrix = self.axes.matrix;
            let axes: Vec<&str> = matrix
                .names
                .iter()
                .map(String::as_str)
                .filter(|axis| !self.axes.packed.iter().any(|packed| packed == axis))
                .collect();
            let known = name.get_ref().as_ref();
            if !axes.contains(&known) {
                let message = format!("no shard has a variable `{known}`");
                let hint =
                    format!("add an axis such as `{known} = [64]` to [matrix]; {}", word_hint(known, &axes));
                self.report_problem(name.span(), message, hint);
                return None;
            }
            let values: Vec<&Value> = matrix.combos.iter().filter_map(|combo| combo.get(known)).collect();
            set.insert(known.to_owned(), self.read_change(known, value, &values)?);
        }
        Some(set)
    }

    fn read_change(&self, name: &str, value: &Spanned<DeValue<'_>>, old: &[&Value]) -> Option<ValueChange> {
        let is_number = |value: &&Value| matches!(value, Value::Integer(_) | Value::Float(_));
        let all_numbers = old.iter().all(is_number);
        match value.get_ref() {
            DeValue::String(word) if all_numbers && word == "half" => return Some(ValueChange::Half),
            DeValue::String(word) if all_numbers && word == "double" => return Some(ValueChange::Double),
            _any => {}
        }
        let new = scalar_value(value.get_ref());
        let is_alike = |new: &Value| match new {
            Value::Integer(_) | Value::Float(_) => all_numbers,
            Value::Boolean(_) => old.iter().all(|old| matches!(old, Value::Boolean(_))),
            Value::String(_) => old.iter().all(|old| matches!(old, Value::String(_))),
        };
        let new = new.filter(is_alike);
        if new.is_none() {
            let message = format!("`{name}` cannot become this: its values in [matrix] are of another type");
            self.report_problem(
                value.span(),
                message,
                "a number may be `\"half\"` or `\"double\"`, or another number",
            );
        }
        new.map(ValueChange::To)
    }

    fn read_env(&self, table: &toml::de::DeTable<'_>) -> Option<BTreeMap<String, String>> {
        let mut env = BTreeMap::new();
        for (name, value) in table {
            let Some(text) = scalar_value(value.get_ref()) else {
                let message = format!("`{}` must be a string", name.get_ref());
                self.report_problem(value.span(), message, "such as `MUJOCO_GL = \"osmesa\"`");
                return None;
            };
            if crate::config::templates::shard::OWN_NAMES.contains(&name.get_ref().as_ref()) {
                let message = format!("`{}` is set for each attempt", name.get_ref());
                self.report_problem(
                    name.span(),
                    message,
                    "sweepdeck finds the processes of an attempt by it",
                );
                return None;
            }
            env.insert(name.get_ref().to_string(), text.to_string());
        }
        Some(env)
    }

    fn parse_reason(&self, word: &str, span: Range<usize>) -> Option<FailureReason> {
        let found = FailureReason::ALL.into_iter().find(|reason| reason.as_str() == word);
        if found.is_none() {
            let words = FailureReason::ALL.map(FailureReason::as_str);
            self.report_problem(span, format!("`{word}` is no reason of a failure"), word_hint(word, &words));
        }
        found
    }

    fn check_pattern(&self, text: &str, span: Range<usize>) -> Option<String> {
        match Regex::new(text) {
            Ok(_) => Some(text.to_owned()),
            Err(error) => {
                self.report_problem(
                    span,
                    format!("`pattern` cannot be read: {error}"),
                    "it is a regular expression",
                );
                None
            }
        }
    }
}
