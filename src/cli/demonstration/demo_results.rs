//! What the demo's evaluator leaves: lines on its terminal, `episodes.jsonl` and `eval_info.json`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::demo_args::DemoWorkerArgs;
use crate::demo::episode::{self, EpisodeRecord};

/// How an evaluation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvaluationEnd {
    /// All episodes were run.
    Complete,
    /// By the signal with this number.
    Stopped(u8),
}

/// The results so far; every episode is on disk before the next one begins.
#[derive(Debug)]
pub struct DemoResults<'a, W: Write> {
    args: &'a DemoWorkerArgs,
    terminal: W,
    episodes_file: File,
    episodes: Vec<EpisodeRecord>,
    started: Instant,
}

/// Contents of `eval_info.json`, in the format of LeRobot.
#[derive(Debug, Serialize)]
struct EvalInfo {
    env: &'static str,
    policy: &'static str,
    seed: u64,
    complete: bool,
    episodes: usize,
    successes: usize,
    success_rate: Option<f64>,
    mean_reward: Option<f64>,
    mean_length: Option<f64>,
    simulated_s: f64,
    integrating_s: f64,
    elapsed_s: f64,
}

impl<'a, W: Write> DemoResults<'a, W> {
    /// Prints the head lines and creates the output folder and its first file.
    pub fn begin(args: &'a DemoWorkerArgs, pace: f64, terminal: W) -> io::Result<Self> {
        fs::create_dir_all(&args.output)?;
        let episodes_file = File::create(args.output.join("episodes.jsonl"))?;
        let mut results =
            Self { args, terminal, episodes_file, episodes: Vec::new(), started: Instant::now() };
        results.print_line(&format!("sweepdeck demo-worker {}", env!("CARGO_PKG_VERSION")))?;
        let horizon = episode::max_steps(args.env);
        results.print_line(&format!("Environment: {}, up to {horizon} steps an episode", args.env))?;
        results.print_line(&format!("Policy: {}, seed {}", args.policy, args.seed))?;
        if pace > 0.0 {
            results.print_line(&format!("Pace: an episode of full length is shown for {pace} s"))?;
        }
        Ok(results)
    }

    /// Takes in an episode.
    pub fn add_episode(&mut self, episode: EpisodeRecord) -> io::Result<()> {
        let mut line = serde_json::to_vec(&episode)?;
        line.push(b'\n');
        self.episodes_file.write_all(&line)?;
        self.print_line(&format!(
            "Episode {}/{} reward={:.2} length={} success={}",
            episode.episode,
            self.args.episodes,
            episode.reward,
            episode.length,
            u8::from(episode.success)
        ))?;
        self.episodes.push(episode);
        Ok(())
    }

    /// Writes the summary to the terminal and to `eval_info.json`.
    pub fn finish(&mut self, ending: EvaluationEnd, integrating: Duration) -> io::Result<()> {
        let info = self.build_info(ending, integrating);
        let mut text = serde_json::to_vec_pretty(&info)?;
        text.push(b'\n');
        fs::write(self.args.output.join("eval_info.json"), text)?;
        match ending {
            EvaluationEnd::Complete => self.print_line("Evaluation complete!")?,
            EvaluationEnd::Stopped(signal) => self.print_line(&format!(
                "Stopped by signal {signal} with {} of {} done; these are saved",
                info.episodes, self.args.episodes
            ))?,
        }
        self.print_summary(&info)?;
        self.print_line(&format!("Results: {}", self.args.output.display()))
    }

    fn print_summary(&mut self, info: &EvalInfo) -> io::Result<()> {
        self.print_line(&format!("Total episodes: {}", info.episodes))?;
        if let (Some(rate), Some(reward), Some(length)) =
            (info.success_rate, info.mean_reward, info.mean_length)
        {
            self.print_line(&format!(
                "Success rate: {:.1}% ({} of {})",
                100.0 * rate,
                info.successes,
                info.episodes
            ))?;
            self.print_line(&format!("Mean reward: {reward:.2}"))?;
            self.print_line(&format!("Mean length: {length:.1}"))?;
        }
        self.print_line(&format!(
            "Total time: {:.1}s for {:.1}s simulated (real-time factor {:.1}x; integrating took {:.2} ms)",
            info.elapsed_s,
            info.simulated_s,
            info.simulated_s / info.elapsed_s.max(1e-9),
            1e3 * info.integrating_s
        ))
    }

    fn build_info(&self, ending: EvaluationEnd, integrating: Duration) -> EvalInfo {
        let successes = self.episodes.iter().filter(|episode| episode.success).count();
        EvalInfo {
            env: self.args.env.name(),
            policy: self.args.policy.name(),
            seed: self.args.seed,
            complete: ending == EvaluationEnd::Complete,
            episodes: self.episodes.len(),
            successes,
            success_rate: self.mean_value(|episode| f64::from(u8::from(episode.success))),
            mean_reward: self.mean_value(|episode| episode.reward),
            mean_length: self.mean_value(|episode| f64::from(episode.length)),
            simulated_s: self.episodes.iter().map(|episode| episode.simulated_s).sum(),
            integrating_s: integrating.as_secs_f64(),
            elapsed_s: self.started.elapsed().as_secs_f64(),
        }
    }

    /// The mean over the episodes; none of no episodes.
    fn mean_value(&self, value: impl Fn(&EpisodeRecord) -> f64) -> Option<f64> {
        let count = self.episodes.len();
        (count > 0).then(|| self.episodes.iter().map(value).sum::<f64>() / count as f64)
    }

    fn print_line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.terminal, "{line}")?;
        self.terminal.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::task::{DemoPolicy, Environment};

    fn evaluate(episodes: u64, ending: EvaluationEnd) -> (String, String, serde_json::Value) {
        let folder = tempfile::tempdir().unwrap();
        let args = DemoWorkerArgs {
            env: Environment::MountainCar,
            policy: DemoPolicy::Tuned,
            episodes: 3,
            seed: 7,
            output: folder.path().join("out"),
            pace: None,
        };
        let mut terminal = Vec::new();
        let mut results = DemoResults::begin(&args, 0.0, &mut terminal).unwrap();
        for number in 1..=episodes {
            results.add_episode(episode::run_episode(args.env, args.policy, args.seed, number)).unwrap();
        }
        results.finish(ending, Duration::from_millis(1)).unwrap();
        let lines = fs::read_to_string(args.output.join("episodes.jsonl")).unwrap();
        let info = fs::read(args.output.join("eval_info.json")).unwrap();
        (String::from_utf8(terminal).unwrap(), lines, serde_json::from_slice(&info).unwrap())
    }

    #[test]
    fn lines_and_files_tell_the_same_episodes() {
        let (terminal, lines, info) = evaluate(3, EvaluationEnd::Complete);
        let objects: Vec<serde_json::Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(objects.len(), 3);
        for (number, object) in (1..).zip(&objects) {
            let said = format!(
                "Episode {number}/3 reward={:.2} length={} success={}\n",
                object["reward"].as_f64().unwrap(),
                object["length"],
                u8::from(object["success"].as_bool().unwrap())
            );
            assert!(terminal.contains(&said), "{said} in {terminal}");
        }
        let successes = objects.iter().filter(|object| object["success"] == true).count();
        assert_eq!(info["successes"], successes);
        assert_eq!((&info["complete"], &info["episodes"]), (&true.into(), &3.into()));
        assert!(terminal.contains("Evaluation complete!\n"));
    }

    #[test]
    fn an_evaluation_that_is_stopped_saves_what_it_has_and_does_not_claim_to_be_complete() {
        let (terminal, lines, info) = evaluate(2, EvaluationEnd::Stopped(15));
        assert_eq!(lines.lines().count(), 2);
        assert_eq!((&info["complete"], &info["episodes"]), (&false.into(), &2.into()));
        assert!(terminal.contains("Stopped by signal 15 with 2 of 3 done"));
        assert!(!terminal.contains("complete!"));
    }

    #[test]
    fn no_episodes_have_no_mean() {
        let (terminal, _, info) = evaluate(0, EvaluationEnd::Stopped(2));
        assert!(info["success_rate"].is_null() && info["mean_reward"].is_null());
        assert!(!terminal.contains("Success rate"));
    }
}
