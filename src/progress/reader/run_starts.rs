//! How a second run in the same log is known: the program prints again what it printed when it started.

use super::next_part::{begins_another, begins_part, names_another};
use crate::progress::counts::count_suffix::is_ornament;
use crate::progress::text::find::find;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::word::is_one_of;
use crate::progress::trouble::traceback::HEADER;

/// So many first lines are kept: enough for a banner and the names of a configuration.
const MOST_HEADS: usize = 12;

/// Number of bytes of a line that are kept to recognise it again.
const LONGEST: usize = 256;

/// So many lines in their order show a start before the work is over.
const FIRST_LINES: usize = 3;

/// Fewest letters of a line that can identify a start. A shorter one may occur anywhere: `done`, `{`, a rule.
const FEWEST_LETTERS: usize = 8;

/// Launchers print these before anything else, so that each begins another run, whatever came before.
const LAUNCHERS: [&[u8]; 1] = [b"nohup: ignoring input"];

/// A heading has no more words.
const MOST_WORDS: usize = 5;

/// Length of the end of a line, which no logger's prefix changes: it alone distinguishes most lines.
const TAIL: usize = 8;

/// The first lines of a log, before any format reads one.
#[derive(Debug, Default)]
pub struct RunStarts {
    heads: Vec<Head>,
    /// One of them begins a part of the work.
    has_part: bool,
    /// Whether lines that end so may be among them.
    ends: Option<Box<[bool; 256]>>,
    /// The newest line was the head at this place.
    seen: Option<usize>,
    /// And the one before it was an earlier one, though not its neighbour.
    has_two: bool,
    /// A launcher began the log.
    launched: bool,
    /// The newest lines are the heading of a summary and what it repeats of the start.
    in_summary: bool,
    is_closed: bool,
}

#[derive(Debug)]
struct Head {
    text: Vec<u8>,
    tail: [u8; TAIL],
    /// True if it was printed again before the work was over: the program does that habitually.
    recurs: bool,
}

impl Head {
    /// The line may be this one behind a prefix, which costs more to take off.
    fn may_end(&self, line: &[u8], tail: &[u8; TAIL]) -> bool {
        let is_cut = self.text.len() == LONGEST;
        !self.recurs && self.tail == *tail && (is_cut || line.ends_with(&self.text))
    }
}

/// How far the run is that a line may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPhase {
    /// Nothing was counted yet.
    Starting,
    /// The same of a run behind another one, whose start is known already.
    Restarting,
    /// Some of it is done.
    AtWork,
    /// All of it is done.
    Over,
}

impl RunStarts {
    /// Takes a line; true where it shows that the program has started again. After the end of the work that takes two
    /// lines of its start in their order, before it the first three of all, one after the other; of a launcher, one.
    pub fn is_second(&mut self, line: &[u8], phase: RunPhase) -> bool {
        let line = line.trim_ascii();
        if line.is_empty() {
            return false;
        }
        if self.launched && LAUNCHERS.iter().any(|launcher| line.starts_with(launcher)) {
            (self.seen, self.has_two, self.in_summary) = (Some(0), false, false);
            return phase != RunPhase::Restarting;
        }
        if self.keeps_lines(phase) {
            self.launched |= LAUNCHERS.iter().any(|launcher| line.starts_with(launcher));
            self.keep(line);
            return false;
        }
        self.is_closed = true;
        if phase == RunPhase::Restarting {
            return false;
        }
        let Some(place) = self.place_of(line) else {
            match phase {
                RunPhase::AtWork => self.leave_start(line),
                RunPhase::Over => {
                    self.in_summary = heads_summary(line) || self.in_summary && is_ornament(line)
                }
                RunPhase::Starting | RunPhase::Restarting => {}
            }
            return false;
        };
        let earlier = self.seen.replace(place);
        let follows = phase != RunPhase::Starting
            && place < FIRST_LINES
            && earlier.map_or(place == 0, |earlier| place == earlier + 1);
        let is_second = match phase {
            RunPhase::Starting | RunPhase::Restarting => false,
            RunPhase::AtWork => follows && place + 1 == FIRST_LINES,
            RunPhase::Over => self.follow_in_order(earlier, place),
        };
        if is_second {
            (self.seen, self.has_two, self.in_summary) = (None, false, false);
        } else if phase != RunPhase::Over && !follows {
            self.seen = earlier;
            self.forget();
            self.heads[place].recurs = true;
        }
        is_second
    }

    /// Lines are still those of the start.
    pub fn keeps_lines(&self, phase: RunPhase) -> bool {
        phase == RunPhase::Starting && !self.is_closed
    }

    /// The first two lines of the start, or any three in their order: a summary repeats some lines of a configuration
    /// too.
    fn follow_in_order(&mut self, earlier: Option<usize>, place: usize) -> bool {
        let Some(earlier) = earlier.filter(|earlier| *earlier < place) else {
            self.has_two = false;
            return false;
        };
        let recur = |heads: &[Head]| heads.iter().all(|head| head.recurs);
        let are_first = recur(&self.heads[..earlier]) && recur(&self.heads[earlier + 1..place]);
        (are_first || std::mem::replace(&mut self.has_two, true)) && !self.in_summary
    }

    /// Reports whether the line is one of the first lines, or that of a launcher.
    pub fn holds(&self, line: &[u8]) -> bool {
        let line = line.trim_ascii();
        LAUNCHERS.iter().any(|launcher| line.starts_with(launcher)) || self.place_of(line).is_some()
    }

    /// The first line of the log without the prefix of a logger; empty where it says too little to be known again.
    pub fn first_line(&self) -> &[u8] {
        self.heads.first().map_or(&[], |head| &head.text)
    }

    /// Reports whether the line begins another part of the work, as one of the first lines began the first.
    pub fn begins_another(&self, line: &[u8]) -> bool {
        self.has_part && begins_another(words(line), self.heads.iter().map(|head| head.text.as_slice()))
    }

    /// Reports whether the line names another part of the work than the first lines do.
    pub fn names_another(&self, line: &[u8]) -> bool {
        self.has_part && names_another(words(line), self.heads.iter().map(|head| head.text.as_slice()))
    }

    /// The start is over: what a format reads may come again by its nature.
    pub fn close(&mut self) {
        self.is_closed = true;
    }

    /// Takes a line of the work that is none of the first lines.
    fn leave_start(&mut self, line: &[u8]) {
        if self.seen.is_none() {
            return;
        }
        let words = words(line);
        if words.strip_prefix(HEADER.as_bytes()).is_some_and(|rest| rest.starts_with(b":")) {
            // A run that failed at its start is one too.
            self.seen = None;
        } else if identifies_start(words) {
            self.forget();
        }
    }

    /// Discards what looked like the first lines of a start but was not one.
    fn forget(&mut self) {
        if let Some(place) = self.seen.take().filter(|place| *place < FIRST_LINES) {
            self.heads[..=place].iter_mut().for_each(|head| head.recurs = true);
        }
    }

    fn keep(&mut self, line: &[u8]) {
        let text = words(line);
        if let Some(known) = self.heads.iter_mut().find(|head| head.text == kept(text)) {
            known.recurs = true;
            return;
        }
        if !identifies_start(text) {
            return;
        }
        let Some(tail) = text.last_chunk() else { return };
        self.ends.get_or_insert_with(|| Box::new([false; 256]))[usize::from(tail[TAIL - 1])] = true;
        self.has_part |= begins_part(text);
        self.heads.push(Head { text: kept(text).to_vec(), tail: *tail, recurs: false });
        self.is_closed = self.heads.len() == MOST_HEADS;
    }

    fn place_of(&self, line: &[u8]) -> Option<usize> {
        let ends = self.ends.as_ref()?;
        let tail: &[u8; TAIL] = line.last_chunk()?;
        if !ends[usize::from(tail[TAIL - 1])] || !self.heads.iter().any(|head| head.may_end(line, tail)) {
            return None;
        }
        let text = kept(words(line));
        self.heads.iter().position(|head| !head.recurs && head.text == text)
    }
}

/// `=== Summary ===`, `Results:`: what it was about may be repeated below.
pub fn heads_summary(line: &[u8]) -> bool {
    // First what most lines fail at.
    if line.iter().any(u8::is_ascii_digit) {
        return false;
    }
    let words = words(line).split(|byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let mut of_summary = 0;
    let mut all = 0;
    for word in words.take(MOST_WORDS + 1) {
        all += 1;
        of_summary += usize::from(is_one_of(word, &["summary", "results", "report"]));
    }
    of_summary > 0 && all <= MOST_WORDS
}

/// The line says enough to be known again. Rows of tables, bars and counts come again by their nature.
fn identifies_start(text: &[u8]) -> bool {
    // A letter of another script has three bytes and says more than one of these.
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()).count();
    let is_row = text.starts_with(b"|") || text.starts_with("│".as_bytes());
    let counts = memchr::memchr_iter(b'/', text).any(|at| text.get(at + 1).is_some_and(u8::is_ascii_digit));
    // `\u2588\u2588`: a rule that was printed without its signs.
    let is_rule = find(text, b"\\u25").is_some_and(|at| find(&text[at + 1..], b"\\u25").is_some());
    letters >= FEWEST_LETTERS && !is_row && !is_rule && !counts && find(text, b"%|").is_none()
}

fn words(line: &[u8]) -> &[u8] {
    behind_prefix(line).unwrap_or(line).trim_ascii()
}

fn kept(text: &[u8]) -> &[u8] {
    &text[..text.len().min(LONGEST)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(lines: &[&str]) -> RunStarts {
        let mut starts = RunStarts::default();
        for line in lines {
            assert!(!starts.is_second(line.as_bytes(), RunPhase::Starting), "{line}");
        }
        starts
    }

    const BANNER: [&str; 4] =
        ["=======", "Evaluation of grasping", "checkpoint: model_1.pt", "environment: kitchen"];

    #[test]
    fn two_lines_of_the_start_behind_the_end_are_another_start() {
        let mut starts = started(&BANNER);
        let second = |starts: &mut RunStarts, line: &str| starts.is_second(line.as_bytes(), RunPhase::Over);
        assert!(!second(&mut starts, "=======") && !second(&mut starts, "Evaluation of grasping"));
        assert!(second(&mut starts, "checkpoint: model_1.pt"), "neighbours, others may stand between");
        assert!(!second(&mut starts, "environment: kitchen"));
        assert!(!second(&mut starts, "Evaluation of grasping"), "a summary in another order is none");
        assert!(!second(&mut starts, "environment: kitchen"), "nor one of every second line");
    }

    #[test]
    fn what_a_summary_repeats_is_no_start() {
        let over = |starts: &mut RunStarts, line: &str| starts.is_second(line.as_bytes(), RunPhase::Over);
        let mut starts = started(&BANNER);
        for line in ["checkpoint: model_1.pt", "environment: kitchen", "success: 3/4"] {
            assert!(!over(&mut starts, line), "{line}");
        }
        let mut starts = started(&BANNER);
        for line in ["==== Summary ====", "", BANNER[1], "checkpoint: model_1.pt", "environment: kitchen"] {
            assert!(!over(&mut starts, line), "{line}");
        }
        assert!(!over(&mut starts, "success: 3/4") && !over(&mut starts, BANNER[1]));
        assert!(over(&mut starts, "checkpoint: model_1.pt"), "behind the summary");
    }

    #[test]
    fn three_lines_of_the_start_in_their_order_may_have_others_between_them() {
        let mut starts = started(&[
            "first of the names", "second of them", "the third one", "and the fourth", "a fifth of them",
        ]);
        let mut second = |line: &str| starts.is_second(line.as_bytes(), RunPhase::Over);
        assert!(!second("first of the names") && !second("the third one"));
        assert!(second("a fifth of them"));
    }

    #[test]
    fn what_is_printed_again_at_work_is_a_habit() {
        let mut starts = started(&BANNER);
        let at_work =
            |starts: &mut RunStarts, line: &str| starts.is_second(line.as_bytes(), RunPhase::AtWork);
        assert!(!at_work(&mut starts, "checkpoint: model_1.pt"));
        assert!(!starts.is_second(b"checkpoint: model_1.pt", RunPhase::Over));
        assert!(!at_work(&mut starts, "Evaluation of grasping") && !at_work(&mut starts, "step 3"));
        let mut crashed = started(&BANNER);
        assert!(!at_work(&mut crashed, "2026-04-01 06:15:22 INFO Evaluation of grasping"));
        assert!(!at_work(&mut crashed, "checkpoint: model_1.pt"));
        assert!(at_work(&mut crashed, "environment: kitchen"), "the first three after one another");
    }

    #[test]
    fn lines_that_say_too_little_may_lie_within_a_start() {
        let mut starts = started(&[BANNER[1], "seed 1:", BANNER[2], BANNER[3]]);
        for line in [BANNER[1], "seed 1:", BANNER[2]] {
            assert!(!starts.is_second(line.as_bytes(), RunPhase::AtWork), "{line}");
        }
        assert!(starts.is_second(BANNER[3].as_bytes(), RunPhase::AtWork));
    }

    #[test]
    fn a_start_that_failed_is_no_habit() {
        let mut starts = started(&BANNER);
        for line in [
            BANNER[1],
            "Traceback (most recent call last):",
            "ValueError: no such option",
            BANNER[1],
            BANNER[2],
        ] {
            assert!(!starts.is_second(line.as_bytes(), RunPhase::AtWork), "{line}");
        }
        assert!(starts.is_second(BANNER[3].as_bytes(), RunPhase::AtWork));
    }

    #[test]
    fn one_line_of_a_launcher_begins_another_run() {
        const LAUNCHER: &str = "nohup: ignoring input";
        let mut starts = started(&[LAUNCHER, BANNER[1], BANNER[2]]);
        for phase in [RunPhase::Starting, RunPhase::AtWork, RunPhase::Over] {
            assert!(starts.is_second(LAUNCHER.as_bytes(), phase), "{phase:?}");
        }
        assert!(!starts.is_second(LAUNCHER.as_bytes(), RunPhase::Restarting), "that start is known");
        assert!(!started(&BANNER).is_second(LAUNCHER.as_bytes(), RunPhase::Starting), "the first one");
    }

    #[test]
    fn what_several_ranks_print_is_no_start() {
        let mut starts = started(&[BANNER[1], BANNER[1], BANNER[2], BANNER[2]]);
        for line in [BANNER[1], BANNER[2]] {
            assert!(!starts.is_second(line.as_bytes(), RunPhase::Over), "{line}");
        }
    }
}
