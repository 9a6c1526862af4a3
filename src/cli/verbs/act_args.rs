//! What can be typed after `stop`, `requeue`, `priority`, `set`, `add` and `unwatch`.

use clap::Args;
use jiff::{Timestamp, Zoned};

use crate::cli::addressing::target_args::{OneRun, SomeShards};
use crate::model::hours::start_time::parse_start;
use crate::model::machine::gpu_permit::parse_choice;
use crate::model::units::Bytes;

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

/// Arguments of `requeue`, for ended shards.
#[derive(Debug, Args)]
pub struct RequeueArgs {
    /// The shards to put back, and their run.
    #[command(flatten)]
    pub shards: SomeShards,
    /// Run the one shard with this value of a variable; its name and its place in the matrix stay
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub set: Vec<(String, String)>,
    /// Run the one shard with this environment variable, a template as in the sweep
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub env: Vec<(String, String)>,
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .ok_or_else(|| "a name and its value look like `seed=7`".to_owned())
}

/// Arguments of `priority`, for queued shards.
#[derive(Debug, Args)]
pub struct PriorityArgs {
    /// The shards to move, and their run.
    #[command(flatten)]
    pub shards: SomeShards,
    /// Higher ones start first; 0 is the place that the sweep gives
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i32).range(-99..=99))]
    pub set: i32,
}

/// Arguments of `add`: the new values.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The values, after the run unless it is the newest: `policy=teacher`, `seed=3,4`, `seed=250..500`
    #[arg(value_name = "[RUN] AXIS=VALUE", required = true)]
    pub words: Vec<String>,
    /// The run, where its name has a `=`
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Take the sweep as the run was given it, although its file has changed
    #[arg(long)]
    pub as_started: bool,
}

/// Arguments of `unwatch`, for one run.
#[derive(Debug, Args)]
pub struct UnwatchArgs {
    /// The run that takes up no more new files, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// Only this axis
    #[arg(long, value_name = "AXIS")]
    pub axis: Option<String>,
}

/// GPUs by number or UUID; none for all.
#[derive(Debug, Clone)]
pub struct GpuList(pub Vec<String>);

/// Reads such a list.
pub fn gpu_list(text: &str) -> Result<GpuList, String> {
    parse_choice(text).map(GpuList)
}

/// Reads a moment of the wall clock that lies ahead.
pub fn start_time(text: &str) -> Result<Timestamp, String> {
    parse_start(text, &Zoned::now())
}

/// Arguments of `set`: the new limits of a run.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true).args(["parallel", "reserve_vram", "gpus", "at"])))]
pub struct SetArgs {
    /// The run to change, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// So many shards side by side; none is stopped
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub parallel: Option<u32>,
    /// So much VRAM is left free on every GPU
    #[arg(long, value_name = "SIZE")]
    pub reserve_vram: Option<Bytes>,
    /// New shards get only these GPUs: numbers or UUIDs such as `2,3`, or `all` that the run's start permits
    #[arg(long, value_name = "LIST", value_parser = gpu_list)]
    pub gpus: Option<GpuList>,
    /// Nothing starts before this time: `22:00`, or "2026-11-23 22:00"; what runs goes on
    #[arg(long, value_name = "TIME", value_parser = start_time)]
    pub at: Option<Timestamp>,
}
