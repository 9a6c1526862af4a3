//! `[shard]` and `[[service]]`: what is run.

use super::kinds::{
    AXIS, COMMAND, COUNT, COUNT_FROM_0, DURATION, ENVIRONMENT, PATTERN, SIZE, SIZE_OR_SHARE, STRING,
    TEMPLATE, TEMPLATE_PATH, TEMPLATES,
};
use super::shape::{Key, Kind, REQUIRED, Section};

const SETUP: &str = "lines of `bash` before the command, in the same shell. Each must succeed; one that fails is a \
                     `launch-error` that names the step and its last line";

pub(super) static SHARD: Section = Section::new(
    "[shard]",
    &[
        Key::new(
            "command",
            COMMAND,
            REQUIRED,
            "what each shard runs. A string is a script for `bash`; an array is a program with its arguments and runs without \
             a shell (a leading `~/` is your home folder)",
            r#""python eval.py --policy {{ policy }} --output {{ out }}""#,
        ),
        Key::new(
            "id",
            TEMPLATE,
            "values joined with `_`",
            "name of the shard and of its folder. `_{{ shard.index }}of{{ shard.count }}` and `_pack{{ pack.index }}` are \
             appended where the id does not name them",
            r#""{{ policy }}-{{ seed }}""#,
        ),
        Key::new(
            "cwd",
            TEMPLATE_PATH,
            "folder of the sweep file",
            "the working directory",
            r#""~/IsaacLab""#,
        ),
        Key::new("setup", TEMPLATES, "none", SETUP, r#"["source ~/conda.sh", "conda activate isaac"]"#),
        Key::new(
            "artifacts",
            Kind::Array(&TEMPLATE_PATH),
            "none",
            "files that must exist and hold something for success; may hold `*` and `**`. Two shards may not share one",
            r#"["{{ out }}/video/**/*.mp4"]"#,
        ),
        Key::new(
            "env",
            ENVIRONMENT,
            "none",
            "environment variables",
            r#"{ OMNI_KIT_ACCEPT_EULA = "YES", SEED = 7 }"#,
        ),
        Key::new(
            "secret",
            Kind::Array(&Kind::Text("name of a variable", "names of variables")),
            "none",
            "variables whose values are stored in no file of the run but `order.json`, which only you can read. Export them \
             before the run",
            r#"["WANDB_API_KEY"]"#,
        ),
        Key::new(
            "expected",
            Kind::Text("template, duration", ""),
            "unknown",
            "how long a shard takes, for the order and the time left until a run has measured it",
            "\"2h\"",
        ),
        Key::new(
            "resume",
            Kind::Boolean,
            "`false`",
            "`{{ out }}` stays the folder of the first attempt, in which the program continues by itself, see \
             [continuing](scheduling.md#continue-where-an-attempt-stopped)",
            "true",
        ),
    ],
);

const NAME_AND_COMMAND: &str = "name = \"policy\"\ncommand = \"serve --port {{ port }}\"";

pub(super) static SERVICE: Section = Section::new(
    "[[service]]",
    &[
        Key::new("name", STRING, REQUIRED, "letters, digits and `_`, at most 40", "\"policy\"")
            .beside("command = \"serve --port {{ port }}\""),
        Key::new("command", COMMAND, REQUIRED, "what an instance runs, as in `[shard]`", r#""serve --port {{ port }}""#)
            .beside("name = \"policy\""),
        Key::new(
            "per",
            Kind::Words(&["gpu", "combo", "run"]),
            "`\"run\"`",
            "one instance on each GPU, for each combo, or for all shards",
            "\"gpu\"",
        )
        .beside(NAME_AND_COMMAND),
        Key::new(
            "by",
            Kind::Array(&AXIS),
            "those its templates use",
            "shards with other values of these axes have another instance, with `per = \"combo\"` or `\"gpu\"`; where the \
             templates of `per = \"combo\"` use none, all axes",
            r#"["policy"]"#,
        )
        .beside("name = \"policy\"\ncommand = \"serve --port {{ port }}\"\nper = \"combo\""),
        Key::new("serves", COUNT, "any number", "shards at the same time", "3").beside(NAME_AND_COMMAND),
        Key::new("ready", Kind::Table(&READY), "port", "when it can be used: one of the four", "{ port = true }")
            .beside(NAME_AND_COMMAND),
        Key::new("ready_timeout", DURATION, "`\"10m\"`", "how long shards wait for it", "\"10m\"")
            .beside(NAME_AND_COMMAND),
        Key::new("port", COUNT, "a free one", "a fixed port, for `per = \"run\"` only", "8000")
            .beside(NAME_AND_COMMAND),
        Key::new(
            "restarts",
            COUNT_FROM_0,
            "`3`",
            "starts after a failure, in a row; a shard that succeeds with it resets the count",
            "3",
        )
        .beside(NAME_AND_COMMAND),
        Key::new("cwd", TEMPLATE_PATH, "folder of the sweep file", "as in `[shard]`", r#""~/servers""#)
            .beside(NAME_AND_COMMAND),
        Key::new("setup", TEMPLATES, "none", "as in `[shard]`", r#"["source ~/venv/bin/activate"]"#)
            .beside(NAME_AND_COMMAND),
        Key::new("env", ENVIRONMENT, "none", "as in `[shard]`", r#"{ XLA_PYTHON_CLIENT_MEM_FRACTION = 0.3 }"#)
            .beside(NAME_AND_COMMAND),
        Key::new(
            "gpus",
            Kind::Integer(0, 1024),
            "1 with `per = \"gpu\"`, else 0",
            "GPUs of an instance; with `per = \"gpu\"` it has one",
            "2",
        )
        .beside(NAME_AND_COMMAND),
        Key::new("vram", SIZE_OR_SHARE, "none", "memory on each of its GPUs", "\"8 GiB\"").beside(NAME_AND_COMMAND),
        Key::new("cpus", COUNT, "none", "cores of an instance", "4").beside(NAME_AND_COMMAND),
        Key::new("ram", SIZE, "none", "main memory of an instance", "\"4 GiB\"").beside(NAME_AND_COMMAND),
    ],
);

static READY: Section = Section::new(
    "[ready]",
    &[
        Key::new("port", Kind::Boolean, "`true`", "when its port accepts connections", "true"),
        Key::new(
            "http",
            Kind::Text("path of a URL", ""),
            "none",
            "when a GET of this path at its port succeeds",
            "\"/healthz\"",
        ),
        Key::new("log", PATTERN, "none", "when a line of its log matches", "'listening on'"),
        Key::new("file", TEMPLATE_PATH, "none", "when the file exists", r#""{{ out }}/ready""#),
    ],
);
