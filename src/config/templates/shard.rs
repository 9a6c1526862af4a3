//! `[shard]`: what each shard runs, as templates with their places in the file.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::DeValue;

use super::template::RenderTarget;
use crate::config::document::problem::Problem;
use crate::config::document::scalar::{scalar_value, type_name};
use crate::config::document::table::Table;
use crate::model::sweep::command_template::CommandTemplate;
use crate::model::sweep::resume::Resume;
use crate::model::sweep::shard_template::ShardTemplate;

/// Purpose of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::config) enum TemplateRole {
    Id,
    Expected,
    /// A value of `[resources]` or `[schedule]`.
    Need,
    Cwd,
    Setup,
    Command,
    Argument,
    Env,
    Artifact,
    ProgressFile,
    ResultFile,
}

impl TemplateRole {
    /// Returns who reads the rendered text.
    pub(in crate::config) fn reader(self) -> RenderTarget {
        match self {
            Self::Setup | Self::Command => RenderTarget::Shell,
            Self::Id
            | Self::Expected
            | Self::Need
            | Self::Cwd
            | Self::Argument
            | Self::Env
            | Self::Artifact
            | Self::ProgressFile
            | Self::ResultFile => RenderTarget::Direct,
        }
    }

    /// Whether it must be known before any attempt starts.
    pub(in crate::config) fn is_early(self) -> bool {
        matches!(self, Self::Id | Self::Expected | Self::Need)
    }

    /// Names the kind of file, if it is one that no two shards may share.
    pub(in crate::config) fn own_file(self) -> Option<&'static str> {
        match self {
            Self::Artifact => Some("artifact"),
            Self::ProgressFile => Some("progress file"),
            Self::ResultFile => Some("result file"),
            Self::Id
            | Self::Expected
            | Self::Need
            | Self::Cwd
            | Self::Setup
            | Self::Command
            | Self::Argument
            | Self::Env => None,
        }
    }
}

/// Template of the sweep with its place in the file.
#[derive(Debug, Clone)]
pub(in crate::config) struct TemplateField {
    pub(in crate::config) role: TemplateRole,
    pub(in crate::config) text: Spanned<String>,
}

/// The table as read.
#[derive(Debug)]
pub(in crate::config) struct ShardSection {
    pub(in crate::config) template: ShardTemplate,
    pub(in crate::config) fields: Vec<TemplateField>,
    /// `resume = true`: an attempt continues in the folder of the first one.
    pub(in crate::config) resumes_in_place: bool,
}

impl ShardSection {
    pub(in crate::config) fn field(&self, role: TemplateRole) -> Option<&TemplateField> {
        self.fields.iter().find(|field| field.role == role)
    }
}

/// Names every attempt is found by; a sweep cannot change them.
pub(in crate::config) const OWN_NAMES: [&str; 3] = ["SWEEPDECK_RUN", "SWEEPDECK_SHARD", "SWEEPDECK_ATTEMPT"];

/// Reads the table; the command is the only required key.
pub(in crate::config) fn read_shard(root: &Table<'_>) -> ShardSection {
    let table = root.get_table("shard");
    let mut fields = Vec::new();
    let mut one = |role, text: Option<Spanned<String>>| {
        text.map(|text| add_field(&mut fields, role, text)).filter(|text| !text.is_empty())
    };
    one(TemplateRole::Id, table.get_string("id"));
    one(TemplateRole::Expected, table.get_string("expected"));
    let cwd = one(TemplateRole::Cwd, table.get_string("cwd")).unwrap_or_else(|| ".".to_owned());
    let mut many = |role, texts: Vec<Spanned<String>>| -> Vec<String> {
        texts.into_iter().map(|text| add_field(&mut fields, role, text)).collect()
    };
    let setup = many(TemplateRole::Setup, table.get_strings("setup"));
    let artifacts = many(TemplateRole::Artifact, table.get_strings("artifacts"));
    let command = read_command(&table, &mut fields);
    let env = read_environment(&table, &mut fields);
    let secret = read_secrets(&table, &env);
    let resumes_in_place = table.get_flag("resume").unwrap_or(false);
    table.report_unknown_keys();
    let (needs, resume) = (BTreeMap::new(), Resume::default());
    let template = ShardTemplate { cwd, setup, command, env, artifacts, secret, needs, resume };
    ShardSection { template, fields, resumes_in_place }
}

pub(in crate::config) fn add_field(
    fields: &mut Vec<TemplateField>,
    role: TemplateRole,
    text: Spanned<String>,
) -> String {
    let template = text.get_ref().clone();
    fields.push(TemplateField { role, text });
    template
}

/// Advice where a command is missing or none.
pub(in crate::config) const COMMAND_HINT: &str = "such as `command = \"python eval.py\"`, for bash; an array of program and arguments runs without a shell";

/// The command of a shard or of a service.
pub(in crate::config) fn read_command(table: &Table<'_>, fields: &mut Vec<TemplateField>) -> CommandTemplate {
    let Some(value) = table.get("command") else {
        table.report_missing("command", COMMAND_HINT);
        return CommandTemplate::Arguments(Vec::new());
    };
    match value.get_ref() {
        DeValue::String(text) if !text.trim().is_empty() => {
            let text = Spanned::new(value.span(), text.clone().into_owned());
            CommandTemplate::Shell(add_field(fields, TemplateRole::Command, text))
        }
        DeValue::Array(items) if !items.is_empty() => {
            let texts = table.get_strings("command").into_iter();
            CommandTemplate::Arguments(
                texts.map(|text| add_field(fields, TemplateRole::Argument, text)).collect(),
            )
        }
        DeValue::String(_) | DeValue::Array(_) => {
            table.sink().add(Problem::new(value.span(), "`command` is empty").with_hint(COMMAND_HINT));
            CommandTemplate::Arguments(Vec::new())
        }
        other => {
            let message =
                format!("`command` must be a string or an array of strings, not {}", type_name(other));
            table.sink().add(Problem::new(value.span(), message).with_hint(COMMAND_HINT));
            CommandTemplate::Arguments(Vec::new())
        }
    }
}

/// The variables of a shard or of a service.
pub(in crate::config) fn read_environment(
    table: &Table<'_>,
    fields: &mut Vec<TemplateField>,
) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::new();
    for (name, span, value) in table.get_table("env").entries() {
        if name.is_empty() || name.contains(['=', '\0']) {
            table.sink().add(Problem::new(span, format!("`{name}` cannot be the name of a variable")));
        } else if OWN_NAMES.contains(&name) {
            let hint = "sweepdeck finds the processes of an attempt by it";
            table.sink().add(Problem::new(span, format!("`{name}` is set for each attempt")).with_hint(hint));
        } else if let Some(scalar) = scalar_value(value.get_ref()) {
            let text = Spanned::new(value.span(), scalar.to_string());
            variables.insert(name.to_owned(), add_field(fields, TemplateRole::Env, text));
        } else {
            let message = format!("`{name}` must be a string, not {}", type_name(value.get_ref()));
            table.sink().add(Problem::new(value.span(), message));
        }
    }
    variables
}

/// Reads the names of secrets. A secret comes from the environment of the user who starts the run; written in `env` it
/// would be in the copy of the sweep.
fn read_secrets(table: &Table<'_>, env: &BTreeMap<String, String>) -> Vec<String> {
    let mut names = Vec::new();
    for name in table.get_strings("secret") {
        if env.contains_key(name.get_ref()) {
            let message =
                format!("the secret `{}` has its value in `env`, where every reader sees it", name.get_ref());
            let hint = "remove it from `env` and export it before the run; its name in `secret` stays";
            table.sink().add(Problem::new(name.span(), message).with_hint(hint));
        }
        names.push(name.into_inner());
    }
    names
}
