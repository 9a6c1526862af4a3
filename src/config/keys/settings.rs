//! The user's settings: the keys of `config.toml`.

use super::kinds::STRING;
use super::shape::{Key, Kind, Section};
use super::sweep::{COMMANDS, HOOKS};

/// The user's settings.
pub static SETTINGS: Section = Section::new(
    "config.toml",
    &[
        Key::new(
            "theme",
            Kind::Either(&[STRING, Kind::Table(&THEME)]),
            "by the background",
            "a theme, or one for each background of terminals",
            "\"night\"",
        ),
        Key::new("slow", Kind::Boolean, "`false`", "draw at most once a second", "true"),
        Key::new("ascii", Kind::Boolean, "`false`", "ASCII characters only", "true"),
        Key::new("mouse", Kind::Boolean, "`true`, over SSH `false`", "use the mouse", "true"),
        Key::new("notify", Kind::Table(&NOTIFY), "", "[title and alarm](dashboard.md#looking-elsewhere)", ""),
        Key::new(
            "keys",
            Kind::Table(&KEYS),
            "see [keys](dashboard.md#keys)",
            "keys in place of the usual ones; `[]` takes them away, the palette still has the action",
            "",
        ),
        Key::new("commands", COMMANDS, "none", "[your own commands](dashboard.md#your-own-commands)", ""),
        Key::new(
            "hooks",
            Kind::Table(&HOOKS),
            "",
            "a command that is called when something happens to any of your runs",
            "",
        ),
    ],
);

static THEME: Section = Section::new(
    "[theme]",
    &[
        Key::new("dark", STRING, "the usual theme", "for terminals with a dark background", "\"night\""),
        Key::new("light", STRING, "the usual theme", "for terminals with a light background", "\"day\""),
    ],
);

static NOTIFY: Section = Section::new(
    "[notify]",
    &[
        Key::new(
            "title",
            Kind::Boolean,
            "`true`",
            "the title of the terminal shows the state of the run",
            "false",
        ),
        Key::new(
            "alarm",
            Kind::Words(&["auto", "osc9", "bell", "off"]),
            "`\"auto\"`",
            "what the first failure and the end of a run do",
            "\"bell\"",
        ),
    ],
);

static KEYS: Section = Section::of_named(
    "[keys]",
    &Key::new(
        "ACTION",
        Kind::Either(&[STRING, Kind::Array(&STRING)]),
        "",
        "a key or several for this action; `sweepdeck keys` lists the actions",
        r#"["q", "ctrl-d"]"#,
    ),
);
