//! `[commands]` of the settings and of a sweep: commands of the user's own on a row of the dashboard.

use std::path::PathBuf;

use minijinja::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::document::problem::Problem;
use crate::config::document::scalar::type_name;
use crate::config::document::table::{Sink, Table};
use crate::config::document::written::SpannedWord;
use crate::config::templates::names::{self, TemplateNames, problem_of};
use crate::config::templates::program_path::ProgramPath;
use crate::config::templates::shard::{COMMAND_HINT, TemplateField, TemplateRole};
use crate::config::templates::template::{Context, RenderTarget, render_template, template_environment};
use crate::config::templates::variables::{OWN_COMMAND_NAMES, gpu_list};
use crate::model::ids::{AttemptNumber, GpuIndex, ShardId};
use crate::model::sweep::command_template::CommandTemplate;
use crate::model::sweep::own_command::{CommandMode, OwnCommand};

/// A command with the places of its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenCommand {
    /// Command as the user wrote it.
    pub command: OwnCommand,
    /// The word of its key.
    pub key: Option<SpannedWord>,
}

/// The commands of a sweep with their places; `plan::read_plan` reports their other errors.
pub fn of_sweep(source: &str) -> Vec<WrittenCommand> {
    let (document, _) = DeTable::parse_recoverable(source);
    let sink = Sink::default();
    read_commands(&Table::root(&document, &sink), source)
}

/// Reads `[commands]`. One with a mistake is left out.
pub(in crate::config) fn read_commands(root: &Table<'_>, document: &str) -> Vec<WrittenCommand> {
    let table = root.get_table("commands");
    let mut commands = Vec::new();
    for (name, span, _) in table.entries() {
        if name.trim().is_empty() {
            table
                .sink()
                .add(Problem::new(span, "a command needs a name").with_hint("such as `[commands.nvtop]`"));
            continue;
        }
        commands.extend(table.named_table(name).and_then(|row| read_one(name, &row, document)));
    }
    commands
}

fn read_one(name: &str, row: &Table<'_>, document: &str) -> Option<WrittenCommand> {
    let fields = read_fields(row);
    let key = row.get_string("key").map(|key| SpannedWord { text: key.get_ref().clone(), span: key.span() });
    let confirm = row.get_flag("confirm").unwrap_or(false);
    let modes = [
        ("foreground", CommandMode::Foreground),
        ("wait", CommandMode::Wait),
        ("background", CommandMode::Background),
    ];
    let mode = row.get_choice("mode", &modes).unwrap_or_default();
    row.report_unknown_keys();
    let fields = fields?;
    // Collected first, because `all` alone would stop at the first bad template.
    let sound: Vec<bool> = fields.iter().map(|field| is_sound(field, document, row.sink())).collect();
    if sound.contains(&false) {
        return None;
    }
    let template = |field: &TemplateField| field.text.get_ref().clone();
    let command = match fields.as_slice() {
        [only] if only.role == TemplateRole::Command => CommandTemplate::Shell(template(only)),
        several => CommandTemplate::Arguments(several.iter().map(template).collect()),
    };
    let written = key.as_ref().map(|key| key.text.clone());
    Some(WrittenCommand {
        command: OwnCommand { name: name.to_owned(), key: written, command, mode, confirm },
        key,
    })
}

/// The templates of the command with their places: one text for `bash`, or the words of a program.
fn read_fields(row: &Table<'_>) -> Option<Vec<TemplateField>> {
    let Some(value) = row.get("command") else {
        row.report_missing("command", COMMAND_HINT);
        return None;
    };
    let field = |role, text| TemplateField { role, text };
    match value.get_ref() {
        DeValue::String(text) if !text.trim().is_empty() => {
            Some(vec![field(TemplateRole::Command, Spanned::new(value.span(), text.clone().into_owned()))])
        }
        DeValue::Array(items) if !items.is_empty() => {
            let texts = row.get_strings("command");
            let is_whole = texts.len() == items.len();
            is_whole.then(|| texts.into_iter().map(|text| field(TemplateRole::Argument, text)).collect())
        }
        DeValue::String(_) | DeValue::Array(_) => {
            row.sink().add(Problem::new(value.span(), "`command` is empty").with_hint(COMMAND_HINT));
            None
        }
        other => {
            let message =
                format!("`command` must be a string or an array of strings, not {}", type_name(other));
            row.sink().add(Problem::new(value.span(), message).with_hint(COMMAND_HINT));
            None
        }
    }
}

/// Whether the template knows its names and renders; otherwise the sink has the reason.
fn is_sound(field: &TemplateField, document: &str, sink: &Sink) -> bool {
    if !names::check_field(field, &TemplateNames::own_command(), document, sink) {
        return false;
    }
    let row = RowValues {
        id: ShardId::new("shard").ok(),
        run_dir: PathBuf::from("/run"),
        attempt: Some(AttemptValues {
            number: AttemptNumber::FIRST,
            out: PathBuf::from("/run/out"),
            log: PathBuf::from("/run/output.log"),
            gpus: vec![GpuIndex(0)],
        }),
        pid: Some(1),
    };
    match render_template(&template_environment(field.role.reader()), field.text.get_ref(), &row.context()) {
        Ok(_) => true,
        Err(fault) => {
            sink.add(problem_of(fault, &field.text, document));
            false
        }
    }
}

/// Values known of the row that a command is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowValues {
    /// Shard of the row, if it is one.
    pub id: Option<ShardId>,
    /// The folder of the run, absolute.
    pub run_dir: PathBuf,
    /// Its newest attempt; none before the first start.
    pub attempt: Option<AttemptValues>,
    /// Its main process on this machine; none while there is none.
    pub pid: Option<u32>,
}

/// Values known of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptValues {
    /// Number of the attempt, from 1 on.
    pub number: AttemptNumber,
    /// Its output folder, absolute.
    pub out: PathBuf,
    /// Log of the attempt, absolute path.
    pub log: PathBuf,
    /// The GPUs it was given.
    pub gpus: Vec<GpuIndex>,
}

impl RowValues {
    fn context(&self) -> Context {
        let path = |path: &PathBuf| Value::from_object(ProgramPath(path.to_string_lossy().into_owned()));
        let mut context = Context::from([("run_dir".to_owned(), path(&self.run_dir))]);
        let mut add = |name: &str, value| _ = context.insert(name.to_owned(), value);
        if let Some(id) = &self.id {
            add("id", id.as_str().into());
        }
        if let Some(attempt) = &self.attempt {
            add("attempt", attempt.number.0.into());
            add("out", path(&attempt.out));
            add("log", path(&attempt.log));
            add("gpus", gpu_list(&attempt.gpus));
        }
        if let Some(pid) = self.pid {
            add("pid", pid.into());
        }
        context
    }
}

/// Program and arguments of a command for a row; the error is one line for people.
pub fn render_argv(command: &OwnCommand, row: &RowValues) -> Result<Vec<String>, String> {
    let (reader, templates) = match &command.command {
        CommandTemplate::Shell(text) => (RenderTarget::Shell, std::slice::from_ref(text)),
        CommandTemplate::Arguments(arguments) => (RenderTarget::Direct, arguments.as_slice()),
    };
    let (environment, context) = (template_environment(reader), row.context());
    let mut words = Vec::new();
    for template in templates {
        let used = crate::config::templates::template::undeclared_names(&environment, template)
            .map_err(|fault| fault.message)?;
        let base = |name: &String| name.split('.').next().unwrap_or_default().to_owned();
        // A name that is set or known to the engine is no value of the row.
        let missing = used
            .iter()
            .map(base)
            .find(|name| OWN_COMMAND_NAMES.contains(&name.as_str()) && !context.contains_key(name));
        if let Some(name) = missing {
            let why = match name.as_str() {
                _ if row.id.is_none() => "no shard is chosen here",
                "pid" => "the shard has no process here",
                _ => "the shard has not started yet",
            };
            return Err(format!("{why}, so there is no {{{{ {name} }}}}"));
        }
        words.push(render_template(&environment, template, &context).map_err(|fault| fault.message)?);
    }
    Ok(match &command.command {
        CommandTemplate::Shell(_) => [vec!["bash".to_owned(), "-c".to_owned()], words].concat(),
        CommandTemplate::Arguments(_) => words,
    })
}

#[cfg(test)]
mod tests;
