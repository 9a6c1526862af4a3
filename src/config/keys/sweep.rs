//! A sweep file as a whole, and its smaller tables.

use super::kinds::{COMMAND, DURATION, STRING};
use super::machine::{NODES, RESOURCES, SCHEDULE};
use super::matrix::{EPISODES, MATRIX, PACK};
use super::results::{ANALYSIS, METRIC, PROGRESS, RESULTS, RULE};
use super::shape::{Key, Kind, REQUIRED, Section};
use super::shard::{SERVICE, SHARD};

/// Sweep file.
pub static SWEEP: Section = Section::new(
    "the sweep",
    &[
        Key::new(
            "name",
            STRING,
            "name of the file",
            "name of the sweep and start of the folder of its runs: `results/NAME_<time>`",
            "\"h100_eval\"",
        ),
        Key::new(
            "matrix",
            Kind::Table(&MATRIX),
            "",
            "axes; the combos are all combinations of their values",
            "",
        ),
        Key::new("shard", Kind::Table(&SHARD), REQUIRED, "what each shard runs", ""),
        Key::new(
            "episodes",
            Kind::Table(&EPISODES),
            "",
            "cuts each combo into slices that together are the serial run",
            "",
        ),
        Key::new(
            "pack",
            Kind::Table(&PACK),
            "",
            "several values of one axis, or of several, in one process",
            "",
        ),
        Key::new(
            "service",
            Kind::Tables(&SERVICE),
            "",
            "a process that shards share: a policy server, a simulator",
            "",
        ),
        Key::new("resources", Kind::Table(&RESOURCES), "", "what one shard needs", ""),
        Key::new("schedule", Kind::Table(&SCHEDULE), "", "when and how shards start, wait and end", ""),
        Key::new("progress", Kind::Table(&PROGRESS), "", "how the log is read", ""),
        Key::new(
            "metric",
            Kind::Tables(&METRIC),
            "",
            "a number from logs or files; a column of the results",
            "",
        ),
        Key::new("rule", Kind::Tables(&RULE), "", "a line of the log that decides the verdict", ""),
        Key::new("results", Kind::Table(&RESULTS), "", "what is made of the results", ""),
        Key::new("analysis", Kind::Table(&ANALYSIS), "", "how the results are compared", ""),
        Key::new("hooks", Kind::Table(&HOOKS), "", "a command that is called when something happens", ""),
        Key::new("commands", COMMANDS, "", "commands for the row under the cursor of the dashboard", ""),
        Key::new(
            "nodes",
            Kind::Tables(&NODES),
            "this machine",
            "the machines that take the shards: see [clusters](clusters.md#several-machines)",
            "",
        ),
        Key::new("engine", Kind::Table(&ENGINE), "", "where shards run", ""),
    ],
);

pub(super) static HOOKS: Section = Section::new(
    "[hooks]",
    &[
        Key::new(
            "command",
            STRING,
            REQUIRED,
            "a line of `bash` with JSON on its standard input, `$SWEEPDECK_TITLE` and `$SWEEPDECK_MESSAGE`; no template",
            r#""curl -fsS --data-binary @- https://example.org/runs""#,
        ),
        Key::new(
            "on",
            Kind::Array(&Kind::Words(&["run-ended", "first-failure", "failure", "needs-input", "stuck"])),
            "`[\"run-ended\", \"first-failure\"]`",
            "when it is called; `\"failure\"` is each shard that fails for good, `\"stuck\"` one that has printed nothing for `stall_after`",
            r#"["run-ended", "failure"]"#,
        )
        .beside("command = \"notify\""),
        Key::new("timeout", DURATION, "`\"30s\"`", "after so long it is killed", "\"30s\"")
            .beside("command = \"notify\""),
    ],
);

/// Commands of the user's own, in a sweep and in the settings.
pub(super) const COMMANDS: Kind = Kind::Table(&COMMANDS_BY_NAME);

static COMMANDS_BY_NAME: Section = Section::of_named(
    "[commands]",
    &Key::new(
        "NAME",
        Kind::Table(&OWN_COMMAND),
        "",
        "a command of your own on a row of the dashboard",
        r#"{ key = "f4", command = "less {{ log }}" }"#,
    ),
);

static OWN_COMMAND: Section = Section::new(
    "the command",
    &[
        Key::new(
            "command",
            COMMAND,
            REQUIRED,
            "a line for `bash`, or a program with its arguments",
            r#"["mpv", "{{ out }}/video.mp4"]"#,
        ),
        Key::new("key", STRING, "none", "a key, such as `\"f2\"`", "\"f4\"").beside("command = \"true\""),
        Key::new(
            "mode",
            Kind::Words(&["foreground", "wait", "background"]),
            "`\"foreground\"`",
            "what happens to the terminal",
            "\"background\"",
        )
        .beside("command = \"true\""),
        Key::new("confirm", Kind::Boolean, "`false`", "ask first", "true").beside("command = \"true\""),
    ],
);

static ENGINE: Section = Section::new(
    "[engine]",
    &[Key::new(
        "kind",
        Kind::Words(&["local"]),
        "`\"local\"`",
        "where shards run; there is one kind",
        "\"local\"",
    )],
);
