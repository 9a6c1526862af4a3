//! The user's settings: `config.toml` in the configuration folder, overridden by the command line.

use std::io;
use std::path::Path;
use std::sync::Once;

use super::error::CliError;
use super::screens::screen_args::ScreenArgs;
use super::screens::{column_keeper, theme_keeper};
use super::{output, settings_file};
use crate::config::document::problem::{Problem, Problems, word_hint};
use crate::config::document::written::SpannedWord;
use crate::config::settings::{self, Settings, ThemeChoice};
use crate::model::sweep::hook::Hook;
use crate::rundir::refusal::{open_foreign, read_bounded};
use crate::tui::keymap::{choosing, own};
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::keys::keyed::{CommandOrigin, KeyedCommand};
use crate::tui::options::Preferences;
use crate::tui::terminal::pace;
use crate::tui::theme::file::ThemeGround;
use crate::tui::theme::store;

/// The settings as far as they could be read, with the defaults in place of what could not.
#[derive(Debug, Default)]
pub struct LoadedSettings {
    /// Settings of the user, defaults filled in.
    pub settings: Settings,
    /// Keys and the actions they trigger.
    pub keymap: Keymap,
    /// Commands of the user's own.
    pub commands: Vec<KeyedCommand>,
    /// Mistakes in the file, if there are any.
    pub wrong: Option<SettingsMistakes>,
}

/// Mistakes in the file of the settings, in two lengths.
#[derive(Debug)]
pub struct SettingsMistakes {
    /// All mistakes, with places and hints.
    pub report: String,
    /// Summary that there are mistakes, in one line.
    pub line: String,
}

/// Reads the settings. Nothing in them can keep a run from being shown.
pub fn load_settings() -> LoadedSettings {
    let Some(path) = settings_file::path() else { return LoadedSettings::default() };
    let source = match read_settings(&path) {
        Ok(source) => source,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return LoadedSettings::default(),
        Err(error) => {
            let line = format!("cannot read {}: {error}; the usual settings hold", path.display());
            return LoadedSettings {
                wrong: Some(SettingsMistakes { report: line.clone(), line }),
                ..LoadedSettings::default()
            };
        }
    };
    let (settings, mut problems) = settings::read_settings(&source);
    let (keymap, of_keys) = choosing::build_keymap(&settings.keys);
    problems.extend(of_keys);
    let (commands, of_commands) = own::assign_keys(&settings.commands, &keymap, CommandOrigin::Settings);
    problems.extend(of_commands);
    problems.extend(unknown_themes(&settings));
    let wrong = (!problems.is_empty()).then(|| describe_mistakes(&path, source, problems));
    LoadedSettings { settings, keymap, commands, wrong }
}

/// Returns the hook of the settings, for a process without a screen: mistakes in the file are shown by others.
pub fn load_hook() -> Option<Hook> {
    let source = read_settings(&settings_file::path()?).ok()?;
    settings::read_settings(&source).0.hook
}

/// A link to a file that is kept elsewhere is followed; a pipe or a device in its place must not hold up every verb.
fn read_settings(path: &Path) -> io::Result<String> {
    const LONGEST: u64 = 1 << 20;
    let bytes = read_bounded(open_foreign(path)?, LONGEST)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

fn describe_mistakes(path: &Path, source: String, problems: Vec<Problem>) -> SettingsMistakes {
    let problems = Problems::new(path.to_owned(), source, problems);
    let count = match problems.list().len() {
        1 => "a mistake".to_owned(),
        many => format!("{many} mistakes"),
    };
    let report = problems.render(output::is_colour_allowed()).trim_end().to_owned();
    SettingsMistakes {
        report,
        line: format!("config.toml has {count}, passed over here; `sweepdeck keys` shows them"),
    }
}

fn unknown_themes(settings: &Settings) -> Vec<Problem> {
    let written: Vec<&SpannedWord> = match &settings.theme {
        None => Vec::new(),
        Some(ThemeChoice::Always(name)) => vec![name],
        Some(ThemeChoice::ByGround { dark, light }) => dark.iter().chain(light).collect(),
    };
    let names = store::theme_names();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let unknown = written.into_iter().filter(|name| !names.contains(&name.text.as_str()));
    unknown
        .map(|name| {
            let message = format!("there is no theme `{}`", name.text);
            Problem::new(name.span.clone(), message).with_hint(word_hint(&name.text, &names))
        })
        .collect()
}

/// Returns the preferences for a screen: the command line goes before the settings. Mistakes in the settings are
/// reported once.
pub fn resolve_preferences(screen: &ScreenArgs) -> Preferences {
    static SAID: Once = Once::new();
    let LoadedSettings { settings, keymap, commands, wrong } = load_settings();
    if let Some(wrong) = &wrong {
        SAID.call_once(|| output::report_error(&CliError::usage(wrong.report.as_str())));
    }
    Preferences {
        ascii: screen.ascii || settings.ascii,
        slow: screen.slow || settings.slow,
        theme: theme_keeper::current_theme()
            .or_else(|| screen.theme.clone())
            .or_else(|| resolve_theme(&settings)),
        keymap,
        commands,
        keep_theme: Some(theme_keeper::save_theme),
        columns: column_keeper::load_columns(),
        keep_columns: Some(column_keeper::save_columns),
        // Over SSH each report of the mouse would cross the line, and text is what is wanted of the terminal.
        mouse: settings.mouse.unwrap_or_else(|| !pace::is_over_ssh()),
        notify: settings.notify,
        warning: wrong.map(|wrong| wrong.line),
    }
}

/// Returns what is known of the background of this terminal.
fn terminal_ground() -> ThemeGround {
    store::terminal_ground(|name| std::env::var(name).ok())
}

/// The theme for this terminal; `None` if the settings have none, or one that is not there.
fn resolve_theme(settings: &Settings) -> Option<String> {
    let name = match (settings.theme.as_ref()?, terminal_ground()) {
        (ThemeChoice::Always(name), _)
        | (ThemeChoice::ByGround { dark: Some(name), .. }, ThemeGround::Dark)
        | (ThemeChoice::ByGround { light: Some(name), .. }, ThemeGround::Light) => &name.text,
        (ThemeChoice::ByGround { .. }, _) => return None,
    };
    store::theme_names().contains(name).then(|| name.clone())
}
