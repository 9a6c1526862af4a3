//! `keys`: every action with its name and its keys, and what is wrong with the settings that chose them.

use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::{output, settings, settings_file};
use crate::model::logs::printable::{cell_width, pad_to_width};
use crate::tui::keymap::binding::HelpGroup;
use crate::tui::keymap::table::BINDINGS;
use crate::tui::keymap::{home, monitor};
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::keys::keyed::KeyedCommand;

/// Prints the keys in force, and the mistakes in the settings after them.
pub fn run() -> Result<CliExit, CliError> {
    let known = settings::load_settings();
    let path =
        settings_file::path().map_or_else(|| "config.toml".to_owned(), |path| path.display().to_string());
    output::print_text(&format!(
        "# Keys are chosen in {path}: under [keys], the name of an action = its keys.\n"
    ))?;
    output::print_text(&format_keys(&known.keymap, &known.commands))?;
    match known.wrong {
        Some(wrong) => Err(CliError::usage(wrong.report)),
        None => Ok(CliExit::Done),
    }
}

/// A heading and its rows: name, keys, what it does.
type Part = (String, Vec<[String; 3]>);

fn format_keys(keymap: &Keymap, commands: &[KeyedCommand]) -> String {
    let mut parts: Vec<Part> = HelpGroup::ALL.iter().map(|group| format_group(*group, keymap)).collect();
    let [lists, plan] = home::binding_rows();
    let at_home = lists.into_iter().chain(plan);
    let at_home = at_home
        .map(|row| [row.name.to_owned(), row.key_text(keymap), row.short.unwrap_or_default().to_owned()]);
    let alone = monitor::BINDINGS.iter();
    let alone = alone.map(|row| [row.name.to_owned(), row.key_text(keymap), row.help.to_owned()]);
    parts.push(list_other_actions("Home", at_home));
    parts.push(list_other_actions("Monitor", alone));
    if !commands.is_empty() {
        let own = commands.iter().map(|own| {
            let key = own.key.map(|key| key.to_string()).unwrap_or_default();
            [own.command.name.clone(), key, own.command.command.to_line()]
        });
        parts.push(("Your own commands on the selected shard".to_owned(), own.collect()));
    }
    let cells = |column: usize| {
        let rows = parts.iter().flat_map(|(_, rows)| rows);
        rows.map(|row| cell_width(&row[column])).max().unwrap_or(0)
    };
    let (names, keys) = (cells(0), cells(1));
    let mut text = String::new();
    for (title, rows) in &parts {
        text.push_str(&format!("\n{title}\n"));
        for [name, shown, help] in rows {
            let line = format!("  {}  {}  {help}", pad_to_width(name, names), pad_to_width(shown, keys));
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}

fn format_group(group: HelpGroup, keymap: &Keymap) -> Part {
    let rows = BINDINGS.iter().filter(|binding| binding.group == group);
    let rows =
        rows.map(|binding| [binding.name.to_owned(), binding.key_text(keymap), binding.help.to_owned()]);
    (group.title().to_owned(), rows.collect())
}

/// The actions of another screen, but for those that the dashboard has too.
fn list_other_actions(screen: &str, rows: impl Iterator<Item = [String; 3]>) -> Part {
    let mut listed: Vec<[String; 3]> = Vec::new();
    for row in rows {
        let is_listed = listed.iter().any(|known| known[0] == row[0]);
        if !is_listed && !BINDINGS.iter().any(|binding| binding.name == row[0]) {
            listed.push(row);
        }
    }
    (format!("{screen}: what the dashboard has too has the same name"), listed)
}
