//! The built-in rules: what each means unless the sweep says otherwise, and the words for it.

use crate::model::sweep::rule::{BuiltInRule, RuleSpec};
use crate::progress::format::{Preset, PresetRank};
use crate::progress::remarks::RemarkSeverity;

/// Severity of each built-in rule in one run.
#[derive(Debug, Clone)]
pub struct BuiltInRules {
    meanings: [Option<RemarkSeverity>; BuiltInRule::ALL.len()],
}

impl BuiltInRules {
    /// The built-in meanings, changed by what the sweep says; a later rule wins.
    pub fn changed_by(rules: &[RuleSpec]) -> Self {
        let mut meanings = BuiltInRule::ALL.map(|rule| Some(usual(rule)));
        for rule in rules {
            match rule {
                RuleSpec::Own(_) => {}
                RuleSpec::BuiltIn(change) => {
                    meanings[change.name as usize] = change.verdict.verdict().map(RemarkSeverity::from);
                }
            }
        }
        Self { meanings }
    }

    /// Returns the severity of the rule; nothing when it is switched off.
    pub fn meaning(&self, rule: BuiltInRule) -> Option<RemarkSeverity> {
        self.meanings[rule as usize]
    }
}

/// Dropped contacts, frozen bodies and numbers that are none cannot belong to a right result, and where no episode ran
/// to its end there is none. The others have innocent explanations too.
fn usual(rule: BuiltInRule) -> RemarkSeverity {
    match rule {
        BuiltInRule::PhysxOverflow
        | BuiltInRule::PhysxFailure
        | BuiltInRule::Nan
        | BuiltInRule::OnlyErrors => RemarkSeverity::Invalid,
        BuiltInRule::UnstablePhysics
        | BuiltInRule::ConstantOutcome
        | BuiltInRule::NeverMoved
        | BuiltInRule::EpisodeErrors => RemarkSeverity::Warning,
    }
}

/// Reports whether the metrics of this preset are results: one that is not a number spoils them. What a bar shows next
/// to its count may be anything.
pub fn reads_results(preset: &Preset) -> bool {
    match preset.rank {
        PresetRank::Program | PresetRank::Manner | PresetRank::Count => true,
        PresetRank::Open | PresetRank::Bar => false,
    }
}
