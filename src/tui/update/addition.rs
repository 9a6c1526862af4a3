//! Further values of an axis, as they are typed: what they would bring, or what is wrong with them.

use crate::config::growth::read_values;
use crate::model::command::Command;
use crate::model::sweep::expansion::Expansion;
use crate::model::sweep::plan::Plan;
use crate::tui::format::plural;
use crate::tui::model::overlays::form::{FieldKind, Form, FormField, FormPreview};

/// A line for each axis; empty if the run takes no further values.
pub fn axis_fields(plan: &Plan) -> Vec<FormField> {
    let axes = plan.expansion.iter().flat_map(|expansion| &expansion.axes);
    axes.map(|axis| FormField::new(FieldKind::Axis(axis.name.clone()), String::new(), None)).collect()
}

/// Returns the outlook of the addition: the error, or the shards it would add.
pub fn preview_addition(plan: &Plan, form: &Form) -> FormPreview {
    let outlook = FormPreview { known: known_values(plan, form), ..FormPreview::default() };
    match typed_values(form) {
        None => outlook,
        Some(Err(error)) => FormPreview { error: Some(error), ..outlook },
        Some(Ok((axis, text))) => match read_values(plan, axis, &[text.to_owned()]) {
            Err(error) => FormPreview { error: Some(error.to_string()), ..outlook },
            Ok(values) => {
                let listed: Vec<String> = values.iter().map(ToString::to_string).collect();
                let most = count_combos(plan.expansion.as_ref(), axis).saturating_mul(values.len());
                let change = format!("{axis} + {}: up to {}", listed.join(", "), plural(most, "new combo"));
                FormPreview { changes: vec![change], ..outlook }
            }
        },
    }
}

/// The command that adds what is typed; `None` where nothing is, or something is wrong with it.
pub fn build_command(plan: &Plan, form: &Form) -> Option<Command> {
    let (axis, text) = typed_values(form)?.ok()?;
    let values = read_values(plan, axis, &[text.to_owned()]).ok()?;
    let values = values.iter().map(ToString::to_string).collect();
    Some(Command::AddValues { axis: axis.to_owned(), values })
}

/// The axis that something is typed for, and what; one at a time.
fn typed_values(form: &Form) -> Option<Result<(&str, &str), String>> {
    let typed = |field: &'_ FormField| !field.text.trim().is_empty();
    let mut filled = form.fields.iter().filter(|field| typed(field)).filter_map(|field| match &field.kind {
        FieldKind::Axis(name) => Some((name.as_str(), field.text.as_str())),
        FieldKind::Setting(_) | FieldKind::Variable(_) | FieldKind::Environment(_) | FieldKind::More => None,
    });
    let first = filled.next()?;
    Some(match filled.next() {
        None => Ok(first),
        Some(_) => Err("add to one axis after the other: the second brings the combos of both".to_owned()),
    })
}

/// The values that the axis of the line under the cursor has.
fn known_values(plan: &Plan, form: &Form) -> Option<String> {
    let FieldKind::Axis(name) = &form.fields.get(form.at)?.kind else { return None };
    let axis = plan.expansion.as_ref()?.axis(name)?;
    let values: Vec<String> = axis.values.iter().map(ToString::to_string).collect();
    Some(if values.is_empty() { "no values yet".to_owned() } else { values.join(", ") })
}

/// How many combos one value of the axis has at most.
fn count_combos(expansion: Option<&Expansion>, axis: &str) -> usize {
    let others = expansion.iter().flat_map(|expansion| &expansion.axes).filter(|other| other.name != axis);
    others.map(|other| other.values.len()).fold(1, usize::saturating_mul)
}
