//! Arguments of `check` and `run`.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;

use super::new_run_args::NewRunArgs;
use crate::cli::screens::screen_args::ScreenArgs;
use crate::cli::verbs::act_args::{GpuList, gpu_list, start_time};
use crate::model::sweep::plan::Parallel;

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
    /// Where the run lies, and who waits for it.
    #[command(flatten)]
    pub new_run: NewRunArgs,
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

fn number_or_auto(text: &str) -> Result<Parallel, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(Parallel::Fixed(number)),
        Err(_) if text == "auto" => Ok(Parallel::Auto),
        Ok(_) | Err(_) => Err("it is a number of at least 1, or `auto`".to_owned()),
    }
}
