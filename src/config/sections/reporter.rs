//! `reporter` of `[results]`: the command after the last shard, with the setup of the shards and in their folder unless
//! set otherwise.

use std::ops::Range;

use toml::Spanned;
use toml::de::DeValue;

use crate::config::document::problem::Problem;
use crate::config::document::table::Table;
use crate::config::templates::names::{self, TemplateNames};
use crate::config::templates::shard::{TemplateField, TemplateRole};
use crate::config::templates::template::undeclared_names as names_in;
use crate::config::templates::template::{RenderTarget, template_environment};
use crate::model::results::results_spec::Reporter;
use crate::model::sweep::shard_template::ShardTemplate;

/// Reads `reporter` of `[results]`: a command, or a table of `command`, `cwd` and `setup`.
pub(in crate::config) fn read_reporter(
    results: &Table<'_>,
    template: &ShardTemplate,
    document: &str,
) -> Option<Reporter> {
    let value = results.get("reporter")?;
    let written = match value.get_ref() {
        DeValue::Table(_) => read_reporter_table(&results.get_table("reporter"))?,
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_) => {
            ReporterKeys { command: results.get_string("reporter")?, cwd: None, setup: None }
        }
    };
    let check = |role, text: Spanned<String>| {
        let field = TemplateField { role, text };
        names::check_field(&field, &TemplateNames::for_reporter(), document, results.sink());
        field.text.into_inner()
    };
    let cwd = match written.cwd {
        Some(cwd) => check(TemplateRole::Cwd, cwd),
        // A folder that differs from shard to shard is that of none.
        None => Some(template.cwd.clone()).filter(|cwd| is_constant(cwd)).unwrap_or_else(|| ".".to_owned()),
    };
    let setup = match written.setup {
        Some(steps) => steps.into_iter().map(|step| check(TemplateRole::Setup, step)).collect(),
        None => {
            refuse_steps_of_combos(template, value.span(), results);
            template.setup.clone()
        }
    };
    Some(Reporter { command: check(TemplateRole::Command, written.command), cwd, setup })
}

/// The keys as the sweep has them.
struct ReporterKeys {
    command: Spanned<String>,
    cwd: Option<Spanned<String>>,
    setup: Option<Vec<Spanned<String>>>,
}

fn read_reporter_table(table: &Table<'_>) -> Option<ReporterKeys> {
    let command = table.get_string("command");
    if table.get("command").is_none() {
        table.report_missing("command", "the line for bash that makes the report");
    }
    let setup = table.get("setup").map(|_| table.get_strings("setup"));
    let cwd = table.get_string("cwd");
    table.report_unknown_keys();
    Some(ReporterKeys { command: command?, cwd, setup })
}

/// The reporter runs once, so that it has no combo.
fn refuse_steps_of_combos(template: &ShardTemplate, span: Range<usize>, results: &Table<'_>) {
    let Some(step) = template.setup.iter().find(|step| !is_constant(step)) else { return };
    let message = format!("the reporter has no combo, and the setup step `{step}` is another one for each");
    let hint = "give it steps of its own: reporter = { command = \"…\", setup = [] }";
    results.sink().add(Problem::new(span, message).with_hint(hint));
}

fn is_constant(template: &str) -> bool {
    // A template that cannot be read is reported where it is defined.
    names_in(&template_environment(RenderTarget::Direct), template).is_ok_and(|names| names.is_empty())
}
