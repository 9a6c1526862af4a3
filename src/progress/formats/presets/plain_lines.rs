//! Programs that count on plain lines: one table each. A new one needs no code.

use crate::progress::format::{Preset, Rank};
use crate::progress::formats::plain::Count;
use crate::progress::formats::plain::How;
use crate::progress::formats::plain::Plain;
use crate::progress::formats::plain::PlainReader;
use crate::progress::formats::plain::WorkBar;
use crate::progress::text::find::Sought;

const NOTHING: Plain = Plain {
    counts: &[],
    totals: &[],
    finished: &[],
    summed: &[],
    metrics: &[],
    bar: WorkBar::None,
    waits_for_end: false,
    speed: None,
};

const fn number(text: &'static str, also: &'static str) -> Count {
    Count { text: Sought::new(text), also: Sought::new(also), how: How::Number }
}

const fn each(text: &'static str, also: &'static str, success: Option<(Sought, u64)>) -> Count {
    Count { text: Sought::new(text), also: Sought::new(also), how: How::Each(success) }
}

const fn counted(text: &'static str, also: &'static str, how: How) -> Count {
    Count { text: Sought::new(text), also: Sought::new(also), how }
}

const fn metric(
    name: &'static str,
    also: &'static str,
    text: &'static str,
) -> (&'static str, Sought, Sought) {
    (name, Sought::new(also), Sought::new(text))
}

const fn text(text: &'static str) -> Sought {
    Sought::new(text)
}

/// Trainings with openpi: `Progress on: 12.6kit/30.0kit rate:2.0it/s`, or a bar, and
/// `Step 12600: grad_norm=0.31, loss=0.01`.
pub const OPENPI: Preset = Preset {
    name: "openpi",
    unit: "steps",
    rank: Rank::Program,
    needles: &["Progress on: ", ": grad_norm=", "checkpoint manager to finish", "%|"],
    begin: || Box::new(PlainReader::new(&OPENPI_LINES)),
};

static OPENPI_LINES: Plain = Plain {
    counts: &[number("Progress on: ", "rate:"), number("Step ", ": grad_norm=")],
    finished: &[&[text("Waiting for checkpoint manager to finish")]],
    metrics: &[metric("loss", ": grad_norm=", " loss="), metric("grad_norm", "", ": grad_norm=")],
    bar: WorkBar::Nameless,
    ..NOTHING
};

/// Trainings with habitat-baselines: `update: 60`, a tab and `fps: 40.826`, and more of the same update on further
/// lines.
pub const HABITAT: Preset = Preset {
    name: "habitat",
    unit: "updates",
    rank: Rank::Program,
    needles: &["update: ", "Average window size"],
    begin: || Box::new(PlainReader::new(&HABITAT_LINES)),
};

static HABITAT_LINES: Plain = Plain {
    counts: &[number("update: ", "fps: "), number("update: ", "env-time: ")],
    metrics: &[
        metric("steps_per_s", "update: ", "fps: "),
        metric("frames", "env-time: ", "frames: "),
        metric("mean_reward", "Average window size", "reward: "),
    ],
    ..NOTHING
};

/// Policies that rl_games plays: `reward: 4870.57 steps: 999.0` for each game, and the averages of all at the end.
pub const RL_GAMES_PLAY: Preset = Preset {
    name: "rl-games-play",
    unit: "games",
    rank: Rank::Program,
    needles: &["reward: "],
    begin: || Box::new(PlainReader::new(&RL_GAMES_PLAY_LINES)),
};

static RL_GAMES_PLAY_LINES: Plain = Plain {
    counts: &[each("reward: ", " steps: ", None)],
    finished: &[&[text("av reward: "), text(" av steps: ")]],
    metrics: &[
        metric("mean_reward", " av steps: ", "av reward: "),
        metric("mean_episode_length", "av reward: ", " av steps: "),
        metric("win_rate", "av reward: ", " winrate: "),
    ],
    ..NOTHING
};

/// Evaluations on RLBench in the words of PerAct and RVT: `Evaluating close_jar | Episode 3 | Score: 100.0 | …`.
pub const RLBENCH: Preset = Preset {
    name: "rlbench",
    unit: "episodes",
    rank: Rank::Program,
    needles: &["| Score: "],
    begin: || Box::new(PlainReader::new(&RLBENCH_LINES)),
};

static RLBENCH_LINES: Plain =
    Plain { counts: &[each("Evaluating ", "| Score: ", Some((text("| Score: "), 100)))], ..NOTHING };

/// lm-evaluation-harness: a bar for each kind of request, and a table of results.
pub const LM_EVAL: Preset = Preset {
    name: "lm-eval",
    unit: "requests",
    rank: Rank::Program,
    needles: &["Running ", "|Version|"],
    begin: || Box::new(PlainReader::new(&LM_EVAL_LINES)),
};

static LM_EVAL_LINES: Plain = Plain {
    finished: &[&[text("|Version|"), text("Metric"), text("Value")]],
    bar: WorkBar::Named { begins: "Running ", ends: " requests", is_sure: true },
    waits_for_end: true,
    ..NOTHING
};

/// Trainings with the trainer of Hugging Face: a bar, lines such as
/// `{'loss': 0.6, 'learning_rate': 4e-05, 'epoch': 1.0}`, and `{'train_runtime': …}` at the end.
pub const HF_TRAINER: Preset = Preset {
    name: "hf-trainer",
    unit: "steps",
    rank: Rank::Program,
    needles: &["{'loss': ", "{'train_runtime': ", "Total optimization steps = ", "%|"],
    begin: || Box::new(PlainReader::new(&HF_TRAINER_LINES)),
};

static HF_TRAINER_LINES: Plain = Plain {
    counts: &[
        number("'step': ", "'learning_rate': "),
        counted("{'loss': ", "'learning_rate': ", How::Mark),
        counted("{'train_runtime': ", "'train_loss': ", How::Mark),
    ],
    totals: &[text("Total optimization steps = ")],
    finished: &[&[text("{'train_runtime': ")]],
    metrics: &[metric("loss", "'learning_rate': ", "{'loss': "), metric("train_loss", "", "'train_loss': ")],
    bar: WorkBar::Nameless,
    speed: Some((text("'train_runtime': "), text("'train_steps_per_second': "))),
    ..NOTHING
};

/// Trainings with verl: `step:9 - actor/pg_loss:0.020 - critic/score/mean:0.507 - …`, and a bar over all steps.
pub const VERL: Preset = Preset {
    name: "verl",
    unit: "steps",
    rank: Rank::Program,
    needles: &["step:", "Training Progress"],
    begin: || Box::new(PlainReader::new(&VERL_LINES)),
};

static VERL_LINES: Plain = Plain {
    counts: &[
        number("step:", " - actor/"),
        number("step:", " - critic/"),
        number("step:", " - global_seqlen/"),
    ],
    metrics: &[
        metric("mean_reward", "step:", "critic/rewards/mean:"),
        metric("mean_score", "step:", "critic/score/mean:"),
        metric("policy_loss", "step:", "actor/pg_loss:"),
    ],
    bar: WorkBar::Named { begins: "Training Progress", ends: "", is_sure: false },
    ..NOTHING
};

/// Trainings with MuJoCo Playground: `5734400: reward=12.110`.
pub const PLAYGROUND: Preset = Preset {
    name: "mujoco-playground",
    unit: "steps",
    rank: Rank::Program,
    needles: &[": reward=", "Done training.", "ime to train: "],
    begin: || Box::new(PlainReader::new(&PLAYGROUND_LINES)),
};

static PLAYGROUND_LINES: Plain = Plain {
    counts: &[counted(": reward=", "", How::Leading)],
    // The second is all that older versions say.
    finished: &[&[text("Done training.")], &[text("ime to train: ")]],
    metrics: &[metric("mean_reward", "", ": reward=")],
    ..NOTHING
};

/// Trainings in the words of DrQ-v2, RLLTE and TD-MPC2: `| train | F: 4000 | S: 2000 | E: 4 | L: 500 | R: 5.53 |`.
pub const DRQV2: Preset = Preset {
    name: "drqv2",
    unit: "steps",
    rank: Rank::Program,
    needles: &["| E: ", "   R: ", "raining Accomplished"],
    begin: || Box::new(PlainReader::new(&DRQV2_LINES)),
};

static DRQV2_LINES: Plain = Plain {
    counts: &[number("S: ", "| E: "), number(" I: ", "   R: ")],
    finished: &[&[text("raining Accomplished")]],
    metrics: &[
        metric("mean_reward", "| E: ", " R: "),
        metric("mean_reward", " I: ", "   R: "),
        metric("mean_episode_length", "| E: ", " L: "),
        metric("success_rate", "| E: ", " Su: "),
        metric("episodes", "| E: ", "| E: "),
    ],
    ..NOTHING
};

/// Evaluations with OmniGibson, as BEHAVIOR runs them: `Total trials: 3` behind each, and `Success rate: 0.3` at the
/// end.
pub const OMNIGIBSON: Preset = Preset {
    name: "omnigibson",
    unit: "trials",
    rank: Rank::Program,
    needles: &["Total trials: ", "Total success trials: ", "Success rate: ", "Starting task instance "],
    begin: || Box::new(PlainReader::new(&OMNIGIBSON_LINES)),
};

static OMNIGIBSON_LINES: Plain = Plain {
    counts: &[number("Total trials: ", ""), counted("Starting task instance ", " for evaluation", How::Mark)],
    summed: &[text("Success rate: ")],
    metrics: &[
        metric("episodes", "", "Total trials: "),
        metric("successes", "", "Total success trials: "),
        metric("success_rate", "", "Success rate: "),
    ],
    ..NOTHING
};

/// Trainings with RLlib and Ray Tune: a block of `training_iteration: 325` and the like behind each iteration of each
/// trial.
pub const RLLIB: Preset = Preset {
    name: "rllib",
    unit: "iterations",
    rank: Rank::Program,
    needles: &["training_iteration: ", "timesteps_total: ", "episode_reward_mean: ", "episode_return_mean: "],
    begin: || Box::new(PlainReader::new(&RLLIB_LINES)),
};

static RLLIB_LINES: Plain = Plain {
    counts: &[number("  training_iteration: ", "")],
    metrics: &[
        metric("mean_reward", "", " episode_reward_mean: "),
        metric("mean_reward", "", " episode_return_mean: "),
        metric("total_steps", "", "  timesteps_total: "),
    ],
    ..NOTHING
};
