//! `[results]` and `[engine]`: what is made of the results, and where attempts run.

use toml::Spanned;

use super::reporter;
use crate::config::document::problem::{Problem, word_hint};
use crate::config::document::table::Table;
use crate::config::templates::shard::{ShardSection, TemplateField, TemplateRole};
use crate::model::key_path::KeyPath;
use crate::model::results::results_spec::{Merge, MergeRule, MergeWay, ResultsSpec, RowMeaning};
use crate::model::step_count::StepCount;

/// Reads `[results]`; the file it names joins the templates of the shards.
pub(in crate::config) fn read_results(
    root: &Table<'_>,
    document: &str,
    section: &mut ShardSection,
) -> ResultsSpec {
    let table = root.get_table("results");
    let words = [
        ("none", Merge::None),
        ("lerobot", Merge::Lerobot),
        ("jsonl", Merge::Jsonl),
        ("csv", Merge::Csv),
        ("json", Merge::Json),
    ];
    let merge = table.get_choice("merge", &words).unwrap_or(Merge::None);
    let rows = table
        .get_choice("rows", &[("episodes", RowMeaning::Episodes), ("any", RowMeaning::Any)])
        .unwrap_or_default();
    let rules = read_merge_rules(&table);
    let reporter = reporter::read_reporter(&table, &section.template, document);
    let steps = read_steps(&table);
    let fields = &mut section.fields;
    let mut own = |text: Option<Spanned<String>>| {
        let text = text?;
        let template = text.get_ref().clone();
        fields.push(TemplateField { role: TemplateRole::ResultFile, text });
        Some(template)
    };
    let file = own(table.get_string("file"));
    let merge_file = own(table.get_string("merge_file"));
    only_with(&table, "merge_file", merge != Merge::None, "a way to merge, such as `merge = \"jsonl\"`");
    only_with(&table, "rows", matches!(merge, Merge::Jsonl | Merge::Csv), "`merge = \"jsonl\"` or `\"csv\"`");
    only_with(&table, "rules", merge == Merge::Json, "`merge = \"json\"`");
    table.report_unknown_keys();
    ResultsSpec { file, merge, merge_file, rows, rules, steps, reporter }
}

/// Numbers of steps; the report gives how long each takes.
fn read_steps(table: &Table<'_>) -> Vec<StepCount> {
    let mut counts = Vec::new();
    for text in table.numbers_or_texts("steps") {
        match text.get_ref().parse() {
            Ok(count) => counts.push(count),
            Err(error) => {
                let hint = "write the number with k, M or G, such as \"34M\"";
                table.sink().add(Problem::new(text.span(), format!("`steps`: {error}")).with_hint(hint));
            }
        }
    }
    counts
}

/// A key without effect unless another one is set was meant to have one.
fn only_with(table: &Table<'_>, key: &'static str, is_used: bool, needs: &str) {
    if let Some(value) = table.get(key).filter(|_| !is_used) {
        table.sink().add(Problem::new(value.span(), format!("`{key}` needs {needs}")));
    }
}

/// `[results.rules]`: what becomes of the values at each path.
fn read_merge_rules(table: &Table<'_>) -> Vec<MergeRule> {
    let rules = table.get_table("rules");
    let mut read = Vec::new();
    for (key, span, value) in rules.entries() {
        let Some(word) = value.get_ref().as_str() else {
            rules.sink().add(Problem::new(value.span(), format!("the rule of `{key}` must be a word")));
            continue;
        };
        match (key.parse::<KeyPath>(), parse_merge_way(word)) {
            (Ok(key), Ok(way)) => read.push(MergeRule { key, way }),
            (Err(error), _) => rules.sink().add(Problem::new(span, format!("`{key}` {error}"))),
            (_, Err(hint)) => {
                let message = format!("`{word}` is no rule");
                rules.sink().add(Problem::new(value.span(), message).with_hint(hint));
            }
        }
    }
    read
}

fn parse_merge_way(word: &str) -> Result<MergeWay, String> {
    if let Some(path) = word.strip_prefix("mean by ") {
        let weight =
            path.trim().parse::<KeyPath>().map_err(|error| format!("the path after `by` {error}"))?;
        return Ok(MergeWay::Mean { weight: Some(weight) });
    }
    let words = [
        ("same", MergeWay::Same),
        ("first", MergeWay::First),
        ("list", MergeWay::List),
        ("episodes", MergeWay::Episodes),
        ("join", MergeWay::Join),
        ("sum", MergeWay::Sum),
        ("min", MergeWay::Min),
        ("max", MergeWay::Max),
        ("mean", MergeWay::Mean { weight: None }),
    ];
    let names: Vec<&str> = words.iter().map(|(name, _)| *name).chain(["mean by PATH"]).collect();
    let found = words.into_iter().find(|(name, _)| *name == word).map(|(_, way)| way);
    found.ok_or_else(|| word_hint(word, &names))
}

/// Reads `[engine]`: there is one kind so far.
pub(in crate::config) fn check_engine(root: &Table<'_>) {
    let table = root.get_table("engine");
    if let Some(kind) = table.get_string("kind").filter(|kind| kind.get_ref() != "local") {
        let message = format!("the engine `{}` is not available yet", kind.get_ref());
        table
            .sink()
            .add(Problem::new(kind.span(), message).with_hint("use `local`, or leave `[engine]` out"));
    }
    table.report_unknown_keys();
}
