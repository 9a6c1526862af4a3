//! What can be typed: the words and flags of every verb, and nothing of what they do.

use clap::{Parser, Subcommand};

use super::addressing::target_args::{OneRun, OneShard, SomeShards};
use super::adoption::adopt_args::AdoptArgs;
use super::assistants::mcp_args::McpArgs;
use super::browsing::browsing_args::{AttachArgs, ReplayArgs};
use super::completion::completion_args::CompletionsArgs;
use super::demonstration::demo_args::{DemoArgs, DemoWorkerArgs};
use super::diagnosis::doctor_args::DoctorArgs;
use super::feeds::export_args::ExportArgs;
use super::feeds::metrics_args::MetricsArgs;
use super::feeds::serve_args::ServeArgs;
use super::guidance::explain_args::ExplainArgs;
use super::guidance::init_args::{HelpArgs, InitArgs};
use super::internal::internal_args::{
    BeginNodeArgs, CallHookArgs, EndNodeArgs, FolderArgs, ProbeNodeArgs, SuperviseArgs,
};
use super::manual::man_args::ManArgs;
use super::overview::overview_args::{LogsArgs, LsArgs, StatusArgs};
use super::results::compare_args::CompareArgs;
use super::results::report_args::ReportArgs;
use super::scanning::scan_args::ScanArgs;
use super::screens::monitor_args::MonitorArgs;
use super::screens::screenshot_args::ScreenshotArgs;
use super::service::service_args::ServiceArgs;
use super::start::start_args::{CheckArgs, RunArgs};
use super::tuning::autotune_args::AutotuneArgs;
use super::verbs::act_args::{AddArgs, PriorityArgs, RequeueArgs, SetArgs, StopArgs, UnwatchArgs};
use super::verbs::recover_args::RecoverArgs;

/// Launches sweeps of robot-policy evaluations in parallel pseudo-terminals and shows them on one dashboard.
///
/// Without a verb it lists the runs to attach to and the sweeps to start.
#[derive(Debug, Parser)]
#[command(name = "sweepdeck", version, disable_help_subcommand = true, max_term_width = 100)]
pub struct Cli {
    /// Verb with its arguments; none opens the home screen.
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// The verbs of the command line.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Try it out: an embedded sweep that needs no Python and no GPU
    Demo(DemoArgs),
    /// Validate a sweep, look at this machine and print the plan; starts nothing
    Check(CheckArgs),
    /// Start a sweep and show its dashboard
    Run(RunArgs),
    /// Try one shard for a short while, measure it, and advise how many fit side by side
    Autotune(AutotuneArgs),
    /// Show the dashboard of a run; of another user's run it is read-only
    Attach(AttachArgs),
    /// List the runs
    Ls(LsArgs),
    /// Say how a run stands
    Status(StatusArgs),
    /// Block until a run ends
    Wait(OneRun),
    /// Print the log of a shard: text and colours to a terminal, the very bytes to a file or a pipe
    Logs(LogsArgs),
    /// Enter the terminal of a running shard; Ctrl-\ leaves it (twice sends it on)
    Enter(OneShard),
    /// Stop the processes of running shards for a while; they keep their memory
    Pause(SomeShards),
    /// Let paused shards go on
    Resume(SomeShards),
    /// End running shards and take queued ones out
    Kill(SomeShards),
    /// Put ended shards back into the queue
    Requeue(RequeueArgs),
    /// Start services again: those that run are ended first, and their shards run again
    Restart(SomeShards),
    /// Take requeued shards out of the queue again, as long as they have not started
    Undo(SomeShards),
    /// Let queued shards start before or behind the others
    Priority(PriorityArgs),
    /// Change how many shards run side by side, how much VRAM is left free, which GPUs are used, or when it starts
    Set(SetArgs),
    /// Let a run that waits for its time start now
    Start(OneRun),
    /// Add values to an axis of a run, with the shards that they bring
    Add(AddArgs),
    /// Take up no more new files of a watched axis
    Unwatch(UnwatchArgs),
    /// Start nothing more; with --now end everything
    Stop(StopArgs),
    /// Go on where a run stood, after a stop or a reboot
    Recover(RecoverArgs),
    /// Show what is read from an existing log
    Scan(ScanArgs),
    /// Watch processes that were started otherwise, by their logs: a dashboard that never signals any of them
    Adopt(AdoptArgs),
    /// Write the results of a run again and print them
    Report(ReportArgs),
    /// Hold runs of one sweep against the first of them: success, failures, times
    Compare(CompareArgs),
    /// Show the dashboard over the past of a run: play, stop, go faster, go back
    Replay(ReplayArgs),
    /// Print the dashboard of a run as an SVG picture, or its whole course as an animated one
    Screenshot(ScreenshotArgs),
    /// Bring the numbers of a run to TensorBoard, Weights & Biases, MLflow or Trackio; done again, it doubles nothing
    Export(ExportArgs),
    /// Show the numbers of all runs to Prometheus: shards, progress, episodes, success, GPUs, host
    Metrics(MetricsArgs),
    /// Show the report of a run as a page that follows it; read-only, behind a token
    Serve(ServeArgs),
    /// Answer an assistant over the Model Context Protocol, on standard input and output; read-only unless allowed
    Mcp(McpArgs),
    /// Show the GPUs and the host alone, without a run
    Monitor(MonitorArgs),
    /// Continue all runs by themselves after a reboot: a unit for systemd
    Service(ServiceArgs),
    /// List the keys and look for mistakes in your settings
    Keys,
    /// Write a first sweep: from a preset, from a log, or from a bash script with loops
    Init(InitArgs),
    /// Print a topic (sweep, templates, schedule, results, settings, keys, exit-codes), or the help of a verb
    Help(HelpArgs),
    /// Describe a key of sweep files or settings, or a variable of templates
    Explain(ExplainArgs),
    /// Print the completions for a shell
    Completions(CompletionsArgs),
    /// Write the man pages into a folder
    Man(ManArgs),
    /// Check this machine and session: driver, limits, terminal, clock, folders; with what to do where something is wrong
    Doctor(DoctorArgs),
    /// The process behind a run
    #[command(hide = true)]
    Supervise(SuperviseArgs),
    /// The process behind an attempt
    #[command(hide = true)]
    Hold(FolderArgs),
    /// This machine as a node of a run
    #[command(hide = true)]
    BeginNode(BeginNodeArgs),
    /// The end of a node, whatever of it still runs
    #[command(hide = true)]
    EndNode(EndNodeArgs),
    /// What this machine shows to another one that would have it as a node
    #[command(hide = true)]
    ProbeNode(ProbeNodeArgs),
    /// One call of the user's hook
    #[command(hide = true)]
    CallHook(CallHookArgs),
    /// The evaluator of the demo
    #[command(hide = true)]
    DemoWorker(DemoWorkerArgs),
    /// The process that copies an adopted log
    #[command(hide = true)]
    WatchLog,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
