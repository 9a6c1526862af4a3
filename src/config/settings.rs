//! The user's settings, from the text of their file: what is good of it, and everything that is wrong with it.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::document::problem::Problem;
use super::document::scalar::type_name;
use super::document::syntax::syntax_problems;
use super::document::table::{Sink, Table};
use super::document::written::SpannedWord;
use super::keys::settings::SETTINGS;
use super::sections::commands::{self, WrittenCommand};
use super::sections::hooks;
use crate::model::notify::{Notify, NotifyMethod};
use crate::model::sweep::hook::Hook;

/// Preferences of the user for every screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Theme, or a pair of themes, to draw with.
    pub theme: Option<ThemeChoice>,
    /// Draw at most once a second.
    pub slow: bool,
    /// Draw with ASCII characters only.
    pub ascii: bool,
    /// The mouse acts on screens; `None` if the file does not set it.
    pub mouse: Option<bool>,
    /// Notifications through the terminal, in addition to drawing on it.
    pub notify: Notify,
    /// Keys in place of the usual ones, in the order of the file.
    pub keys: Vec<KeyChoice>,
    /// Commands of the user's own, in the order of the file.
    pub commands: Vec<WrittenCommand>,
    /// Command that is called as any run of the user makes progress.
    pub hook: Option<Hook>,
}

/// Choice of the theme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThemeChoice {
    /// The same theme in every terminal.
    Always(SpannedWord),
    /// A theme for each background of terminals.
    ByGround {
        /// For terminals with a dark background, and those that do not report theirs.
        dark: Option<SpannedWord>,
        /// For those with a light ground.
        light: Option<SpannedWord>,
    },
}

/// The keys of an action in place of the usual ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyChoice {
    /// The name of the action.
    pub action: SpannedWord,
    /// The names of keys; none takes the keys away.
    pub keys: Vec<SpannedWord>,
}

/// Reads the settings. What is wrong counts as not written; where the text is no TOML, that is all of it.
pub fn read_settings(source: &str) -> (Settings, Vec<Problem>) {
    let (document, errors) = DeTable::parse_recoverable(source);
    if !errors.is_empty() {
        return (Settings::default(), syntax_problems(source, &errors));
    }
    let sink = Sink::default();
    let root = Table::from_document(&SETTINGS, &document, &sink);
    let settings = Settings {
        theme: read_theme(&root),
        slow: root.get_flag("slow").unwrap_or(false),
        ascii: root.get_flag("ascii").unwrap_or(false),
        mouse: root.get_flag("mouse"),
        notify: read_notify(&root.get_table("notify")),
        keys: read_keys(&root.get_table("keys")),
        commands: commands::read_commands(&root, source),
        hook: hooks::read_hook(&root),
    };
    root.report_unknown_keys();
    (settings, sink.take_problems())
}

fn read_theme(root: &Table<'_>) -> Option<ThemeChoice> {
    if !matches!(root.get("theme")?.get_ref(), DeValue::Table(_)) {
        return root.get_string("theme").map(|name| ThemeChoice::Always(to_written(&name)));
    }
    let table = root.get_table("theme");
    let (dark, light) = (table.get_string("dark"), table.get_string("light"));
    table.report_unknown_keys();
    Some(ThemeChoice::ByGround { dark: dark.as_ref().map(to_written), light: light.as_ref().map(to_written) })
}

fn read_notify(table: &Table<'_>) -> Notify {
    let words = [
        ("auto", NotifyMethod::Auto),
        ("osc9", NotifyMethod::Osc9),
        ("bell", NotifyMethod::Bell),
        ("off", NotifyMethod::Off),
    ];
    let usual = Notify::default();
    let notify = Notify {
        title: table.get_flag("title").unwrap_or(usual.title),
        alarm: table.get_choice("alarm", &words).unwrap_or(usual.alarm),
    };
    table.report_unknown_keys();
    notify
}

fn read_keys(table: &Table<'_>) -> Vec<KeyChoice> {
    let mut choices = Vec::new();
    for (action, span, value) in table.entries() {
        let listed = match value.get_ref() {
            DeValue::Array(items) => items.iter().map(|item| read_key(action, item, table.sink())).collect(),
            _ => vec![read_key(action, value, table.sink())],
        };
        // A list that is only bad is none, and none would take the keys away.
        if listed.is_empty() || listed.iter().any(Option::is_some) {
            let action = SpannedWord { text: action.to_owned(), span };
            choices.push(KeyChoice { action, keys: listed.into_iter().flatten().collect() });
        }
    }
    choices
}

fn read_key(action: &str, value: &Spanned<DeValue<'_>>, sink: &Sink) -> Option<SpannedWord> {
    match value.get_ref() {
        DeValue::String(text) => Some(SpannedWord { text: text.clone().into_owned(), span: value.span() }),
        other => {
            let found = type_name(other);
            let message = format!("`{action}` must be a string or an array of strings, not {found}");
            sink.add(Problem::new(value.span(), message).with_hint("such as \"R\" or [\"q\", \"ctrl-d\"]"));
            None
        }
    }
}

fn to_written(text: &Spanned<String>) -> SpannedWord {
    SpannedWord { text: text.get_ref().clone(), span: text.span() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(source: &str) -> Vec<String> {
        let problems = read_settings(source).1.into_iter();
        problems
            .map(|problem| format!("{} ({})", problem.message, problem.hint.unwrap_or_default()))
            .collect()
    }

    #[test]
    fn everything_can_be_left_out_and_everything_can_be_said() {
        assert_eq!(read_settings(""), (Settings::default(), Vec::new()));
        let (settings, problems) = read_settings(
            "theme = \"night\" # mine\nslow = true\nascii = true\nmouse = false\n[keys]\nrequeue = \"R\"\ndetach = [\"q\", \"ctrl-d\"]\n",
        );
        assert_eq!(problems, []);
        assert!(matches!(settings.theme, Some(ThemeChoice::Always(name)) if name.text == "night"));
        assert!(settings.slow && settings.ascii);
        assert_eq!(settings.mouse, Some(false));
        let keys = settings.keys.iter().map(|choice| {
            let keys: Vec<&str> = choice.keys.iter().map(|key| key.text.as_str()).collect();
            (choice.action.text.as_str(), keys)
        });
        assert_eq!(keys.collect::<Vec<_>>(), [("requeue", vec!["R"]), ("detach", vec!["q", "ctrl-d"])]);
    }

    #[test]
    fn the_terminal_is_told_as_the_user_wants() {
        let (settings, problems) = read_settings("[notify]\ntitle = false\nalarm = \"bell\"\n");
        assert_eq!(
            (settings.notify, problems),
            (Notify { title: false, alarm: NotifyMethod::Bell }, Vec::new())
        );
        assert_eq!(read_settings("[notify]\nalarm = \"auto\"\n").0.notify, Notify::default());
        assert_eq!(messages("[notify]\nalarm = \"bel\"\nsound = 1\n").len(), 2);
    }

    #[test]
    fn a_theme_for_each_ground() {
        let (settings, problems) = read_settings("theme = { dark = \"night\", light = \"day\" }");
        assert_eq!(problems, []);
        let Some(ThemeChoice::ByGround { dark: Some(dark), light: Some(light) }) = settings.theme else {
            panic!("{settings:?}")
        };
        assert_eq!((dark.text.as_str(), light.text.as_str()), ("night", "day"));
    }

    #[test]
    fn all_mistakes_are_told_and_the_rest_counts() {
        let source = "them = \"night\"\nslow = 1\nascii = true\n[keys]\nkill = 3\npause = [\"p\", 4]\n";
        assert_eq!(
            messages(source),
            [
                "`slow` must be a boolean, not an integer (such as `slow = true`)",
                "`kill` must be a string or an array of strings, not an integer (such as \"R\" or [\"q\", \"ctrl-d\"])",
                "`pause` must be a string or an array of strings, not an integer (such as \"R\" or [\"q\", \"ctrl-d\"])",
                "config.toml has no key `them` (did you mean `theme`?)",
            ]
        );
        let (settings, _) = read_settings(source);
        assert!(settings.ascii && !settings.slow);
        assert_eq!(settings.keys.len(), 1, "what is left of `pause`");
        assert_eq!(messages("theme = \n").len(), 1);
    }
}
