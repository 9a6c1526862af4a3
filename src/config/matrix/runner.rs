//! Known programs and how each is given its slice: arguments that a sweep can take over or replace.

use std::sync::LazyLock;

use regex::Regex;
use toml::Spanned;

use crate::config::document::problem::{Problem, word_hint};
use crate::config::document::table::Table;
use crate::config::templates::quote::is_plain;
use crate::config::templates::shard::{ShardSection, TemplateField, TemplateRole};
use crate::model::sweep::command_template::CommandTemplate;
use crate::model::sweep::plan::SliceUnit;

/// Pattern of the place of the arguments in a command.
static PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\{\{-?\s*shard\.arguments\s*-?\}\}").expect("the pattern is a constant"));

/// How a program counts its episodes when it is given a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::config) enum EpisodeCounting {
    /// Up from the first one: slices are contiguous.
    Up,
    /// The program deals the episodes out itself.
    Dealt,
}

/// A program and its rule.
struct Runner {
    name: &'static str,
    unit: SliceUnit,
    counting: EpisodeCounting,
    arguments: &'static [&'static str],
}

const RUNNERS: [Runner; 4] = [
    // Episode i of a process has the seed `--seed` + i, whatever its batch size.
    Runner {
        name: "lerobot-eval",
        unit: SliceUnit::Episodes,
        counting: EpisodeCounting::Up,
        arguments: &[
            "--eval.n_episodes={{ shard.episodes }}",
            "--seed={{ shard.seed }}",
            "--output_dir={{ out }}",
        ],
    },
    // The first states of LIBERO follow the number of the sub-environment, so every process begins with the same ones.
    Runner {
        name: "lerobot-eval",
        unit: SliceUnit::Tasks,
        counting: EpisodeCounting::Up,
        arguments: &["--env.task_ids=[{{ shard.ids }}]", "--seed={{ shard.seed }}", "--output_dir={{ out }}"],
    },
    Runner {
        name: "vla-eval",
        unit: SliceUnit::Episodes,
        counting: EpisodeCounting::Dealt,
        arguments: &["--shard-id={{ shard.index }}", "--num-shards={{ shard.count }}"],
    },
    Runner {
        name: "isaac-eval",
        unit: SliceUnit::Episodes,
        counting: EpisodeCounting::Up,
        arguments: &[
            "--num_episodes={{ shard.episodes }}",
            "--seed={{ shard.seed }}",
            "--output_dir={{ out }}",
        ],
    },
];

/// Programs that always begin with the first episode, so that no argument makes a slice of them.
const UNSLICED: [(&str, &str); 2] =
    [("openvla", "`--task_suite_name {{ suite }}`"), ("openpi", "`--args.task-suite-name {{ suite }}`")];

/// The rule of a sweep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::config) struct SliceRule {
    /// The arguments, each a template.
    arguments: Vec<String>,
    /// Unit that slices are made of.
    pub(in crate::config) unit: SliceUnit,
    /// Name of the program, which decides how slices are cut, and how it counts; `None` if the sweep names no
    /// program.
    pub(in crate::config) counting: Option<(&'static str, EpisodeCounting)>,
}

/// Reads `over`, `runner` and `arguments` of `[episodes]`.
pub(in crate::config) fn read_slice_rule(table: &Table<'_>) -> SliceRule {
    let units = [("episodes", SliceUnit::Episodes), ("tasks", SliceUnit::Tasks)];
    let unit = table.get_choice("over", &units).unwrap_or_default();
    let own: Vec<String> = table.get_strings("arguments").into_iter().map(Spanned::into_inner).collect();
    let Some(name) = table.get_string("runner") else {
        return SliceRule { arguments: own, unit, counting: None };
    };
    let mut named = RUNNERS.iter().filter(|runner| runner.name == name.get_ref()).peekable();
    if named.peek().is_none() {
        table.sink().add(unknown_runner(&name));
        return SliceRule::default();
    }
    let Some(runner) = named.find(|runner| runner.unit == unit) else {
        let message = format!("`{}` cannot be given some of its tasks", name.get_ref());
        table.sink().add(Problem::new(name.span(), message).with_hint("leave `over` out"));
        return SliceRule::default();
    };
    let usual = runner.arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let arguments = if table.get("arguments").is_some() { own } else { usual };
    SliceRule { arguments, unit, counting: Some((runner.name, runner.counting)) }
}

fn unknown_runner(name: &Spanned<String>) -> Problem {
    if let Some((program, argument)) = UNSLICED.iter().find(|(program, _)| program == name.get_ref()) {
        let message =
            format!("`{program}` begins every task with its first episode: no argument makes a slice of it");
        let hint = format!("make suites or tasks an axis of `[matrix]`, such as {argument}");
        return Problem::new(name.span(), message).with_hint(hint);
    }
    let mut names: Vec<&str> = RUNNERS.iter().map(|runner| runner.name).collect();
    names.dedup();
    Problem::new(name.span(), format!("the runner `{}` is not known", name.get_ref()))
        .with_hint(format!("{}; or give `arguments` yourself", word_hint(name.get_ref(), &names)))
}

impl SliceRule {
    /// Puts the arguments where the command has `{{ shard.arguments }}`.
    pub(in crate::config) fn insert_arguments(&self, table: &Table<'_>, section: &mut ShardSection) {
        if self.arguments.is_empty() {
            return;
        }
        let shell = self.arguments.iter().map(|argument| for_shell(argument)).collect::<Vec<_>>().join(" ");
        let mut placed = false;
        let mut fields = Vec::new();
        for field in section.fields.drain(..) {
            let is_place = PLACE.is_match(field.text.get_ref());
            placed |= is_place;
            let span = field.text.span();
            let own =
                |text: String| TemplateField { role: field.role, text: Spanned::new(span.clone(), text) };
            match field.role {
                TemplateRole::Command if is_place => {
                    let text = PLACE.replace_all(field.text.get_ref(), regex::NoExpand(&shell));
                    fields.push(own(text.into_owned()));
                }
                TemplateRole::Argument if is_place => fields.extend(self.arguments.iter().cloned().map(own)),
                TemplateRole::Id
                | TemplateRole::Expected
                | TemplateRole::Need
                | TemplateRole::Cwd
                | TemplateRole::Setup
                | TemplateRole::Command
                | TemplateRole::Argument
                | TemplateRole::Env
                | TemplateRole::Artifact
                | TemplateRole::ProgressFile
                | TemplateRole::ResultFile => fields.push(field),
            }
        }
        section.fields = fields;
        section.template.command = of_fields(&section.fields, &section.template.command);
        if !placed {
            let place = table.get("runner").or_else(|| table.get("arguments"));
            let span = place.map_or(table.span(), |place| place.span());
            let message = "the command does not say where the arguments of a shard go";
            table.sink().add(Problem::new(span, message).with_hint("write `{{ shard.arguments }}` in it"));
        }
    }
}

/// The command again, from fields that were changed.
fn of_fields(fields: &[TemplateField], before: &CommandTemplate) -> CommandTemplate {
    let texts =
        |role| fields.iter().filter(move |field| field.role == role).map(|field| field.text.get_ref());
    match before {
        CommandTemplate::Shell(text) => {
            CommandTemplate::Shell(texts(TemplateRole::Command).next().unwrap_or(text).clone())
        }
        CommandTemplate::Arguments(_) => {
            CommandTemplate::Arguments(texts(TemplateRole::Argument).cloned().collect())
        }
    }
}

/// In quotes where a shell would read more than a word outside of `{{ … }}`.
fn for_shell(argument: &str) -> String {
    static EXPRESSION: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\{\{.*?\}\}").expect("the pattern is a constant"));
    let fixed = EXPRESSION.replace_all(argument, "");
    let is_word = fixed.is_empty() || is_plain(&fixed);
    if is_word { argument.to_owned() } else { format!("\"{argument}\"") }
}
