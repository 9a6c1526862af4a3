//! The lines by which simulators, learning libraries and servers show what they are doing besides their work.

use std::borrow::Cow::Borrowed;

use super::closing_sequel::is_of_part;
use super::closing_words::names_one;
use super::line_words::words_of;
use crate::model::logs::stage::Stage::{self, Closing, Compiling, CreatingScene, Loading, Starting};
use crate::progress::text::find::find;
use crate::progress::text::line_prefix::behind_prefix;

/// A text that announces a stage.
#[derive(Debug)]
pub struct StageAnnouncement {
    /// Text that the line holds.
    pub text: &'static str,
    /// Another text that the line holds, if any is needed.
    also: &'static str,
    /// The stage it announces.
    pub stage: Stage,
    /// A program prints it once, when it starts: behind the end of another one it begins another run.
    pub begins_run: bool,
    /// Whether it says in plain words that the work is over, which many programs print before they evaluate or save
    /// what they learned.
    ends_work: bool,
}

/// The thing that a line says is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnnouncedEnd {
    /// The work, in plain words.
    Work,
    /// A training that its own rules stop before its last epoch.
    Early,
    /// The process, which ended with exit code 0.
    Process,
}

impl StageAnnouncement {
    /// True where the work comes next, or begins.
    pub fn precedes_work(&self) -> bool {
        match self.stage {
            Starting(_) | Loading(_) | CreatingScene(_) | Stage::Running => true,
            Compiling(_) | Closing(_) => false,
        }
    }

    /// True where a program starts, or goes on from its checkpoint.
    pub fn resumes_work(&self) -> bool {
        self.begins_run || self.stage == CHECKPOINT
    }

    /// Returns what the line says is over: `Training complete!`, but not `saved when training completes`.
    pub fn end_on(&self, line: &[u8]) -> Option<AnnouncedEnd> {
        if self.text == EXIT_0 {
            return (line.trim_ascii() == EXIT_0.as_bytes()).then_some(AnnouncedEnd::Process);
        }
        let end = if EARLY.contains(&self.text) { AnnouncedEnd::Early } else { AnnouncedEnd::Work };
        (self.ends_work && says_end(behind_prefix(line).unwrap_or(line), self.text)).then_some(end)
    }
}

/// Other words before such a text make something else of it: `saved when training completes`.
const LONGEST_BEFORE: usize = 24;

fn says_end(words: &[u8], text: &str) -> bool {
    const OTHERWISE: [&str; 11] =
        ["when", "after", "until", "once", "if", "before", "not", "will", "error", "errors", "failed"];
    let Some(at) = find(words, text.as_bytes()) else { return false };
    let (before, behind) = (&words[..at], &words[at + text.len()..]);
    let says_otherwise = |words: &[u8]| {
        // `ss_error` is the name of a value.
        let mut words = words.split(|byte| !byte.is_ascii_alphabetic() && *byte != b'_');
        words.any(|word| OTHERWISE.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes())))
    };
    let words_in = |text| words_of(&String::from_utf8_lossy(text));
    let goes_on = behind.strip_prefix(b"d").unwrap_or(behind);
    // `Finished training batch`, `Training complete for monaco`
    let of_what = words_in(goes_on);
    let is_of_one = names_one(&of_what) || of_what.first().is_some_and(|word| word == "batch");
    // `Epoch 3 training complete`: one of several is.
    let is_numbered = before.iter().any(u8::is_ascii_digit);
    before.len() <= LONGEST_BEFORE
        && !is_numbered
        && goes_on.first().is_none_or(|byte| !byte.is_ascii_alphabetic())
        && !says_otherwise(before)
        && !says_otherwise(behind)
        && !is_of_one
        && !is_of_part(&words_in(before), &of_what, true, true)
}

const fn on(text: &'static str, stage: Stage) -> StageAnnouncement {
    StageAnnouncement { text, also: "", stage, begins_run: false, ends_work: false }
}

const fn both(text: &'static str, also: &'static str, stage: Stage) -> StageAnnouncement {
    StageAnnouncement { text, also, stage, begins_run: false, ends_work: false }
}

const fn first(text: &'static str, stage: Stage) -> StageAnnouncement {
    StageAnnouncement { text, also: "", stage, begins_run: true, ends_work: false }
}

const fn last(text: &'static str) -> StageAnnouncement {
    StageAnnouncement { text, also: "", stage: DONE, begins_run: false, ends_work: true }
}

const fn both_last(text: &'static str, also: &'static str) -> StageAnnouncement {
    StageAnnouncement { text, also, stage: DONE, begins_run: false, ends_work: true }
}

/// The last line of consoles that start programs.
const EXIT_0: &str = "Process finished with exit code 0";
/// What a training says that its own rules stop.
const EARLY: [&str; 3] = ["arly stopping triggered", "arly stopping reached", "raining stopped early"];
const DONE: Stage = Closing(Borrowed("training is over"));
const ISAAC_SIM: Stage = Starting(Borrowed("Isaac Sim"));
const CHECKPOINT: Stage = Loading(Borrowed("checkpoint"));
const MODEL: Stage = Loading(Borrowed("model"));
const ENVIRONMENTS: Stage = CreatingScene(Borrowed("environments"));
const EXTENSION: Stage = Compiling(Borrowed("PyTorch extension"));
const GRAPHS: Stage = Compiling(Borrowed("PyTorch graphs"));
const CUDA_GRAPHS: Stage = Compiling(Borrowed("CUDA graphs"));
const SHADERS: Stage = Compiling(Borrowed("ray tracing shaders"));
const JAX: Stage = Compiling(Borrowed("JAX functions"));
const SERVER: Stage = Starting(Borrowed("policy server"));

/// All announcements; of several on one line the first counts.
pub const STAGES: &[StageAnnouncement] = &[
    // Isaac Sim and Isaac Lab, in the order of their start.
    first("Starting kit application with ", ISAAC_SIM),
    first("[INFO][AppLauncher]", ISAAC_SIM),
    first("Loading experience file", ISAAC_SIM),
    first("Simulation App Starting", ISAAC_SIM),
    on("[ext: ", Starting(Borrowed("extensions of Isaac Sim"))),
    on("] app ready", Starting(Borrowed("Isaac Sim ready"))),
    on("Simulation App Startup Complete", Starting(Borrowed("Isaac Sim ready"))),
    on("Waiting for RtPso async group async compilation", SHADERS),
    on("Waiting for compilation of ray tracing shaders", SHADERS),
    on("[INFO]: Parsing configuration", CreatingScene(Borrowed("reading the configuration"))),
    on("[INFO]: Base environment:", ENVIRONMENTS),
    on("[INFO]: Time taken for scene creation", CreatingScene(Borrowed("scene done"))),
    // The classic place to hang: textures are fetched, caches are locked, kernels compiled.
    on("[INFO]: Starting the simulation. This may take", CreatingScene(Borrowed("starting the simulation"))),
    on("[INFO]: Time taken for simulation start", CreatingScene(Borrowed("simulation started"))),
    on("[INFO]: Completed setting up the environment", CreatingScene(Borrowed("environments done"))),
    first("Starting OmniGibson.", Starting(Borrowed("OmniGibson"))),
    // Other simulators.
    first("Importing module 'gym_", Starting(Borrowed("Isaac Gym"))),
    on("pybullet build time:", Starting(Borrowed("PyBullet"))),
    both("[Genesis]", "Building scene", CreatingScene(Borrowed("Genesis"))),
    on("Compiling simulation kernels", Compiling(Borrowed("simulation kernels"))),
    on("[robosuite INFO] Loading controller", CreatingScene(Borrowed("robosuite"))),
    on("[info] using task orders", CreatingScene(Borrowed("LIBERO"))),
    on("Built vec env |", ENVIRONMENTS),
    on("Making environment.", ENVIRONMENTS),
    on("Wrapping the env ", ENVIRONMENTS),
    on("esetting env", CreatingScene(Borrowed("resetting the environments"))),
    on("esetting the env", CreatingScene(Borrowed("resetting the environments"))),
    // Warp prints a line for a module when it is there: silence means that the next one is compiled.
    both(" load on device '", "(compiled)", Compiling(Borrowed("Warp kernels"))),
    on(" load on device '", Loading(Borrowed("Warp kernels"))),
    both("Warp ", " initialized:", Starting(Borrowed("Warp"))),
    // Compilers.
    on("as PyTorch extensions root...", EXTENSION),
    on("Emitting ninja build file", EXTENSION),
    on("Building extension module ", EXTENSION),
    on("/bin/nvcc ", EXTENSION),
    on("Loading extension module ", Loading(Borrowed("PyTorch extension"))),
    on("Dynamo bytecode transform time", GRAPHS),
    on("Compiling a graph for", GRAPHS),
    on("torch.compile takes", GRAPHS),
    on("AUTOTUNE ", Compiling(Borrowed("tuning of PyTorch kernels"))),
    on("Triton autotuning for function", Compiling(Borrowed("tuning of Triton kernels"))),
    on("apturing CUDA graph", CUDA_GRAPHS),
    on("Very slow compile?", JAX),
    on("Finished XLA compilation of", JAX),
    on("Finished tracing + transforming", JAX),
    on("Constant folding an instruction is taking", JAX),
    // Checkpoints, models and data.
    on("oading checkpoint", CHECKPOINT),
    on("esuming from checkpoint", CHECKPOINT),
    on("esuming training from", CHECKPOINT),
    on("oading safetensors checkpoint", CHECKPOINT),
    on("oading pt checkpoint", CHECKPOINT),
    on("oading model checkpoint", CHECKPOINT),
    on("oading model", MODEL),
    on("oading weights", MODEL),
    on("oading policy", MODEL),
    on("oading pretrained", MODEL),
    on("Making policy.", MODEL),
    on("[*] Instantiating Pretrained", MODEL),
    both("Fetching ", " files", Loading(Borrowed("download"))),
    on("Downloading ", Loading(Borrowed("download"))),
    both("Generating ", " split", Loading(Borrowed("data"))),
    on("oading dataset", Loading(Borrowed("data"))),
    // The work itself.
    on("tarting evaluation", Stage::Running),
    on("tarting training", Stage::Running),
    // Clusters and servers.
    on("Started a local Ray instance", Starting(Borrowed("Ray"))),
    on("Connecting to existing Ray cluster", Starting(Borrowed("Ray"))),
    both("Initializing a", " LLM engine", Starting(Borrowed("vLLM"))),
    on("vLLM API server version", Starting(Borrowed("vLLM"))),
    on("Waiting for server at ", SERVER),
    on("Still waiting for server", SERVER),
    on("Creating server (host:", Starting(Borrowed("policy server"))),
    on("Uvicorn running on", Starting(Borrowed("server ready"))),
    // The end.
    last(EARLY[0]),
    last(EARLY[1]),
    last(EARLY[2]),
    last("raining complete"),
    last("raining Complete"),
    last("RAINING COMPLETE"),
    last("raining finished"),
    last("raining Finished"),
    last("raining accomplished"),
    last("raining done"),
    last("inished training"),
    last("imulation finished"),
    last("imulation complete"),
    last("xperiment complete"),
    last("XPERIMENT COMPLETE"),
    last("volution complete"),
    last("enchmark complete"),
    both_last("Max step ", "reached! Stopping training"),
    last("训练完成"),
    on(EXIT_0, Closing(Borrowed("the process is over"))),
    on("SimulationApp.close", Closing(Borrowed("Isaac Sim"))),
    on("Simulation App Shutting Down", Closing(Borrowed("Isaac Sim"))),
    on("[SHUTDOWN]", Closing(Borrowed("on request"))),
    on("hutting down", Closing(Borrowed("the program"))),
    on("Closing env", Closing(Borrowed("environments"))),
    on("wandb: Waiting for W&B process to finish", Closing(Borrowed("Weights & Biases"))),
    on("wandb: Run summary:", Closing(Borrowed("Weights & Biases"))),
    both("There appear to be", "leaked semaphore", Closing(Borrowed("leftover processes"))),
];

/// The announcement on the line.
pub fn announcement_on(line: &[u8]) -> Option<&'static StageAnnouncement> {
    let holds = |text: &str| find(line, text.as_bytes()).is_some();
    STAGES.iter().find(|announcement| holds(announcement.text) && holds(announcement.also))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(line: &str) -> Option<String> {
        announcement_on(line.as_bytes()).map(|announcement| announcement.stage.to_string())
    }

    #[test]
    fn plain_words_end_a_training_unless_they_speak_of_what_will_be() {
        let ends = |line: &str| {
            announcement_on(line.as_bytes())
                .is_some_and(|found| found.end_on(line.as_bytes()) == Some(AnnouncedEnd::Work))
        };
        for line in [
            "Training complete!",
            "2026-01-06 17:00:39,954 - INFO - Training completed successfully",
            "[INFO] Training completed and model saved.",
            "PPO training finished. Final model saved to runs/model.zip",
            "TRAINING COMPLETE",
            "Max step 5000 reached! Stopping training...",
            "训练完成: 最佳奖励=0.5",
            "所有场景训练完成!",
            "EXPERIMENT COMPLETE",
            "Evolution complete. Best program has metrics: score=0.9, ss_error=0.0001",
        ] {
            assert!(ends(line), "{line}");
        }
        for line in [
            "The model is saved when training completes",
            "After training finished the model is evaluated",
            "Training not finished: out of time",
            "Epoch 3 training complete",
            "Finished training batch",
            "Training complete for monaco",
            "✓ 场景 S1 训练完成",
            "Training finished with error: no checkpoint",
            "Evaluations start once the long pretraining of all the policies is training complete",
        ] {
            assert!(!ends(line), "{line}");
        }
    }

    #[test]
    fn the_lines_of_a_start_tell_its_stages() {
        for (line, expected) in [
            ("[INFO][AppLauncher]: Using device: cuda:0", "starting: Isaac Sim"),
            ("[9.192s] app ready", "starting: Isaac Sim ready"),
            (
                "Waiting for RtPso async group async compilation: 60 seconds so far",
                "compiling: ray tracing shaders",
            ),
            (
                "[INFO]: Starting the simulation. This may take a few seconds.",
                "creating the scene: starting the simulation",
            ),
            ("Warp 1.5.0 initialized:", "starting: Warp"),
            (
                "Module a.b b046253 load on device 'cuda:0' took 168.19 ms  (compiled)",
                "compiling: Warp kernels",
            ),
            ("Module a.b b046253 load on device 'cuda:0' took 4.78 ms  (cached)", "loading: Warp kernels"),
            ("Module a.b load on device 'cuda:0' took 205.84 ms", "loading: Warp kernels"),
            ("Emitting ninja build file /x/build.ninja...", "compiling: PyTorch extension"),
            (
                "[Compiling module jit_step] Very slow compile? If you want to file a bug",
                "compiling: JAX functions",
            ),
            ("Loading checkpoint shards:  50%|██ | 1/2 [00:01<00:01,  1.88s/it]", "loading: checkpoint"),
            ("[INFO]: Loading model checkpoint from: /x/model_1.pt", "loading: checkpoint"),
            ("2026-02-12 INFO worker.py:1821 -- Started a local Ray instance.", "starting: Ray"),
            ("INFO:root:Waiting for server at ws://0.0.0.0:8000...", "starting: policy server"),
            ("Exiting (skipping SimulationApp.close to avoid GPU hang).", "closing: Isaac Sim"),
            ("[SHUTDOWN] saving metrics", "closing: on request"),
        ] {
            assert_eq!(stage(line).as_deref(), Some(expected), "{line}");
        }
        for line in
            ["Generating the report", "Fetching an object", "initialized: yes", "There appear to be two"]
        {
            assert_eq!(stage(line), None, "{line}");
        }
    }
}
