//! The tools of assistants: each is a verb of the command line with some of its arguments.

use super::parameter::{Parameter, ParameterKind};

/// A tool.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// Name by which it is called.
    pub name: &'static str,
    /// What it does, for the assistant and for the person who is asked to permit it.
    pub description: &'static str,
    /// Whether it changes anything.
    pub effect: ToolEffect,
    /// Words of the command line before those of the parameters.
    pub words: &'static [&'static str],
    /// Parameters in the order of the command line.
    pub parameters: &'static [Parameter],
}

/// Whether a tool changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEffect {
    /// Nothing is changed.
    Reads,
    /// Work is started, suspended or continued.
    Acts,
    /// Work that is being done is lost.
    Destroys,
}

const fn required(name: &'static str, kind: ParameterKind, help: &'static str) -> Parameter {
    Parameter { name, kind, is_required: true, help }
}

const fn optional(name: &'static str, kind: ParameterKind, help: &'static str) -> Parameter {
    Parameter { name, kind, is_required: false, help }
}

const RUN: Parameter =
    optional("run", ParameterKind::Option("--run"), "Name or folder of the run; left out, the newest run.");
const SHARDS: Parameter =
    required("shards", ParameterKind::Words, "Ids of the shards, as `status` lists them.");

/// All tools: those that only read come first.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "list_runs",
        description: "Lists the runs of this user, newest first: name, folder, state, and shards by phase.",
        effect: ToolEffect::Reads,
        words: &["ls", "--json"],
        parameters: &[],
    },
    Tool {
        name: "status",
        description: "State of a run and of each of its shards: phase, progress, metrics, reason of a failure, time \
                      left, GPUs, host.",
        effect: ToolEffect::Reads,
        words: &["status", "--json"],
        parameters: &[RUN],
    },
    Tool {
        name: "logs",
        description: "The last lines of a shard's log, as text.",
        effect: ToolEffect::Reads,
        words: &["logs"],
        parameters: &[
            RUN,
            optional(
                "attempt",
                ParameterKind::Number("--attempt", None),
                "Which attempt; left out, the newest.",
            ),
            optional("lines", ParameterKind::Number("--tail", Some(100)), "How many lines; left out, 100."),
            required("shard", ParameterKind::Word, "Id of the shard."),
        ],
    },
    Tool {
        name: "scan",
        description: "Reads the log file of any evaluation: progress, metrics, alerts, verdict.",
        effect: ToolEffect::Reads,
        words: &["scan", "--json"],
        parameters: &[
            optional(
                "preset",
                ParameterKind::Option("--preset"),
                "Format of the log; left out, what fits best.",
            ),
            required("log", ParameterKind::Word, "Path of the log file."),
        ],
    },
    Tool {
        name: "report",
        description: "Results of a run as text: success of each combo with its interval, failures, times. Writes no file.",
        effect: ToolEffect::Reads,
        words: &["report", "--read-only"],
        parameters: &[RUN],
    },
    Tool {
        name: "compare",
        description: "Holds runs of one sweep against the first of them: success, failures, times.",
        effect: ToolEffect::Reads,
        words: &["compare", "--json"],
        parameters: &[required("runs", ParameterKind::Words, "Names or folders of at least two runs.")],
    },
    Tool {
        name: "explain",
        description: "Describes a key of sweep files or settings, or a variable of templates: type, default, meaning.",
        effect: ToolEffect::Reads,
        words: &["explain", "--json"],
        parameters: &[required("key", ParameterKind::Word, "Name of the key, such as `schedule.parallel`.")],
    },
    Tool {
        name: "check",
        description: "Validates a sweep file, looks at this machine and returns the plan. Starts no shard; runs the \
                      commands by which axes of the sweep find their values.",
        effect: ToolEffect::Acts,
        words: &["check", "--json"],
        parameters: &[required("sweep", ParameterKind::Word, "Path of the sweep file.")],
    },
    Tool {
        name: "start_run",
        description: "Starts a sweep: the commands of the sweep file run on this machine with the rights of its user, \
                      and keep running without the assistant. Returns the folder of the run.",
        effect: ToolEffect::Acts,
        words: &["run", "--detach"],
        parameters: &[
            optional("only", ParameterKind::Option("--only"), "Only these shards, such as `policy=flat`."),
            required("sweep", ParameterKind::Word, "Path of the sweep file."),
        ],
    },
    Tool {
        name: "requeue",
        description: "Puts ended shards back into the queue: their commands run once more, and their results are replaced.",
        effect: ToolEffect::Acts,
        words: &["requeue"],
        parameters: &[RUN, SHARDS],
    },
    Tool {
        name: "pause",
        description: "Suspends all processes of running shards with SIGSTOP; they keep their memory, also that of GPUs.",
        effect: ToolEffect::Acts,
        words: &["pause"],
        parameters: &[RUN, SHARDS],
    },
    Tool {
        name: "resume",
        description: "Lets the processes of paused shards continue.",
        effect: ToolEffect::Acts,
        words: &["resume"],
        parameters: &[RUN, SHARDS],
    },
    Tool {
        name: "kill",
        description: "Ends all processes of running shards (SIGINT, then SIGTERM, then SIGKILL), whose work so far is \
                      lost, and takes queued shards out of the run.",
        effect: ToolEffect::Destroys,
        words: &["kill"],
        parameters: &[RUN, SHARDS],
    },
    Tool {
        name: "stop",
        description: "Starts nothing more of a run and lets running shards end; with `now` it ends them too, and their \
                      work so far is lost.",
        effect: ToolEffect::Destroys,
        words: &["stop"],
        parameters: &[RUN, optional("now", ParameterKind::Flag("--now"), "End running shards too.")],
    },
];

/// Returns the tool of that name.
pub fn find_tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}
