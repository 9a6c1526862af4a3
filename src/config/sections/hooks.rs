//! `[hooks]`: a command of the user that is run as the run makes progress.

use crate::config::document::problem::{Problem, word_hint};
use crate::config::document::table::Table;
use crate::model::sweep::hook::{Hook, HookMoment};

/// Moments at which a hook is called where the sweep does not choose any.
const USUAL: [HookMoment; 2] = [HookMoment::RunEnded, HookMoment::FirstFailure];

/// Reads `[hooks]` of a sweep or of the settings; a table without `command` is a problem.
pub(in crate::config) fn read_hook(root: &Table<'_>) -> Option<Hook> {
    let table = root.get_table("hooks");
    let command = table.get_string("command");
    let on = read_moments(&table);
    let timeout = table.get_duration("timeout").unwrap_or(Hook::USUAL_TIMEOUT);
    if table.exists() && command.is_none() {
        table.report_missing("command", "a line of bash that reads JSON from its standard input");
    }
    table.report_unknown_keys();
    let command = command?;
    if command.get_ref().trim().is_empty() {
        table.sink().add(Problem::new(command.span(), "`command` is empty"));
    }
    Some(Hook { command: command.into_inner(), on: on.unwrap_or_else(|| USUAL.to_vec()), timeout })
}

fn read_moments(table: &Table<'_>) -> Option<Vec<HookMoment>> {
    table.get("on")?;
    let words = HookMoment::ALL.map(HookMoment::as_str);
    let mut moments = Vec::new();
    for word in table.get_strings("on") {
        match HookMoment::ALL.into_iter().find(|moment| moment.as_str() == word.get_ref()) {
            Some(moment) => moments.push(moment),
            None => {
                let message = format!("a hook cannot be called on `{}`", word.get_ref());
                table
                    .sink()
                    .add(Problem::new(word.span(), message).with_hint(word_hint(word.get_ref(), &words)));
            }
        }
    }
    Some(moments)
}
