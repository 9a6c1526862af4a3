//! Templates that leave an axis unused, or name one in single braces.

use super::finding::{Finding, FindingSeverity};
use crate::config::templates::template_use::{Doubt, find_doubts};
use crate::model::sweep::plan::Plan;

/// Warns of each: the run would work, and do the same again and again.
pub(super) fn inspect(plan: &Plan) -> Vec<Finding> {
    let finding =
        |doubt: Doubt| Finding::new(FindingSeverity::Warning, "axis", doubt.message).with_hint(doubt.hint);
    find_doubts(plan).into_iter().map(finding).collect()
}
