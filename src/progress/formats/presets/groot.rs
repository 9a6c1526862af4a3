//! Rollouts of Isaac GR00T in a simulator: so many episodes in parallel environments, and the share that succeeded.

use memchr::memmem;

use crate::progress::counts::bar::Bar;
use crate::progress::counts::item_state::CountForm;
use crate::progress::counts::rate::leading_rate;
use crate::progress::counts::text_count;
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_u64;
use crate::progress::text::speaker::speaker_on;

/// `Running collecting 50 episodes for ENV with 8 vec envs`, a bar `Episodes`,
/// `Collecting 50 episodes took 812.4 seconds` and `success rate:  0.46`. Before N1.6
/// `Running 10 episodes for ENV with 5 environments` and `Success rate: 0.46`.
pub const PRESET: Preset = Preset {
    name: "groot",
    unit: "episodes",
    rank: PresetRank::Program,
    needles: &[" episodes for ", " episodes took ", "uccess rate: ", "results:  (", "Episodes: ", "rank="],
    begin: &|| Box::new(Groot::default()),
};

/// The environments of one log, as far as it shows them.
#[derive(Debug, Default)]
struct Groot {
    /// Results of the environments before this one: launchers run one after the other.
    before: RolloutResults,
    now: RolloutResults,
    total: Option<u64>,
    /// The present environment's episodes are over, and its share is to come.
    collected: bool,
    /// Which environment this is, and how many there are, where a launcher says so.
    place: Option<(u64, u64)>,
    /// The process that says so.
    process: Option<u64>,
    /// Several do, so that none of them knows when all is done.
    are_several: bool,
    /// Sum of the shares so far, each times its episodes.
    weighed: f64,
}

#[derive(Debug, Clone, Copy)]
struct RolloutResults {
    episodes: u64,
    /// Unknown where only a rounded share is printed.
    successes: Option<u64>,
}

impl Default for RolloutResults {
    fn default() -> Self {
        Self { episodes: 0, successes: Some(0) }
    }
}

impl Format for Groot {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let words = line.trim_ascii();
        self.see_place(words);
        let look = if let Some(at) = find(words, b" episodes for ") {
            self.begin(&words[..at], words, notes)
        } else if let Some(at) = find(words, b" episodes took ") {
            self.collect(&words[..at], words, notes)
        } else if let Some(list) = words.strip_prefix(b"results:  (") {
            self.list(list, notes)
        } else {
            self.rate(words, notes)
        };
        look.unwrap_or(LineMatch::Foreign)
    }

    fn read_bar(&mut self, bar: &Bar<'_>, line: &[u8], notes: &mut Notes) -> LineMatch {
        let counts = bar.name == b"Episodes" && self.total.is_some() && bar.total() == self.total;
        if !counts {
            return self.read(line, notes);
        }
        self.now = RolloutResults { episodes: bar.done(), successes: None };
        self.progress(notes);
        LineMatch::Plausible
    }
}

impl Groot {
    /// Begins an environment: `Running collecting 50`.
    fn begin(&mut self, before: &[u8], words: &[u8], notes: &mut Notes) -> Option<LineMatch> {
        let rest = before.strip_prefix(b"Running ")?;
        let rest = rest.strip_prefix(b"collecting ").unwrap_or(rest);
        let (total, rest) = leading_u64(rest)?;
        let known = words.ends_with(b" vec envs") || words.ends_with(b" environments");
        (rest.is_empty() && known).then_some(())?;
        self.before = self.before.and(self.now);
        (self.now, self.total, self.collected) =
            (RolloutResults { episodes: 0, successes: None }, Some(total), false);
        notes.resumes = true;
        self.progress(notes);
        Some(LineMatch::Typical)
    }

    /// Takes all episodes of an environment as done: `Collecting 50`.
    fn collect(&mut self, before: &[u8], words: &[u8], notes: &mut Notes) -> Option<LineMatch> {
        let (episodes, rest) = leading_u64(before.strip_prefix(b"Collecting ")?)?;
        (rest.is_empty() && words.ends_with(b" seconds")).then_some(())?;
        self.now = RolloutResults { episodes, successes: None };
        (self.total, self.collected) = (Some(episodes), true);
        self.progress(notes);
        Some(LineMatch::Typical)
    }

    /// `'ENV', [True, False, …], {…})`, which may hold more episodes than were asked for.
    fn list(&mut self, list: &[u8], notes: &mut Notes) -> Option<LineMatch> {
        self.collected.then_some(())?;
        let start = find(list, b", [")?;
        let end = start + find(&list[start..], b"]")?;
        let successes = memmem::find_iter(&list[start..end], b"True").count() as u64;
        let failures = memmem::find_iter(&list[start..end], b"False").count() as u64;
        self.now = RolloutResults { episodes: successes + failures, successes: Some(successes) };
        self.total = Some(self.now.episodes);
        self.progress(notes);
        let RolloutResults { episodes, successes } = self.before.and(self.now);
        if let Some(successes) = successes.filter(|_| episodes > 0) {
            notes.metric("successes", successes as f64);
            notes.metric("success_rate", successes as f64 / episodes as f64);
        }
        Some(LineMatch::Typical)
    }

    /// Takes the share of an environment: `Success rate: 0.46`.
    fn rate(&mut self, words: &[u8], notes: &mut Notes) -> Option<LineMatch> {
        self.collected.then_some(())?;
        let value =
            words.strip_prefix(b"Success rate: ").or_else(|| words.strip_prefix(b"success rate: "))?;
        let rate = leading_rate(value)?;
        self.collected = false;
        self.weighed += rate * self.now.episodes as f64;
        let all = self.before.and(self.now);
        if all.successes.is_none() && all.episodes > 0 {
            notes.metric("success_rate", self.weighed / all.episodes as f64);
        }
        notes.finished = self.left() == 0;
        Some(LineMatch::Plausible)
    }

    /// `[INFO] rank=0/8 (3/315) env=…`: one of several environments begins.
    fn see_place(&mut self, words: &[u8]) {
        let Some(speaker) = speaker_on(words) else { return };
        let counted = text_count::on_line(speaker.words);
        let first = counted.as_ref().and_then(|counted| counted.counts().next());
        let bracketed = first.filter(|count| matches!(count.form, CountForm::Bracketed));
        let Some((index, total)) = bracketed.and_then(|count| Some((count.index, count.total?))) else {
            return;
        };
        self.are_several |= *self.process.get_or_insert(speaker.number) != speaker.number;
        self.place = Some((index, total));
    }

    /// Environments that are to come.
    fn left(&self) -> u64 {
        let left = self.place.map_or(0, |(index, total)| total.saturating_sub(index));
        left.max(u64::from(self.are_several))
    }

    fn progress(&self, notes: &mut Notes) {
        let all = self.before.and(self.now);
        // As many are expected of each environment that is to come.
        let each = |total: u64| total.saturating_mul(self.left().saturating_add(1));
        let total = self.total.map(|total| each(total).saturating_add(self.before.episodes));
        notes.progress(all.episodes, total);
        if all.episodes > 0 {
            notes.metric("episodes", all.episodes as f64);
        }
    }
}

impl RolloutResults {
    fn and(self, other: Self) -> Self {
        Self {
            episodes: self.episodes.saturating_add(other.episodes),
            successes: self.successes.zip(other.successes).map(|(a, b)| a.saturating_add(b)),
        }
    }
}
