//! What can be typed: the words and flags of every verb, and nothing of what they do.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use jiff::Timestamp;

use super::addressing::target_args::{OneRun, OneShard, SomeShards};
use super::adoption::adopt_args::AdoptArgs;
use super::assistants::mcp_args::McpArgs;
use super::demonstration::demo_args::DemoWorkerArgs;
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
use super::results::compare_args::CompareArgs;
use super::scanning::scan_args::ScanArgs;
use super::screens::monitor_args::MonitorArgs;
use super::screens::screen_args::{LookArgs, ScreenArgs};
use super::service::service_args::ServiceArgs;
use super::verbs::act_args::{
    AddArgs, GpuList, PriorityArgs, RequeueArgs, SetArgs, UnwatchArgs, gpu_list, start_time,
};
use crate::model::sweep::plan::Parallel;
use crate::model::units::parse_duration;

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

/// Arguments of `demo`, the embedded sweep.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Wait in the foreground without a dashboard
    #[arg(long)]
    pub headless: bool,
    /// The run's folder itself; it must not exist or be empty
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How the dashboard looks.
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// Arguments of `check`, which starts nothing.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The sweep file; the one in this folder where none is named
    pub sweep: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `run`, which starts a sweep.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The sweep file; the one in this folder where none is named
    pub sweep: Option<PathBuf>,
    /// Print the run's folder and come back at once
    #[arg(long, conflicts_with = "headless")]
    pub detach: bool,
    /// Wait in the foreground without a dashboard
    #[arg(long)]
    pub headless: bool,
    /// The run's folder itself; it must not exist or be empty
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How many shards run side by side, in place of the sweep's number: a number, or `auto`
    #[arg(long, value_name = "N", value_parser = number_or_auto)]
    pub parallel: Option<Parallel>,
    /// Only these GPUs, in place of the sweep's `devices`: numbers or UUIDs such as `2,3`, or `all`
    #[arg(long, value_name = "LIST", value_parser = gpu_list)]
    pub gpus: Option<GpuList>,
    /// Only these shards: an expression such as `policy == "flat"`, or ids
    #[arg(long, value_name = "EXPR")]
    pub only: Option<String>,
    /// Only what did not succeed in that run
    #[arg(long, value_name = "RUN")]
    pub rerun: Option<String>,
    /// Start nothing before this time: `22:00`, or "2026-11-23 22:00"
    #[arg(long, value_name = "TIME", value_parser = start_time)]
    pub at: Option<Timestamp>,
    /// How the dashboard looks.
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// Arguments of `autotune`, which tries a shard.
#[derive(Debug, Args)]
pub struct AutotuneArgs {
    /// The sweep file
    pub sweep: PathBuf,
    /// The shard to try [default: the first]
    #[arg(long, value_name = "SHARD")]
    pub shard: Option<String>,
    /// How long a trial may take, loading included; it ends sooner when its rate has settled
    #[arg(long = "for", value_name = "TIME", default_value = "5m", value_parser = parse_duration)]
    pub limit: Duration,
    /// Also try 2, 4, … side by side, until throughput stops growing or memory ends
    #[arg(long)]
    pub scale: bool,
    /// Try no more than so many side by side
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..), requires = "scale")]
    pub most: u32,
    /// Write a copy of the sweep with what is advised; it must not exist
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// Keep the folder with the logs and the output of the trials
    #[arg(long)]
    pub keep: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `attach`, which shows the dashboard.
#[derive(Debug, Args)]
pub struct AttachArgs {
    /// The run to show, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// Watch only: no key acts, no socket is opened
    #[arg(long)]
    pub read_only: bool,
    /// How the dashboard looks.
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// Arguments of `ls`, the list of runs.
#[derive(Debug, Args)]
pub struct LsArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `report`, which merges the results.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The run to report on, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// Merge the files of shards also where some are missing; the file says that it is partial
    #[arg(long)]
    pub partial: bool,
    /// Only print them; no file is written
    #[arg(long, conflicts_with = "partial")]
    pub read_only: bool,
}

/// Arguments of `status`, for one run.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// The run to describe, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `logs`, for one shard.
#[derive(Debug, Args)]
pub struct LogsArgs {
    /// The shard whose log is printed, and its run.
    #[command(flatten)]
    pub shard: OneShard,
    /// Go on as the log grows, until the attempt ends
    #[arg(long, short)]
    pub follow: bool,
    /// Only the last lines, as plain text without colours and without what was drawn over
    #[arg(long, value_name = "N", conflicts_with = "follow", value_parser = clap::value_parser!(u32).range(1..))]
    pub tail: Option<u32>,
    /// Which try [default: the newest]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub attempt: Option<u32>,
}

/// Arguments of `stop`, for one run.
#[derive(Debug, Args)]
pub struct StopArgs {
    /// The run to stop, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// End running shards too
    #[arg(long)]
    pub now: bool,
}

/// Arguments of `replay`, for one run.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The run to replay, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// How the dashboard looks; the forms that replace it show no past.
    #[command(flatten)]
    pub look: LookArgs,
}

/// Arguments of `completions`, for one shell.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Which shell
    pub shell: Shell,
}

/// Arguments of `recover`, for one run.
#[derive(Debug, Args)]
pub struct RecoverArgs {
    /// The run to recover, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// Continue every run of yours that was at work here, as after a reboot
    #[arg(long, conflicts_with_all = ["word", "run", "take_over", "salvage"])]
    pub all: bool,
    /// Move a run here whose machine or container is gone for good
    #[arg(long, conflicts_with = "salvage")]
    pub take_over: bool,
    /// Show what is sound of a damaged journal and keep that; the damaged one stays beside it, and nothing is started
    #[arg(long)]
    pub salvage: bool,
}

/// Arguments of `screenshot`, for one run.
#[derive(Debug, Args)]
pub struct ScreenshotArgs {
    /// The run to draw, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// Columns and rows
    #[arg(long, default_value = "120x40", value_parser = columns_and_rows)]
    pub size: (u16, u16),
    /// Colours
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// The whole course of the run as one animated picture of so many frames
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(2..=200))]
    pub frames: Option<u16>,
}

fn number_or_auto(text: &str) -> Result<Parallel, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(Parallel::Fixed(number)),
        Err(_) if text == "auto" => Ok(Parallel::Auto),
        Ok(_) | Err(_) => Err("it is a number of at least 1, or `auto`".to_owned()),
    }
}

fn columns_and_rows(text: &str) -> Result<(u16, u16), String> {
    text.split_once('x')
        .and_then(|(columns, rows)| Some((columns.parse().ok()?, rows.parse().ok()?)))
        .ok_or_else(|| "columns and rows look like `120x40`".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_are_columns_by_rows() {
        assert_eq!(columns_and_rows("80x24"), Ok((80, 24)));
        assert!(columns_and_rows("80").is_err());
    }
}
