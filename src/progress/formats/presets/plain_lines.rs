//! Programs that count on plain lines: one table each. A new one needs no code.

use crate::progress::format::{Preset, PresetRank};
use crate::progress::formats::plain::CountLine;
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

const fn number(of: &Preset, text: &'static str, also: &'static str) -> CountLine {
    counted(of, text, also, How::Number)
}

const fn each(
    of: &Preset,
    text: &'static str,
    also: &'static str,
    success: Option<(Sought, u64)>,
) -> CountLine {
    counted(of, text, also, How::Each(success))
}

const fn counted(of: &Preset, text: &'static str, also: &'static str, how: How) -> CountLine {
    CountLine { text: self::text(of, text), also: self::text(of, also), how }
}

const fn metric(
    of: &Preset,
    name: &'static str,
    also: &'static str,
    text: &'static str,
) -> (&'static str, Sought, Sought) {
    (name, self::text(of, also), self::text(of, text))
}

const fn text(of: &Preset, text: &'static str) -> Sought {
    Sought::among(of.needles, text)
}

/// Trainings with openpi: `Progress on: 12.6kit/30.0kit rate:2.0it/s`, or a bar, and
/// `Step 12600: grad_norm=0.31, loss=0.01`.
pub const OPENPI: Preset = Preset {
    name: "openpi",
    unit: "steps",
    rank: PresetRank::Program,
    needles: &["Progress on: ", ": grad_norm=", "checkpoint manager to finish", "%|"],
    begin: || Box::new(PlainReader::new(&OPENPI_LINES)),
};

static OPENPI_LINES: Plain = Plain {
    counts: &[number(&OPENPI, "Progress on: ", "rate:"), number(&OPENPI, "Step ", ": grad_norm=")],
    finished: &[&[text(&OPENPI, "Waiting for checkpoint manager to finish")]],
    metrics: &[
        metric(&OPENPI, "loss", ": grad_norm=", " loss="),
        metric(&OPENPI, "grad_norm", "", ": grad_norm="),
    ],
    bar: WorkBar::Nameless,
    ..NOTHING
};

/// Trainings with habitat-baselines: `update: 60`, a tab and `fps: 40.826`, and more of the same update on further
/// lines.
pub const HABITAT: Preset = Preset {
    name: "habitat",
    unit: "updates",
    rank: PresetRank::Program,
    needles: &["update: ", "Average window size"],
    begin: || Box::new(PlainReader::new(&HABITAT_LINES)),
};

static HABITAT_LINES: Plain = Plain {
    counts: &[number(&HABITAT, "update: ", "fps: "), number(&HABITAT, "update: ", "env-time: ")],
    metrics: &[
        metric(&HABITAT, "steps_per_s", "update: ", "fps: "),
        metric(&HABITAT, "frames", "env-time: ", "frames: "),
        metric(&HABITAT, "mean_reward", "Average window size", "reward: "),
    ],
    ..NOTHING
};

/// Policies that rl_games plays: `reward: 4870.57 steps: 999.0` for each game, and the averages of all at the end.
pub const RL_GAMES_PLAY: Preset = Preset {
    name: "rl-games-play",
    unit: "games",
    rank: PresetRank::Program,
    needles: &["reward: "],
    begin: || Box::new(PlainReader::new(&RL_GAMES_PLAY_LINES)),
};

static RL_GAMES_PLAY_LINES: Plain = Plain {
    counts: &[each(&RL_GAMES_PLAY, "reward: ", " steps: ", None)],
    finished: &[&[text(&RL_GAMES_PLAY, "av reward: "), text(&RL_GAMES_PLAY, " av steps: ")]],
    metrics: &[
        metric(&RL_GAMES_PLAY, "mean_reward", " av steps: ", "av reward: "),
        metric(&RL_GAMES_PLAY, "mean_episode_length", "av reward: ", " av steps: "),
        metric(&RL_GAMES_PLAY, "win_rate", "av reward: ", " winrate: "),
    ],
    ..NOTHING
};

/// Evaluations on RLBench in the words of PerAct and RVT: `Evaluating close_jar | Episode 3 | Score: 100.0 | …`.
pub const RLBENCH: Preset = Preset {
    name: "rlbench",
    unit: "episodes",
    rank: PresetRank::Program,
    needles: &["| Score: "],
    begin: || Box::new(PlainReader::new(&RLBENCH_LINES)),
};

static RLBENCH_LINES: Plain = Plain {
    counts: &[each(&RLBENCH, "Evaluating ", "| Score: ", Some((text(&RLBENCH, "| Score: "), 100)))],
    ..NOTHING
};

/// lm-evaluation-harness: a bar for each kind of request, and a table of results.
pub const LM_EVAL: Preset = Preset {
    name: "lm-eval",
    unit: "requests",
    rank: PresetRank::Program,
    needles: &["Running ", "|Version|"],
    begin: || Box::new(PlainReader::new(&LM_EVAL_LINES)),
};

static LM_EVAL_LINES: Plain = Plain {
    finished: &[&[text(&LM_EVAL, "|Version|"), text(&LM_EVAL, "Metric"), text(&LM_EVAL, "Value")]],
    bar: WorkBar::Named { begins: "Running ", ends: " requests", is_sure: true },
    waits_for_end: true,
    ..NOTHING
};

/// Trainings with the trainer of Hugging Face: a bar, lines such as
/// `{'loss': 0.6, 'learning_rate': 4e-05, 'epoch': 1.0}`, and `{'train_runtime': …}` at the end.
pub const HF_TRAINER: Preset = Preset {
    name: "hf-trainer",
    unit: "steps",
    rank: PresetRank::Program,
    needles: &["{'loss': ", "{'train_runtime': ", "Total optimization steps = ", "%|"],
    begin: || Box::new(PlainReader::new(&HF_TRAINER_LINES)),
};

static HF_TRAINER_LINES: Plain = Plain {
    counts: &[
        number(&HF_TRAINER, "'step': ", "'learning_rate': "),
        counted(&HF_TRAINER, "{'loss': ", "'learning_rate': ", How::Mark),
        counted(&HF_TRAINER, "{'train_runtime': ", "'train_loss': ", How::Mark),
    ],
    totals: &[text(&HF_TRAINER, "Total optimization steps = ")],
    finished: &[&[text(&HF_TRAINER, "{'train_runtime': ")]],
    metrics: &[
        metric(&HF_TRAINER, "loss", "'learning_rate': ", "{'loss': "),
        metric(&HF_TRAINER, "train_loss", "", "'train_loss': "),
    ],
    bar: WorkBar::Nameless,
    speed: Some((text(&HF_TRAINER, "'train_runtime': "), text(&HF_TRAINER, "'train_steps_per_second': "))),
    ..NOTHING
};

/// Trainings with verl: `step:9 - actor/pg_loss:0.020 - critic/score/mean:0.507 - …`, and a bar over all steps.
pub const VERL: Preset = Preset {
    name: "verl",
    unit: "steps",
    rank: PresetRank::Program,
    needles: &["step:", "Training Progress"],
    begin: || Box::new(PlainReader::new(&VERL_LINES)),
};

static VERL_LINES: Plain = Plain {
    counts: &[
        number(&VERL, "step:", " - actor/"),
        number(&VERL, "step:", " - critic/"),
        number(&VERL, "step:", " - global_seqlen/"),
    ],
    metrics: &[
        metric(&VERL, "mean_reward", "step:", "critic/rewards/mean:"),
        metric(&VERL, "mean_score", "step:", "critic/score/mean:"),
        metric(&VERL, "policy_loss", "step:", "actor/pg_loss:"),
    ],
    bar: WorkBar::Named { begins: "Training Progress", ends: "", is_sure: false },
    ..NOTHING
};

/// Trainings with MuJoCo Playground: `5734400: reward=12.110`.
pub const PLAYGROUND: Preset = Preset {
    name: "mujoco-playground",
    unit: "steps",
    rank: PresetRank::Program,
    needles: &[": reward=", "Done training.", "ime to train: "],
    begin: || Box::new(PlainReader::new(&PLAYGROUND_LINES)),
};

static PLAYGROUND_LINES: Plain = Plain {
    counts: &[counted(&PLAYGROUND, ": reward=", "", How::Leading)],
    // The second is all that older versions say.
    finished: &[&[text(&PLAYGROUND, "Done training.")], &[text(&PLAYGROUND, "ime to train: ")]],
    metrics: &[metric(&PLAYGROUND, "mean_reward", "", ": reward=")],
    ..NOTHING
};

/// Trainings in the words of DrQ-v2, RLLTE and TD-MPC2: `| train | F: 4000 | S: 2000 | E: 4 | L: 500 | R: 5.53 |`.
pub const DRQV2: Preset = Preset {
    name: "drqv2",
    unit: "steps",
    rank: PresetRank::Program,
    needles: &["| E: ", "   R: ", "raining Accomplished"],
    begin: || Box::new(PlainReader::new(&DRQV2_LINES)),
};

static DRQV2_LINES: Plain = Plain {
    counts: &[number(&DRQV2, "S: ", "| E: "), number(&DRQV2, " I: ", "   R: ")],
    finished: &[&[text(&DRQV2, "raining Accomplished")]],
    metrics: &[
        metric(&DRQV2, "mean_reward", "| E: ", " R: "),
        metric(&DRQV2, "mean_reward", " I: ", "   R: "),
        metric(&DRQV2, "mean_episode_length", "| E: ", " L: "),
        metric(&DRQV2, "success_rate", "| E: ", " Su: "),
        metric(&DRQV2, "episodes", "| E: ", "| E: "),
    ],
    ..NOTHING
};

/// Evaluations with OmniGibson, as BEHAVIOR runs them: `Total trials: 3` behind each, and `Success rate: 0.3` at the
/// end.
pub const OMNIGIBSON: Preset = Preset {
    name: "omnigibson",
    unit: "trials",
    rank: PresetRank::Program,
    needles: &["Total trials: ", "Total success trials: ", "Success rate: ", "Starting task instance "],
    begin: || Box::new(PlainReader::new(&OMNIGIBSON_LINES)),
};

static OMNIGIBSON_LINES: Plain = Plain {
    counts: &[
        number(&OMNIGIBSON, "Total trials: ", ""),
        counted(&OMNIGIBSON, "Starting task instance ", " for evaluation", How::Mark),
    ],
    summed: &[text(&OMNIGIBSON, "Success rate: ")],
    metrics: &[
        metric(&OMNIGIBSON, "episodes", "", "Total trials: "),
        metric(&OMNIGIBSON, "successes", "", "Total success trials: "),
        metric(&OMNIGIBSON, "success_rate", "", "Success rate: "),
    ],
    ..NOTHING
};

/// Trainings with RLlib and Ray Tune: a block of `training_iteration: 325` and the like behind each iteration of each
/// trial.
pub const RLLIB: Preset = Preset {
    name: "rllib",
    unit: "iterations",
    rank: PresetRank::Program,
    needles: &["training_iteration: ", "timesteps_total: ", "episode_reward_mean: ", "episode_return_mean: "],
    begin: || Box::new(PlainReader::new(&RLLIB_LINES)),
};

static RLLIB_LINES: Plain = Plain {
    counts: &[number(&RLLIB, "  training_iteration: ", "")],
    metrics: &[
        metric(&RLLIB, "mean_reward", "", " episode_reward_mean: "),
        metric(&RLLIB, "mean_reward", "", " episode_return_mean: "),
        metric(&RLLIB, "total_steps", "", "  timesteps_total: "),
    ],
    ..NOTHING
};
