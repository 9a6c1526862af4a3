//! Arguments of `demo` and of `demo-worker`, its evaluator.

use std::path::PathBuf;

use clap::Args;

use crate::cli::screens::screen_args::ScreenArgs;
use crate::cli::start::new_run_args::NewRunArgs;
use crate::demo::task::{DemoPolicy, Environment};

/// Arguments of `demo`, the embedded sweep.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Where the run lies, and who waits for it.
    #[command(flatten)]
    pub new_run: NewRunArgs,
    /// How the dashboard looks.
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// The evaluator of the demo.
#[derive(Debug, Clone, Args)]
pub struct DemoWorkerArgs {
    /// The control problem: cart-pole, pendulum, mountain-car or acrobot
    #[arg(long)]
    pub env: Environment,
    /// Who acts: tuned or random
    #[arg(long)]
    pub policy: DemoPolicy,
    /// How many episodes
    #[arg(long, default_value_t = 25)]
    pub episodes: u64,
    /// Fixes all chance; episodes with the same seed begin alike under both policies
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
    /// The folder for episodes.jsonl and eval_info.json
    #[arg(long, value_name = "DIR")]
    pub output: PathBuf,
    /// How long an episode of full length is shown; 0 shows none longer than it takes to compute
    ///
    /// Integrating an episode takes microseconds, too short to watch. $SWEEPDECK_DEMO_PACE is the default.
    #[arg(long, value_name = "SECONDS", value_parser = parse_pace)]
    pub pace: Option<f64>,
}

/// Reads a pace in seconds.
pub fn parse_pace(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(pace) if (0.0..=3600.0).contains(&pace) => Ok(pace),
        _ => Err(format!("is `{text}`; give seconds from 0 to 3600")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_must_be_a_number_of_seconds() {
        assert_eq!(parse_pace("0.5"), Ok(0.5));
        for wrong in ["-1", "NaN", "inf", "fast"] {
            assert!(parse_pace(wrong).is_err(), "{wrong}");
        }
    }
}
