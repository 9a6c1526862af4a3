//! `[hooks]`: a command of the user that is run as the run makes progress.

use crate::config::document::problem::{Problem, word_hint};
use crate::config::document::table::Table;
use crate::model::sweep::hook::{Hook, HookMoment};

/// Moments at which a hook is called where the sweep does not choose any.
const USUAL: [HookMoment; 2] = [HookMoment::RunEnded, HookMoment::FirstFailure];

/// Reads `[hooks]`; a table without `command` is a problem.
pub(in crate::config) fn read(root: &Table<'_>) -> Option<Hook> {
    let table = root.table("hooks");
    let command = table.text("command");
    let on = moments(&table);
    let timeout = table.duration("timeout").unwrap_or(Hook::USUAL_TIMEOUT);
    if table.exists() && command.is_none() {
        table.missing("command", "a line of bash that reads JSON from its standard input");
    }
    table.finish();
    let command = command?;
    if command.get_ref().trim().is_empty() {
        table.sink().add(Problem::new(command.span(), "`command` is empty"));
    }
    Some(Hook { command: command.into_inner(), on: on.unwrap_or_else(|| USUAL.to_vec()), timeout })
}

fn moments(table: &Table<'_>) -> Option<Vec<HookMoment>> {
    table.get("on")?;
    let all = [HookMoment::RunEnded, HookMoment::FirstFailure, HookMoment::Failure];
    let words = all.map(HookMoment::as_str);
    let mut moments = Vec::new();
    for word in table.texts("on") {
        match all.into_iter().find(|moment| moment.as_str() == word.get_ref()) {
            Some(moment) => moments.push(moment),
            None => {
                let message = format!("a hook cannot be called on `{}`", word.get_ref());
                table.sink().add(Problem::new(word.span(), message).hint(word_hint(word.get_ref(), &words)));
            }
        }
    }
    Some(moments)
}
