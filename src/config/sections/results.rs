//! `[results]` and `[engine]`: what is made of the results, and where attempts run.

use toml::Spanned;

use super::reporter;
use crate::config::document::problem::{Problem, word_hint};
use crate::config::document::table::Table;
use crate::config::templates::shard::{Field, Role, ShardSection};
use crate::model::key_path::KeyPath;
use crate::model::logs::step_count::StepCount;
use crate::model::results::results_spec::{Merge, MergeRule, MergeWay, ResultsSpec, Rows};

/// Reads `[results]`; the file it names joins the templates of the shards.
pub(in crate::config) fn read(root: &Table<'_>, document: &str, section: &mut ShardSection) -> ResultsSpec {
    let table = root.table("results");
    let words = [
        ("none", Merge::None),
        ("lerobot", Merge::Lerobot),
        ("jsonl", Merge::Jsonl),
        ("csv", Merge::Csv),
        ("json", Merge::Json),
    ];
    let merge = table.choice("merge", &words).unwrap_or(Merge::None);
    let rows = table.choice("rows", &[("episodes", Rows::Episodes), ("any", Rows::Any)]).unwrap_or_default();
    let rules = rules(&table);
    let reporter = reporter::read(&table, &section.template, document);
    let steps = steps(&table);
    let fields = &mut section.fields;
    let mut own = |text: Option<Spanned<String>>| {
        let text = text?;
        let template = text.get_ref().clone();
        fields.push(Field { role: Role::ResultFile, text });
        Some(template)
    };
    let file = own(table.text("file"));
    let merge_file = own(table.text("merge_file"));
    only_with(&table, "merge_file", merge != Merge::None, "a way to merge, such as `merge = \"jsonl\"`");
    only_with(&table, "rows", matches!(merge, Merge::Jsonl | Merge::Csv), "`merge = \"jsonl\"` or `\"csv\"`");
    only_with(&table, "rules", merge == Merge::Json, "`merge = \"json\"`");
    table.finish();
    ResultsSpec { file, merge, merge_file, rows, rules, steps, reporter }
}

/// Numbers of steps of which the report says how long they take.
fn steps(table: &Table<'_>) -> Vec<StepCount> {
    let mut counts = Vec::new();
    for text in table.numbers_or_texts("steps") {
        match text.get_ref().parse() {
            Ok(count) => counts.push(count),
            Err(error) => {
                let hint = "write the number with k, M or G, such as \"34M\"";
                table.sink().add(Problem::new(text.span(), format!("`steps`: {error}")).hint(hint));
            }
        }
    }
    counts
}

/// A key that says nothing without another one was meant to say something.
fn only_with(table: &Table<'_>, key: &'static str, is_used: bool, needs: &str) {
    if let Some(value) = table.get(key).filter(|_| !is_used) {
        table.sink().add(Problem::new(value.span(), format!("`{key}` needs {needs}")));
    }
}

/// `[results.rules]`: what becomes of the values at each path.
fn rules(table: &Table<'_>) -> Vec<MergeRule> {
    let rules = table.table("rules");
    let mut read = Vec::new();
    for (key, span, value) in rules.entries() {
        let Some(word) = value.get_ref().as_str() else {
            rules.sink().add(Problem::new(value.span(), format!("the rule of `{key}` must be a word")));
            continue;
        };
        match (key.parse::<KeyPath>(), way(word)) {
            (Ok(key), Ok(way)) => read.push(MergeRule { key, way }),
            (Err(error), _) => rules.sink().add(Problem::new(span, format!("`{key}` {error}"))),
            (_, Err(hint)) => {
                let message = format!("`{word}` is no rule");
                rules.sink().add(Problem::new(value.span(), message).hint(hint));
            }
        }
    }
    read
}

fn way(word: &str) -> Result<MergeWay, String> {
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
pub(in crate::config) fn engine(root: &Table<'_>) {
    let table = root.table("engine");
    if let Some(kind) = table.text("kind").filter(|kind| kind.get_ref() != "local") {
        let message = format!("the engine `{}` is not available yet", kind.get_ref());
        table.sink().add(Problem::new(kind.span(), message).hint("use `local`, or leave `[engine]` out"));
    }
    table.finish();
}
