//! `[resources]` and `[schedule]`: what shards need of the machine, and when they run.

use super::kinds::{
    COUNT, COUNT_FROM_0, COUNT_OR_AUTO, DURATION, INTEGER, PATTERN, REASON, SCALAR, SIZE, SIZE_OR_SHARE,
    STRING, TEMPLATE,
};
use super::shape::{Key, Kind, REQUIRED, Section};

const GPU_COUNT: Kind = Kind::Either(&[Kind::Integer(0, 1024), TEMPLATE]);
const VRAM: Kind = Kind::Either(&[SIZE_OR_SHARE, Kind::Words(&["auto"]), TEMPLATE]);
const FLAG: Kind = Kind::Either(&[Kind::Boolean, TEMPLATE]);

pub(super) static RESOURCES: Section = Section::new(
    "[resources]",
    &[
        Key::new(
            "gpus",
            Kind::Either(&[Kind::Integer(0, 1024), TEMPLATE, Kind::Table(&COMPONENTS)]),
            "1 if the machine has a GPU, else 0",
            "GPUs of a shard, or its components",
            "1",
        ),
        Key::new(
            "vram",
            VRAM,
            "none",
            "memory on each GPU; `\"auto\"` measures it on the first shard",
            "\"2 GiB\"",
        ),
        Key::new(
            "components",
            Kind::Table(&COMPONENTS),
            "none",
            "the same as a table in `gpus`",
            r#"{ env = { gpus = 2 }, rollout = { gpus = 2, vram = "16 GiB" } }"#,
        ),
        Key::new(
            "devices",
            Kind::Array(&Kind::Either(&[INTEGER, STRING])),
            "all permitted",
            "numbers and UUIDs of the GPUs that the run may use",
            "[2, 3]",
        ),
        Key::new("cpus", Kind::Either(&[COUNT, TEMPLATE]), "none", "cores; also sets `OMP_NUM_THREADS`", "4"),
        Key::new("ram", Kind::Either(&[SIZE, TEMPLATE]), "none", "main memory", "\"8 GiB\""),
        Key::new("exclusive", FLAG, "`false`", "no other shard on the same GPUs", "true"),
        Key::new("pin", Kind::Boolean, "`false`", "cores of its own, as many as `cpus`", "true")
            .beside("cpus = 4"),
        Key::new(
            "nice",
            Kind::Integer(0, 19),
            "`0`",
            "added to the niceness of the run: others go first",
            "10",
        ),
    ],
);

static COMPONENTS: Section = Section::of_named(
    "`components`",
    &Key::new(
        "NAME",
        Kind::Table(&COMPONENT),
        "",
        "a part of the program with GPUs of its own",
        r#"{ gpus = 2, vram = "6 GiB" }"#,
    ),
);

static COMPONENT: Section = Section::new(
    "the component",
    &[
        Key::new("gpus", GPU_COUNT, "`1`", "GPUs of this component", "2"),
        Key::new("vram", VRAM, "none", "memory on each of them", "\"16 GiB\""),
        Key::new(
            "shared",
            FLAG,
            "`false`",
            "components that share are on the same GPUs; at least two",
            "false",
        ),
    ],
);

pub(super) static SCHEDULE: Section = Section::new(
    "[schedule]",
    &[
        Key::new(
            "parallel",
            COUNT_OR_AUTO,
            "number of cores, at least 2",
            "most shards side by side; see [autotune](autotune.md#without-a-trial) for `\"auto\"`",
            "8",
        ),
        Key::new(
            "order",
            Kind::Words(&["longest-first", "as-listed"]),
            "`\"longest-first\"`",
            "which shards start first, where [durations are known](scheduling.md#what-the-next-run-knows)",
            "\"as-listed\"",
        ),
        Key::new(
            "placement",
            Kind::Words(&["spread", "pack"]),
            "`\"spread\"`",
            "the emptiest GPU, or the fullest with room",
            "\"pack\"",
        ),
        Key::new("reserve_vram", SIZE, "`\"0\"`", "memory left free on every GPU", "\"4 GiB\""),
        Key::new("stagger", DURATION, "`\"0s\"`", "time between two starts", "\"5s\""),
        Key::new("warmup", Kind::Boolean, "`false`", "one shard runs alone until its first progress", "true"),
        Key::new(
            "cooldown",
            DURATION,
            "`\"0s\"`",
            "pause after the end of a shard in which none starts",
            "\"10s\"",
        ),
        Key::new(
            "timeout",
            Kind::Either(&[DURATION, TEMPLATE]),
            "none",
            "longest time of an attempt; paused time does not count",
            "\"6h\"",
        ),
        Key::new(
            "stall_after",
            DURATION,
            "`\"30m\"`",
            "without output and progress for so long, a shard is shown as `stalled`",
            "\"30m\"",
        ),
        Key::new(
            "on_stall",
            Kind::Either(&[Kind::Words(&["show", "fail"]), STEPS]),
            "`\"show\"`",
            "what a stall leads to; steps end the attempt",
            "\"fail\"",
        ),
        Key::new(
            "on_oom",
            Kind::Either(&[Kind::Words(&["back-off", "fail"]), OOM_STEPS]),
            "`\"back-off\"`",
            "what running out of memory leads to",
            r#"["split", "more-room", "alone", "fail"]"#,
        ),
        Key::new(
            "on_fail",
            STEPS,
            "none",
            "what any other failure leads to",
            r#"[{ do = "retry", times = 3 }, "fail"]"#,
        ),
        Key::new(
            "retries",
            COUNT_FROM_0,
            "`0`",
            "further attempts of a shard for failures without another answer",
            "1",
        ),
        Key::new(
            "resume_after",
            Kind::Array(&REASON),
            "none",
            "after these ends a shard continues without counting against `retries`",
            r#"["timeout", "cancelled"]"#,
        ),
        Key::new(
            "grace",
            Kind::Table(&GRACE),
            "",
            "how politely an attempt is ended",
            r#"{ interrupt = "30s", terminate = "10s" }"#,
        ),
        Key::new(
            "linger",
            DURATION,
            "`\"5s\"`",
            "how long other processes of a shard may outlive its main process",
            "\"5s\"",
        ),
        Key::new(
            "window",
            Kind::Either(&[STRING, Kind::Array(&STRING)]),
            "always",
            "[hours](scheduling.md#at-which-hours) in which shards may start",
            r#"["Mon-Fri 20:00-08:00", "Sat,Sun 00:00-24:00"]"#,
        ),
        Key::new(
            "on_close",
            Kind::Words(&["finish", "pause"]),
            "`\"finish\"`",
            "what happens to running shards when a window closes; needs `window`",
            "\"pause\"",
        )
        .beside("window = \"20:00-08:00\""),
        Key::new(
            "yield",
            Kind::Either(&[Kind::Boolean, DURATION]),
            "`false`",
            "leave a GPU alone for so long after another user's process has come to it; `true` is 5 minutes",
            "\"5m\"",
        ),
        Key::new(
            "announce",
            Kind::Boolean,
            "`false`",
            "let other users read how much the run claims",
            "true",
        ),
    ],
);

static GRACE: Section = Section::new(
    "[grace]",
    &[
        Key::new("interrupt", DURATION, "`\"10s\"`", "time between SIGINT and SIGTERM", "\"30s\""),
        Key::new("terminate", DURATION, "`\"10s\"`", "time between SIGTERM and SIGKILL", "\"10s\""),
    ],
);

const STEP_WORDS: Kind = Kind::Words(&["retry", "fail"]);
const OOM_STEP_WORDS: Kind = Kind::Words(&["back-off", "split", "more-room", "alone", "retry", "fail"]);

const STEPS: Kind = Kind::Array(&Kind::Called(
    "[step](scheduling.md#your-own-steps)",
    "[steps](scheduling.md#your-own-steps)",
    &Kind::Either(&[STEP_WORDS, Kind::Table(&STEP)]),
));
const OOM_STEPS: Kind = Kind::Array(&Kind::Called(
    "[step](scheduling.md#your-own-steps)",
    "[steps](scheduling.md#your-own-steps)",
    &Kind::Either(&[OOM_STEP_WORDS, Kind::Table(&OOM_STEP)]),
));

const DO: &str = "what to do; a step has either this or `set` and `env`. Only `on_oom` has more than `\"retry\"` and `\"fail\"`";

/// Step of `on_stall` or `on_fail`.
pub(in crate::config) static STEP: Section = Section::new(
    "a step",
    &[
        Key::new("do", STEP_WORDS, "", DO, "\"retry\""),
        STEP_SET,
        STEP_ENV,
        STEP_REASON,
        STEP_PATTERN,
        STEP_TIMES,
    ],
);

/// Step of `on_oom`.
static OOM_STEP: Section = Section::new(
    "a step",
    &[
        Key::new("do", OOM_STEP_WORDS, "", DO, "\"alone\""),
        STEP_SET,
        STEP_ENV,
        STEP_REASON,
        STEP_PATTERN,
        STEP_TIMES,
    ],
);

const STEP_SET: Key = Key::new(
    "set",
    Kind::Table(&CHANGES),
    "",
    "new values of axes: a value, or `\"half\"` or `\"double\"` of a number",
    r#"{ seed = "double" }"#,
);

const STEP_ENV: Key = Key::new(
    "env",
    Kind::Table(&STEP_ENVIRONMENT),
    "",
    "environment variables",
    r#"{ MUJOCO_GL = "osmesa" }"#,
);

const STEP_REASON: Key = Key::new(
    "reason",
    Kind::Either(&[REASON, Kind::Array(&REASON)]),
    "any",
    "only after these [reasons](results.md#reasons)",
    r#"["exit-code", "signal"]"#,
)
.beside("do = \"retry\"");

const STEP_PATTERN: Key =
    Key::new("pattern", PATTERN, "any", "only if a line of the log matches", "'connection reset'")
        .beside("do = \"retry\"");

const STEP_TIMES: Key = Key::new(
    "times",
    COUNT,
    "`1`; no limit for `\"split\"` and `\"back-off\"`",
    "how often a shard takes this step",
    "3",
)
.beside("do = \"retry\"");

static CHANGES: Section =
    Section::of_named("`set`", &Key::new("AXIS", SCALAR, "", "the new value of this axis", "64"));

static STEP_ENVIRONMENT: Section = Section::of_named(
    "`env`",
    &Key::new("NAME", SCALAR, "", "the value of this environment variable", "\"osmesa\""),
);

pub(super) static NODES: Section = Section::new(
    "[[nodes]]",
    &[
        Key::new("kind", Kind::Words(&["ssh", "slurm"]), REQUIRED, "how the machines are reached", "\"ssh\"")
            .beside("hosts = [\"gpu1\"]"),
        Key::new(
            "hosts",
            Kind::Array(&STRING),
            "required for `\"ssh\"`",
            "names that `ssh` reaches without a question, such as those of `~/.ssh/config`; each is a node",
            "[\"gpu1\", \"gpu2\"]",
        )
        .beside("kind = \"ssh\""),
        Key::new("count", COUNT, "`1`", "for `\"slurm\"`: at most so many jobs at once; each is a node", "4")
            .beside("kind = \"slurm\""),
        Key::new(
            "sbatch",
            Kind::Array(&STRING),
            "none",
            "for `\"slurm\"`: options of `sbatch`, passed on as written",
            "[\"--partition=gpu\", \"--gres=gpu:4\", \"--time=08:00:00\"]",
        )
        .beside("kind = \"slurm\""),
        Key::new(
            "lease",
            DURATION,
            "`\"5min\"`",
            "a node that cannot read the folder of the run for so long ends its shards, and not before that time they run elsewhere",
            "\"2min\"",
        )
        .beside("kind = \"ssh\"\nhosts = [\"gpu1\"]"),
        Key::new(
            "devices",
            Kind::Array(&Kind::Either(&[INTEGER, STRING])),
            "all permitted",
            "numbers and UUIDs of the GPUs that shards may use there",
            "[0, 1]",
        )
        .beside("kind = \"ssh\"\nhosts = [\"gpu1\"]"),
    ],
);
