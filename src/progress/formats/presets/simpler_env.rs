//! Evaluations with SimplerEnv: the values of each step, as Python prints them, and the share of successes of each
//! setting.

use memchr::memmem;

use super::openvla_words::truth;
use crate::progress::counts::rate::leading_rate;
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_u64;

/// `18 {'elapsed_steps': 19, …, 'success': False}` after each step, counted from 0 in each episode, and at the end
/// `Average success 0.75` behind blanks.
pub const PRESET: Preset = Preset {
    name: "simpler-env",
    unit: "episodes",
    rank: PresetRank::Program,
    needles: &[INFO, AVERAGE],
    begin: &|| Box::new(SimplerEnv::default()),
};

const INFO: &str = "{'elapsed_steps': ";
const AVERAGE: &str = "Average success ";

/// All settings of one log, as far as it shows them.
#[derive(Debug, Default)]
struct SimplerEnv {
    /// The episode that runs: only the next one, or the end, shows that it is over.
    running: Option<Running>,
    episodes: u64,
    successes: u64,
    /// The present setting has given its share; launchers run several, one after the other.
    ended: bool,
}

/// The newest step of an episode.
#[derive(Debug, Clone, Copy)]
struct Running {
    step: u64,
    success: bool,
}

impl Format for SimplerEnv {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let look = match find(line, INFO.as_bytes()) {
            Some(at) => self.step(&line[..at], &line[at..], notes),
            None => self.average(line, notes),
        };
        look.unwrap_or(LineMatch::Foreign)
    }
}

impl SimplerEnv {
    fn step(&mut self, before: &[u8], info: &[u8], notes: &mut Notes) -> Option<LineMatch> {
        let (step, rest) = leading_u64(before.trim_ascii_start())?;
        let behind = memmem::rfind(info, b"'success': ")? + b"'success': ".len();
        let success = truth(&info[behind..])?;
        rest.trim_ascii().is_empty().then_some(())?;
        if self.running.is_none_or(|running| step <= running.step) {
            notes.resumes = self.ended;
            self.ended = false;
            self.end_episode();
            self.note(notes);
        }
        self.running = Some(Running { step, success });
        Some(LineMatch::Typical)
    }

    fn average(&mut self, line: &[u8], notes: &mut Notes) -> Option<LineMatch> {
        let words = line.trim_ascii_start();
        let rate = leading_rate(words.strip_prefix(AVERAGE.as_bytes())?)?;
        self.end_episode();
        self.ended = true;
        notes.finished = true;
        if self.episodes == 0 {
            notes.metric("success_rate", rate);
        }
        self.note(notes);
        Some(if line.starts_with(b"     ") { LineMatch::Typical } else { LineMatch::Plausible })
    }

    fn end_episode(&mut self) {
        if let Some(Running { success, .. }) = self.running.take() {
            self.episodes += 1;
            self.successes += u64::from(success);
        }
    }

    fn note(&self, notes: &mut Notes) {
        if self.episodes == 0 {
            return;
        }
        notes.progress(self.episodes, self.ended.then_some(self.episodes));
        notes.metric("episodes", self.episodes as f64);
        notes.metric("successes", self.successes as f64);
        notes.metric("success_rate", self.successes as f64 / self.episodes as f64);
    }
}
