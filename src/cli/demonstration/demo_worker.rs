//! `demo-worker`: plays the evaluator of the demo. It runs episodes, prints a line for each and writes result files.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::demo_args::DemoWorkerArgs;
use super::demo_args::parse_pace;
use super::demo_results::DemoResults;
use super::demo_results::EvaluationEnd;
use crate::demo::episode::{self, EpisodeRecord};
use crate::demo::task::Environment;

/// How long the longest episode is shown by default: a shard then takes some 15 to 25 seconds.
const DEFAULT_PACE: f64 = 1.0;

/// Runs the evaluation: 0 when it is complete, 130 or 143 when a signal ended it with its results saved.
pub fn run(args: &DemoWorkerArgs) -> ExitCode {
    match run_episodes(args) {
        Ok(EvaluationEnd::Complete) => ExitCode::SUCCESS,
        Ok(EvaluationEnd::Stopped(signal)) => ExitCode::from(128 + signal),
        Err(error) => {
            // With stderr gone there is nowhere left to report it.
            let _ = writeln!(io::stderr(), "demo-worker: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run_episodes(args: &DemoWorkerArgs) -> io::Result<EvaluationEnd> {
    let pace = resolve_pace(args)?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let mut stops = Stops::new()?;
        let mut results = DemoResults::begin(args, pace, io::stdout())?;
        let mut integrating = Duration::ZERO;
        for number in 1..=args.episodes {
            let started = Instant::now();
            let episode = episode::run_episode(args.env, args.policy, args.seed, number);
            integrating += started.elapsed();
            if let Some(signal) = stops.wait_for_signal(shown_for(&episode, args.env, pace)).await {
                results.finish(EvaluationEnd::Stopped(signal), integrating)?;
                return Ok(EvaluationEnd::Stopped(signal));
            }
            results.add_episode(episode)?;
        }
        results.finish(EvaluationEnd::Complete, integrating)?;
        Ok(EvaluationEnd::Complete)
    })
}

fn resolve_pace(args: &DemoWorkerArgs) -> io::Result<f64> {
    match (args.pace, std::env::var("SWEEPDECK_DEMO_PACE")) {
        (Some(pace), _) => Ok(pace),
        (None, Ok(text)) => {
            parse_pace(&text).map_err(|problem| io::Error::other(format!("SWEEPDECK_DEMO_PACE {problem}")))
        }
        (None, Err(_)) => Ok(DEFAULT_PACE),
    }
}

/// At least half of the pace, so that episodes that end at once can be seen too; the rest by their length.
fn shown_for(episode: &EpisodeRecord, environment: Environment, pace: f64) -> Duration {
    let part = f64::from(episode.length) / f64::from(episode::max_steps(environment));
    Duration::from_secs_f64(pace * (0.5 + 0.5 * part))
}

/// The signals that end an evaluation early.
struct Stops {
    interrupt: Signal,
    terminate: Signal,
}

impl Stops {
    fn new() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits; the number of a signal that came meanwhile.
    async fn wait_for_signal(&mut self, time: Duration) -> Option<u8> {
        let pause = async {
            // A yield lets signals in where there is nothing to wait for.
            tokio::task::yield_now().await;
            tokio::time::sleep(time).await;
        };
        tokio::select! {
            biased;
            _ = self.interrupt.recv() => Some(2),
            _ = self.terminate.recv() => Some(15),
            () = pause => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::task::DemoPolicy;

    #[test]
    fn longer_episodes_are_shown_longer_and_none_with_pace_zero() {
        let episode = |length| EpisodeRecord {
            length,
            ..episode::run_episode(Environment::CartPole, DemoPolicy::Random, 7, 1)
        };
        let shown = |length, pace| shown_for(&episode(length), Environment::CartPole, pace);
        assert_eq!(shown(500, 1.0), Duration::from_secs(1));
        assert_eq!(shown(0, 1.0), Duration::from_millis(500));
        assert_eq!(shown(250, 0.0), Duration::ZERO);
    }
}
