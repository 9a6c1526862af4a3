//! Every pattern of a run, compiled once and shared by the readers of all its logs.

use std::sync::Arc;

use crate::model::logs::value_log::ValueLogSpec;
use crate::model::sweep::plan::{MetricSpec, ProgressSpec};
use crate::model::sweep::presets::split_bar;
use crate::model::sweep::rule::RuleSpec;
use crate::progress::format::{Preset, PresetRank};
use crate::progress::formats::needle_searches::NeedleSearches;
use crate::progress::formats::needles::{Needles, Seekers};
use crate::progress::formats::plain::plain_preset::own_preset;
use crate::progress::formats::presets::table;
use crate::progress::patterns::error::PatternError;
use crate::progress::patterns::fault::PatternFault;
use crate::progress::patterns::own::{DONE, FINISHED, OwnMetric, OwnProgress, OwnRule};
use crate::progress::patterns::own_use::PatternUse;
use crate::progress::patterns::own_values::OwnValues;
use crate::progress::patterns::watched::LadderPatterns;
use crate::progress::trouble::built_in::BuiltInRules;

/// Every pattern of a run.
#[derive(Debug)]
pub struct LogRules {
    pub(super) presets: &'static [&'static Preset],
    /// The name of the bar that counts, behind that of its preset.
    bar: Option<String>,
    pub(super) progress: OwnProgress,
    pub(super) metrics: Vec<OwnMetric>,
    pub(super) rules: Vec<OwnRule>,
    pub(super) values: OwnValues,
    pub(super) watched: LadderPatterns,
    pub(super) built_in: BuiltInRules,
    searches: Arc<NeedleSearches>,
    pub(super) bars: Seekers,
}

impl LogRules {
    /// Compiles what the sweep says, on top of what is built in.
    pub fn compile(
        progress: &ProgressSpec,
        metrics: &[MetricSpec],
        rules: &[RuleSpec],
    ) -> Result<Self, PatternError> {
        let (preset, bar) = split_bar(&progress.preset);
        let own = progress.format.as_ref().map(|format| own_preset(preset, format));
        let presets = own.or_else(|| table::named(preset)).ok_or_else(|| PatternError::UnknownPreset {
            name: progress.preset.clone(),
            known: table::names().collect::<Vec<_>>().join(", "),
        })?;
        Ok(Self {
            presets,
            bar: bar.map(str::to_owned),
            progress: OwnProgress::compile(progress, own.map(|presets| presets[0].unit))?,
            metrics: OwnMetric::compile_all(metrics)?,
            rules: OwnRule::compile_all(rules)?,
            values: OwnValues::default(),
            watched: LadderPatterns::default(),
            built_in: BuiltInRules::changed_by(rules),
            searches: NeedleSearches::of(presets),
            bars: Seekers::of_bars(presets),
        })
    }

    /// Returns these rules with the patterns by which a sweep distinguishes single values of its packs.
    pub fn telling_values(self, spec: &ValueLogSpec) -> Result<Self, PatternError> {
        Ok(Self { values: OwnValues::compile(spec)?, ..self })
    }

    /// These rules, and patterns that decide what is done about a failure.
    pub fn watching<'t>(self, texts: impl Iterator<Item = &'t String>) -> Result<Self, PatternError> {
        Ok(Self { watched: LadderPatterns::compile(texts)?, ..self })
    }

    /// The rules of a preset alone, without anything of a sweep.
    pub fn preset(name: &str) -> Result<Self, PatternError> {
        Self::compile(&ProgressSpec::of_preset(name), &[], &[])
    }

    /// Returns rules with one pattern that counts, and nothing else of a sweep.
    pub fn counting(done: &str) -> Result<Self, PatternError> {
        let progress = ProgressSpec { done: Some(done.to_owned()), ..ProgressSpec::of_preset(table::AUTO) };
        Self::compile(&progress, &[], &[])
    }

    /// Reports whether the program gives its progress in a file too.
    pub fn has_file(&self) -> bool {
        self.progress.has_file
    }

    /// Returns what to look for on the next line of a log that the preset at this place reads.
    pub(super) fn needles(&self, chosen: Option<usize>) -> &Needles {
        self.searches.on_a_line(chosen)
    }

    /// The sweep has patterns of its own, which every line is held against.
    pub(super) fn has_patterns(&self) -> bool {
        self.progress.declares_done()
            || self.progress.declares_finished()
            || !(self.metrics.is_empty() && self.rules.is_empty())
            || !(self.values.is_empty() && self.watched.is_empty())
    }

    /// The log itself decides which preset reads it.
    pub(super) fn is_auto(&self) -> bool {
        self.presets.len() > 1
    }

    /// The name of the only bar that counts, where the sweep gives one.
    pub(super) fn bar(&self) -> Option<&str> {
        self.bar.as_deref()
    }

    /// A preset of bars was declared, but not which bar is the work: any of them may be that of a part.
    pub(super) fn counts_any_bar(&self) -> bool {
        self.bar.is_none() && matches!(self.presets, [Preset { rank: PresetRank::Bar, .. }])
    }

    /// Progress that this preset reads counts: nothing declared is more certain.
    pub(super) fn counts(&self, preset: &Preset) -> bool {
        let counts_anything = match preset.rank {
            PresetRank::Open | PresetRank::Bar | PresetRank::Count => self.is_auto(),
            PresetRank::Manner | PresetRank::Program => false,
        };
        !(self.progress.declares_done() || counts_anything && self.has_file())
    }

    /// Returns the unit of the progress when this preset reads the log; an own pattern or a file may count anything.
    pub(super) fn unit(&self, preset: Option<&Preset>) -> &'static str {
        preset.filter(|preset| self.counts(preset)).map_or(self.progress.unit, |preset| preset.unit)
    }

    /// Progress read by this preset may be that of a part of the work only.
    pub(super) fn is_guess(&self, preset: &Preset) -> bool {
        match preset.rank {
            PresetRank::Open | PresetRank::Bar | PresetRank::Count => self.is_auto() && self.counts(preset),
            PresetRank::Manner | PresetRank::Program => false,
        }
    }

    /// Reports whether the values that this preset finds belong to the work that was declared, or are in the words of
    /// an evaluation.
    pub(super) fn notes_metrics(&self, preset: &Preset) -> bool {
        match preset.rank {
            PresetRank::Open | PresetRank::Count => !self.is_auto(),
            PresetRank::Bar | PresetRank::Manner | PresetRank::Program => true,
        }
    }
}

/// How often each pattern of a sweep matched in one log.
#[derive(Debug)]
pub(super) struct PatternCounts {
    pub(super) done: PatternUse,
    pub(super) finished: PatternUse,
    /// Parallel to the metrics of the rules.
    pub(super) metrics: Vec<PatternUse>,
}

impl PatternCounts {
    pub(super) fn of(rules: &LogRules) -> Self {
        let metrics = rules.metrics.iter().map(|_| PatternUse::default()).collect();
        Self { done: PatternUse::default(), finished: PatternUse::default(), metrics }
    }

    /// Lists what is wrong with the patterns after so many lines. A rule that never matches is the good case.
    pub(super) fn faults(&self, rules: &LogRules, lines: u64) -> Vec<PatternFault> {
        let done = || self.done.fault(DONE, Some("done"), lines);
        let finished = || self.finished.fault(FINISHED, Some("finished"), lines);
        let metrics = rules.metrics.iter().zip(&self.metrics);
        let metrics = metrics.filter_map(|(metric, used)| used.fault(&metric.place(), metric.group(), lines));
        let progress = &rules.progress;
        let done = progress.declares_done().then(done).flatten();
        let finished = progress.declares_finished().then(finished).flatten();
        done.into_iter().chain(finished).chain(metrics).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sweep::presets::PRESETS;

    fn error(progress: ProgressSpec, metrics: &[MetricSpec]) -> String {
        LogRules::compile(&progress, metrics, &[]).unwrap_err().to_string()
    }

    fn spec(preset: &str, done: Option<&str>) -> ProgressSpec {
        ProgressSpec { done: done.map(Into::into), ..ProgressSpec::of_preset(preset) }
    }

    #[test]
    fn an_unknown_preset_is_answered_with_the_known_ones() {
        let known = PRESETS.join(", ");
        assert_eq!(
            error(spec("isac", None), &[]),
            format!("[progress] preset: there is no preset `isac`; use one of {known}")
        );
    }

    #[test]
    fn a_pattern_without_its_group_is_refused() {
        assert_eq!(
            error(spec("auto", Some(r"Episode (\d+)")), &[]),
            r"[progress] done: `Episode (\d+)` has no group `done`; put `(?<done>…)` around the number"
        );
        let message = error(spec("auto", Some("(?<done>")), &[]);
        assert!(message.starts_with("[progress] done: `(?<done>` is not a regular expression"), "{message}");
    }
}
