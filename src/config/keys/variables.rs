//! The variables of templates.

/// Variable of templates with everything that is said about it anywhere.
#[derive(Debug)]
pub struct TemplateVariable {
    /// Name, with the member behind a dot; in capitals where the user chooses it.
    pub name: &'static str,
    /// Its value, as Markdown.
    pub meaning: &'static str,
    /// Templates that know it.
    pub place: &'static str,
    /// A template that uses it.
    pub example: &'static str,
}

const fn variable(
    name: &'static str,
    meaning: &'static str,
    place: &'static str,
    example: &'static str,
) -> TemplateVariable {
    TemplateVariable { name, meaning, place, example }
}

const SLICED: &str = "needs [`[episodes]`](#episodes)";
const PACKED: &str = "needs [`[pack]`](#pack)";
const START: &str = "known at the start";
const OWN: &str = "[`[commands]`](dashboard.md#your-own-commands) only";

/// Variables of templates of a shard, then those that only commands of the dashboard know.
pub const TEMPLATE_VARIABLES: &[TemplateVariable] = &[
    variable(
        "AXIS",
        "the value of an axis in this combo, with its type, so that `{{ 256 * n }}` works; the same for a variable that \
         `include` adds",
        "all templates of a shard; services see their [own axes](#service)",
        "--policy {{ policy }}",
    ),
    variable("id", "the id of the shard", "all but `id` itself", "--tag {{ id }}"),
    variable(
        "shard.index",
        "number of this slice of the combo, from 0",
        SLICED,
        "--shard-id {{ shard.index }}",
    ),
    variable("shard.count", "number of slices of the combo", SLICED, "--num-shards {{ shard.count }}"),
    variable("shard.episodes", "number of episodes of the slice", SLICED, "--episodes {{ shard.episodes }}"),
    variable("shard.first", "number of its first episode", SLICED, "--first {{ shard.first }}"),
    variable("shard.ids", "numbers of all its episodes: `0,1,2`", SLICED, "--ids {{ shard.ids }}"),
    variable("shard.seed", "seed of its first episode", SLICED, "--seed {{ shard.seed }}"),
    variable(
        "shard.arguments",
        "the arguments that pass the program its slice",
        "`command`, with `runner` or `arguments` in `[episodes]`",
        "lerobot-eval {{ shard.arguments }}",
    ),
    variable("pack.index", "number of the pack, from 0", PACKED, "pack-{{ pack.index }}"),
    variable("pack.axis", "names of the packed axes, with commas", PACKED, "--axis {{ pack.axis }}"),
    variable(
        "pack.axes",
        "names of the packed axes",
        PACKED,
        "{% for axis in pack.axes %}{{ axis }} {% endfor %}",
    ),
    variable(
        "pack.values",
        "the values of the pack: `0,1,2`",
        PACKED,
        "--seeds {{ pack.values | join(',') }}",
    ),
    variable("pack.count", "how many values there are", PACKED, "--num_envs {{ 256 * pack.count }}"),
    variable(
        "pack.AXIS",
        "the values of one of several packed axes",
        "needs `axes` in `[pack]`",
        "--tasks {{ pack.task | join(',') }}",
    ),
    variable("out", "the output folder of this attempt", START, "--output {{ out }}"),
    variable(
        "run_dir",
        "the run directory",
        "known at the start; the only variable of `reporter`",
        "python report.py {{ run_dir }}",
    ),
    variable("attempt", "the number of this attempt, from 1", START, "--attempt {{ attempt }}"),
    variable("gpus", "the GPUs of this attempt: `0,1,2,3`", START, "--devices {{ gpus }}"),
    variable(
        "gpus.NAME",
        "those of one [component](#resources), as ranges: `0-1,3`",
        START,
        "env={{ gpus.env }}",
    ),
    variable("port", "a free TCP port", START, "--port {{ port }}"),
    variable(
        "previous",
        "the attempt that this one [continues](scheduling.md#continue-where-an-attempt-stopped); false for the first attempt",
        START,
        "{% if previous %}--resume{% endif %}",
    ),
    variable("previous.out", "its output folder", START, "--resume {{ previous.out | default('') }}"),
    variable("previous.attempt", "its number", START, "--after {{ previous.attempt | default(0) }}"),
    variable(
        "previous.done",
        "how much it had done, where that is known",
        START,
        "--skip {{ previous.done | default(0) }}",
    ),
    variable(
        "service.NAME.port",
        "port of the instance of a [service](#service) that the shard uses",
        START,
        "--port {{ service.policy.port }}",
    ),
    variable("service.NAME.host", "its host: `127.0.0.1`", START, "--host {{ service.policy.host }}"),
    variable(
        "service.NAME.address",
        "both: `127.0.0.1:PORT`",
        START,
        "--server {{ service.policy.address }}",
    ),
    variable("service.NAME.id", "its name in tables", START, "--server-name {{ service.policy.id }}"),
    variable("service.NAME.out", "its output folder", START, "--model {{ service.policy.out }}/model.bin"),
    variable("log", "the log of the newest attempt", OWN, "less {{ log }}"),
    variable("pid", "the main process of the shard", OWN, "py-spy dump --pid {{ pid }}"),
];
