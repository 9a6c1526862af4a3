//! `[progress]`, `[[metric]]`, `[[rule]]`, `[results]` and `[analysis]`: how logs and results are read.

use super::kinds::{
    AXIS, COUNT, INTEGER, NUMBER, PATTERN, PATTERN_OF_VALUE, STRING, TEMPLATE, TEMPLATE_PATH, TEMPLATES,
};
use super::shape::{Key, Kind, REQUIRED, Section};
use crate::model::sweep::presets::PRESETS;
use crate::model::sweep::rule::BuiltInRule;

pub(super) static PROGRESS: Section = Section::new(
    "[progress]",
    &[
        Key::new(
            "preset",
            Kind::Either(&[Kind::WordsOf(preset_words, "[preset](formats.md)", "presets"), STRING]),
            "`\"auto\"`",
            "the format of the log, also [one of your own](formats.md#a-format-file-of-your-own); `\"tqdm:NAME\"` reads the \
             bar of that name alone",
            "\"isaac-eval\"",
        ),
        Key::new(
            "done",
            Kind::Text("pattern with a group `done`", ""),
            "none",
            "a line that counts the work; a group `total` is how much there is",
            r"'Episode (?<done>\d+)/(?<total>\d+)'",
        ),
        Key::new("total", COUNT, "what the log says", "how much there is to do", "100"),
        Key::new(
            "finished",
            PATTERN,
            "none",
            "the line that says that all is complete; without it the shard is `incomplete`",
            "'Evaluation complete!'",
        ),
        Key::new(
            "file",
            TEMPLATE_PATH,
            "none",
            "a JSON file that the program keeps up to date; in place of `done`",
            r#""{{ out }}/progress.json""#,
        ),
    ],
);

const LOG_METRIC: &str = "name = \"success\"\npattern = 'success=(?<value>[\\d.]+)'";

pub(super) static METRIC: Section = Section::new(
    "[[metric]]",
    &[
        Key::new("name", STRING, REQUIRED, "the name of the column", "\"success\"")
            .beside(r"pattern = 'success=(?<value>[\d.]+)'"),
        Key::new(
            "pattern",
            PATTERN_OF_VALUE,
            "",
            "reads the log; with `reduce = \"count\"` no group is needed",
            r"'success=(?<value>[\d.]+)'",
        )
        .beside("name = \"success\""),
        Key::new(
            "file",
            TEMPLATE_PATH,
            "",
            "reads a [result file](results.md#result-files) in place of the log; may hold `*`",
            r#""{{ out }}/eval_info.json""#,
        )
        .beside("name = \"success\"\nkey = \"overall.pc_success\""),
        Key::new(
            "key",
            STRING,
            "required with `file`",
            "a column; in JSON a path: `overall.pc_success`, `per_task[].metrics.successes[]`, `*.n`, `[-1].loss`",
            "\"overall.pc_success\"",
        )
        .beside("name = \"success\"\nfile = \"{{ out }}/eval_info.json\""),
        Key::new(
            "reduce",
            Kind::Words(&["last", "first", "mean", "min", "max", "sum", "count"]),
            "`\"last\"`",
            "what several values become; required for a path that leads to several",
            "\"mean\"",
        )
        .beside(LOG_METRIC),
        Key::new(
            "scale",
            NUMBER,
            "`1`",
            "each value is multiplied by it: `0.01` makes a share of a percentage",
            "0.01",
        )
        .beside(LOG_METRIC),
        Key::new("unit", STRING, "none", "shown after the number", "\"%\"").beside(LOG_METRIC),
    ],
);

pub(super) static RULE: Section = Section::new(
    "[[rule]]",
    &[
        Key::new("pattern", PATTERN, REQUIRED, "what the line looks like", "'buffer overflow'")
            .beside("verdict = \"invalid\""),
        Key::new(
            "verdict",
            Kind::Words(&["off", "invalid", "failed", "warning"]),
            REQUIRED,
            "the results are wrong, the attempt failed, or a remark; `\"off\"` is for a built-in rule",
            "\"invalid\"",
        )
        .beside("pattern = 'buffer overflow'"),
        Key::new(
            "message",
            STRING,
            "that a line matches the pattern",
            "what is shown",
            "\"PhysX dropped contacts\"",
        )
        .beside("pattern = 'buffer overflow'\nverdict = \"invalid\""),
        Key::new(
            "name",
            Kind::WordsOf(rule_words, "name of a [built-in rule](results.md#built-in-rules)", ""),
            "",
            "in place of `pattern` and `message`: gives that rule another `verdict`, also `\"off\"`",
            "\"never-moved\"",
        )
        .beside("verdict = \"off\""),
    ],
);

pub(super) static RESULTS: Section = Section::new(
    "[results]",
    &[
        Key::new(
            "file",
            TEMPLATE_PATH,
            "none",
            "a result file of a known format",
            r#""{{ out }}/eval_info.json""#,
        ),
        Key::new(
            "merge",
            Kind::Words(&["none", "lerobot", "jsonl", "csv", "json"]),
            "`\"none\"`",
            "how the files of the shards of a combo become one",
            "\"lerobot\"",
        ),
        Key::new(
            "merge_file",
            TEMPLATE_PATH,
            "`file`, or the artifacts of that kind, else what is in `{{ out }}`",
            "the files to merge",
            r#""{{ out }}/*.jsonl""#,
        )
        .beside("merge = \"jsonl\""),
        Key::new(
            "rows",
            Kind::Words(&["episodes", "any"]),
            "`\"episodes\"`",
            "each row is an episode, or not; for `\"jsonl\"` and `\"csv\"`",
            "\"any\"",
        )
        .beside("merge = \"csv\""),
        Key::new(
            "rules",
            Kind::Table(&MERGE_RULES),
            "none",
            "for `\"json\"`: what becomes of the values at each path",
            r#"{ "*.success_rate" = "mean", note = "first" }"#,
        )
        .beside("merge = \"json\""),
        Key::new(
            "steps",
            Kind::Array(&Kind::Either(&[INTEGER, STRING])),
            "none",
            "numbers of steps, such as `\"100M\"` (`k`, `M`, `G`), whose time the report shows",
            r#"["34M", "100M"]"#,
        ),
        Key::new(
            "reporter",
            Kind::Either(&[TEMPLATE, Kind::Table(&REPORTER)]),
            "none",
            "a line of `bash` after the last shard",
            r#""python report.py {{ run_dir }}""#,
        ),
    ],
);

static MERGE_RULES: Section = Section::of_named(
    "`rules`",
    &Key::new(
        "PATH",
        Kind::Text(
            "`\"same\"`, `\"first\"`, `\"list\"`, `\"episodes\"`, `\"join\"`, `\"sum\"`, `\"min\"`, `\"max\"`, `\"mean\"` or \
             `\"mean by PATH\"`",
            "strings",
        ),
        "",
        "what becomes of the values at this path",
        "\"mean\"",
    ),
);

static REPORTER: Section = Section::new(
    "[reporter]",
    &[
        Key::new("command", TEMPLATE, REQUIRED, "the line", r#""python report.py {{ run_dir }}""#),
        Key::new(
            "cwd",
            TEMPLATE_PATH,
            "that of the shards",
            "its folder; where that differs by combo, the folder of the sweep",
            "\"tools\"",
        )
        .beside("command = \"python report.py\""),
        Key::new(
            "setup",
            TEMPLATES,
            "that of the shards",
            "steps before it; setup that differs by combo has to be replaced here",
            r#"["module load python"]"#,
        )
        .beside("command = \"python report.py\""),
    ],
);

pub(super) static ANALYSIS: Section = Section::new(
    "[analysis]",
    &[
        Key::new(
            "clusters",
            Kind::Array(&AXIS),
            "axes called `train_seed`, `training_seed`, `pretrain_seed`, `finetune_seed`, `model_seed`, `policy_seed`, \
             `checkpoint_seed`, `ckpt_seed`, `init_seed`",
            "axes that repeat the training; `[]` for none",
            r#"["seed"]"#,
        ),
        Key::new(
            "paired",
            Kind::Words(&["by-seed", "by-number", "never"]),
            "`\"by-seed\"`",
            "what makes two episodes the same",
            "\"by-number\"",
        ),
        Key::new(
            "stop",
            Kind::Table(&STOP),
            "none",
            "ends the comparison of the values of an axis [once it is decided](results.md#ending-a-comparison-early)",
            r#"{ compare = "policy", level = 0.05 }"#,
        ),
    ],
);

static STOP: Section = Section::new(
    "[stop]",
    &[
        Key::new("compare", AXIS, REQUIRED, "the axis whose values are compared", "\"policy\""),
        Key::new("level", Kind::Number(0.0, 0.5), "`0.05`", "the chance of a false decision", "0.05")
            .beside("compare = \"policy\""),
    ],
);

fn preset_words() -> Vec<&'static str> {
    PRESETS.to_vec()
}

fn rule_words() -> Vec<&'static str> {
    BuiltInRule::ALL.map(BuiltInRule::as_str).to_vec()
}
