//! `[matrix]`, `[episodes]` and `[pack]`: which shards there are.

use super::kinds::{
    AXIS, COUNT_OR_AUTO, DURATION, INTEGER, PATH, PATTERN_OF_VALUE, SCALAR, STRING, TEMPLATES,
};
use super::shape::{Key, Kind, REQUIRED, Section};

pub(super) static MATRIX: Section = Section {
    title: "[matrix]",
    keys: &[
        Key::new(
            "exclude",
            Kind::Tables(&LEFT_OUT),
            "none",
            "leaves out each combo that has all these values; one that matches nothing is an error",
            r#"[{ policy = "flat", seed = 1 }]"#,
        ),
        Key::new(
            "include",
            Kind::Tables(&ADDED),
            "none",
            "adds variables to the combos that match its axes, or a combo of its own where it names a value for every axis",
            r#"[{ policy = "rough", steps = 2000 }, { policy = "flat", steps = 1000 }]"#,
        ),
    ],
    named: Some(&Key::new(
        "AXIS",
        Kind::Either(&[Kind::Array(&SCALAR), RANGE, Kind::Table(&SOURCE)]),
        "",
        "the values of an axis; the range `\"0..250\"` is 0 to 249, and `\"0..=250\"` keeps its end",
        r#"["flat", "rough"]"#,
    )),
};

const RANGE: Kind = Kind::Text("range", "ranges");

static LEFT_OUT: Section = Section::of_named(
    "[[matrix.exclude]]",
    &Key::new("AXIS", SCALAR, "", "the value of this axis", "\"flat\""),
);

static ADDED: Section = Section::of_named(
    "[[matrix.include]]",
    &Key::new("VARIABLE", SCALAR, "", "the value of an axis, or of a new variable", "2000"),
);

static SOURCE: Section = Section::new(
    "the axis",
    &[
        Key::new(
            "range",
            Kind::Either(&[Kind::Array(&INTEGER), RANGE]),
            "",
            "integers from the first to before the second; `[0, 250, 10]` takes every tenth",
            "[0, 250]",
        ),
        Key::new(
            "glob",
            Kind::Text("path, may hold `*`", "paths"),
            "",
            "files, in natural order: `step_9` before `step_10`",
            r#""ckpts/*.pt""#,
        ),
        Key::new(
            "lines",
            PATH,
            "",
            "the lines of a file, without empty ones and those that begin with `#`",
            r#""tasks.txt""#,
        ),
        Key::new(
            "command",
            STRING,
            "",
            "the lines that a command prints; `bash` runs it in the folder of the sweep, a minute at most",
            r#""python suites.py""#,
        ),
        Key::new(
            "watch",
            Kind::Either(&[Kind::Boolean, Kind::Table(&WATCH)]),
            "`false`",
            "new files of a glob become values while the run lasts; the axis may begin without files",
            "true",
        )
        .beside(r#"glob = "ckpts/*.pt""#),
    ],
);

static WATCH: Section = Section::new(
    "[watch]",
    &[
        Key::new(
            "settle",
            DURATION,
            "`\"10s\"`",
            "a file is complete when it was unchanged for so long, or when it was renamed into place",
            "\"10s\"",
        ),
        Key::new(
            "until",
            Kind::Text("path, may hold `*`", "paths"),
            "none",
            "a file that ends the watch, after all files that came before it",
            "\"ckpts/done\"",
        ),
        Key::new("idle", DURATION, "none", "ends the watch after so long without a new file", "\"3h\""),
    ],
);

pub(super) static EPISODES: Section = Section::new(
    "[episodes]",
    &[
        Key::new(
            "total",
            Kind::Integer(1, 1_000_000),
            REQUIRED,
            "episodes (or tasks) of each combo, at most a million",
            "100",
        ),
        Key::new(
            "shards",
            COUNT_OR_AUTO,
            "`1`",
            "slices of each combo; `\"auto\"` makes as few as keep the machine busy [to about the end](autotune.md#without-a-trial)",
            "4",
        )
        .beside("total = 100"),
        Key::new(
            "seed",
            INTEGER,
            "`0`",
            "seed of the first episode; episode *i* has `seed` + *i*",
            "1000",
        )
        .beside("total = 100"),
        Key::new(
            "order",
            Kind::Words(&["contiguous", "round-robin"]),
            "`\"contiguous\"`",
            "slices of neighbouring episodes, or every *n*-th one",
            "\"round-robin\"",
        )
        .beside("total = 100"),
        Key::new(
            "runner",
            Kind::Words(&["lerobot-eval", "vla-eval", "isaac-eval"]),
            "none",
            "the program, which decides `{{ shard.arguments }}` and may decide `order`",
            "\"lerobot-eval\"",
        )
        .beside("total = 100"),
        Key::new(
            "over",
            Kind::Words(&["episodes", "tasks"]),
            "`\"episodes\"`",
            "what a slice is made of; with `\"tasks\"` every slice has the same seed",
            "\"tasks\"",
        )
        .beside("total = 100"),
        Key::new(
            "arguments",
            TEMPLATES,
            "those of `runner`",
            "replaces them, with or without a `runner`",
            r#"["--episodes={{ shard.ids }}"]"#,
        )
        .beside("total = 100"),
    ],
);

pub(super) static PACK: Section = Section::new(
    "[pack]",
    &[
        Key::new(
            "axis",
            AXIS,
            "required, or `axes`",
            "the axis to pack; templates use `{{ pack.values }}` in its place",
            "\"seed\"",
        )
        .beside("size = 32"),
        Key::new(
            "axes",
            Kind::Array(&AXIS),
            "",
            "several axes whose values are packed together",
            r#"["policy", "seed"]"#,
        )
        .beside("size = 32"),
        Key::new(
            "size",
            COUNT_OR_AUTO,
            REQUIRED,
            "values of one process; the last pack may have fewer. `\"auto\"` finds out how many fit",
            "32",
        )
        .beside("axis = \"seed\""),
        Key::new(
            "done",
            Kind::Text("pattern with groups `value` and `done`", ""),
            "none",
            "a line that counts the work on one value; a group `total` is how much there is, other groups are its own metrics",
            r"'seed (?<value>\d+) iteration (?<done>\d+)/(?<total>\d+)'",
        )
        .beside("axis = \"seed\"\nsize = 32"),
        Key::new(
            "finished",
            PATTERN_OF_VALUE,
            "none",
            "a line that completes a value",
            r"'seed (?<value>\d+) finished'",
        )
        .beside("axis = \"seed\"\nsize = 32"),
        Key::new(
            "failed",
            PATTERN_OF_VALUE,
            "none",
            "a line that says that a value failed",
            r"'seed (?<value>\d+) diverged'",
        )
        .beside("axis = \"seed\"\nsize = 32"),
    ],
);
