//! Evaluators that print `Episode 3/100 reward=12.3 length=200 success=1`.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::episode_training::TrainingSteps;
use crate::model::results::episode_list::{Episode, EpisodeList, MOST_EPISODES};
use crate::progress::counts::bar::Bar;
use crate::progress::counts::count_suffix::{CountSuffix, is_ornament};
use crate::progress::counts::episode_values::{Counted, EpisodeMeans};
use crate::progress::counts::item_state::{announces, announces_behind};
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_u64;
use crate::progress::text::speaker::are_of_two_processes;

/// `Episode 3/100`, with any of `reward=`, `length=` or `len=`, and `success=` behind it; `Episode 3/100...` announces
/// it.
pub const PRESET: Preset = Preset {
    name: "episode",
    unit: "episodes",
    rank: PresetRank::Manner,
    needles: &["Episode ", "episode ", "Task ", "task ", "pisodes: ", "Step ", "step "],
    begin: &|| Box::new(EpisodeReader::default()),
};

/// Both `Episode` and `episode`.
static WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("pisode "));

/// Both `Task` and `task`.
static TASK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("ask "));

/// Both `Step` and `step`.
static STEP: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("tep "));

/// An outcome in words, such as `: success`, is not longer. More text is not read word by word, because a log may hold
/// nothing but such lines.
const LONGEST_OUTCOME: usize = 24;

#[derive(Debug, Default)]
struct EpisodeReader {
    values: EpisodeMeans,
    newest: Option<Count>,
    /// The most between two counts.
    stride: u64,
    /// The first one that was over had the number 0.
    from_zero: bool,
    /// Lines with nothing behind their count are headings: other lines come between them.
    heads: bool,
    /// The newest line is such a heading, or may be one.
    is_heading: bool,
    /// Number of the line with the newest count.
    line: u64,
    /// The newest line said how its episode ended.
    told_outcome: bool,
    /// A line was no announcement: where both are printed, the end counts.
    tells_ends: bool,
    /// Not all are printed, or some twice.
    is_sample: bool,
    /// The task they belong to, where a line counts the tasks.
    task: Option<Count>,
    /// The task of the newest episode.
    of_task: Option<Count>,
    /// They are counted on from task to task, so that their total is that of all.
    runs_through: bool,
    /// The heading of a task is newer than that, and says so of the same process.
    is_headed: bool,
    /// The newest heading of a task, as far as a name is long that processes give themselves.
    heading: Vec<u8>,
    /// Another round of them began: of tasks, seeds or resumed runs, or by parallel workers. It is unknown how many
    /// will come.
    begins_again: bool,
    /// The number of each, and how it ended where the line says so.
    each: Vec<(u64, Option<bool>)>,
    /// Those of another total that were left before their end: of another task, or of the training around these.
    left: Option<Count>,
    /// The steps of a training that is evaluated by these episodes, if that is what they are.
    training: TrainingSteps,
    /// `Episode 657, …` counts further than there are: the work is that, and what has a total lies within it.
    beyond: Option<u64>,
}

/// A count and its total, as in `3/100`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Count {
    done: u64,
    total: u64,
}

impl Count {
    /// The other one is the next of as many.
    fn follows_to(self, next: Self) -> bool {
        next.total == self.total && next.done == self.done + 1
    }
}

impl Format for EpisodeReader {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let Some((count, behind)) = count(line) else {
            if let Some(task) = task_on(line) {
                self.head(task, line);
            }
            if self.sums_up(line, notes) || self.trains(line, notes) {
                return LineMatch::Plausible;
            }
            return self.count_beyond(line, notes);
        };
        // `Task 2/3 Episode 4/5: success`
        let before = &line[..line.len() - behind.len()];
        if let Some(task) = task_on(before).filter(|task| self.task != Some(*task)) {
            self.head(task, line);
        }
        if self.starts_over(count) {
            *self = Self { task: self.task, heading: std::mem::take(&mut self.heading), ..Self::default() };
            notes.restarts = true;
        }
        self.is_headed = false;
        let of_task = std::mem::replace(&mut self.of_task, self.task);
        let is_next_task = of_task.zip(self.task).is_some_and(|(before, now)| before.follows_to(now));
        self.runs_through |= is_next_task && self.newest.is_some_and(|newest| newest.follows_to(count));
        if is_next_task
            && self.newest.is_some_and(|newest| newest.done >= newest.total && newest.total == count.total)
        {
            // Each task has as many, which are counted from the start again.
            self.newest = None;
        }
        // The first line with nothing behind its count is a heading: before the end of an episode comes its work.
        let heads_first = self.newest.is_none() && !self.tells_ends && count.done == 1 && count.total > 1;
        if announces_behind(behind) || heads_first && is_ornament(behind) {
            self.is_heading = is_ornament(behind);
            self.begin(count, notes);
            return LineMatch::Typical;
        }
        if !std::mem::replace(&mut self.tells_ends, true) {
            self.newest = None;
        }
        let is_same = self.newest == Some(count);
        self.take(count, behind);
        self.heads |= self.line > 0 && notes.line > self.line + 1 && is_ornament(behind);
        (self.line, self.is_heading) = (notes.line, is_ornament(behind));
        let outcome = outcome_of(behind);
        let ended = self.values.add(behind, outcome, notes);
        if self.each.len() <= MOST_EPISODES {
            self.each.push((count.done, ended));
        }
        let tells_outcome = ended.is_some();
        // The outcome of an episode is printed once; a second one for the same count comes from parallel workers.
        self.begins_again |= is_same && tells_outcome && self.told_outcome;
        self.told_outcome = tells_outcome;
        let done = count.total.min(count.done + u64::from(self.from_zero));
        match self.left.filter(|_| done >= count.total) {
            Some(left) => self.note(left.done, left.total, notes),
            None => self.note(done, count.total, notes),
        }
        // Programs that print every tenth do not print the last; a heading says that the last one begins.
        let may_be_last = done == count.total && self.heads
            || done < count.total && self.stride > 1 && done + self.stride > count.total;
        self.training.pause();
        let is_part = done >= count.total && self.training.outlasts(count.total);
        (notes.is_doubtful, notes.is_open) = (self.begins_again || is_part, may_be_last);
        LineMatch::Typical
    }

    /// The count in the name of a bar is that of the one at work.
    fn read_bar(&mut self, _bar: &Bar<'_>, _line: &[u8], _notes: &mut Notes) -> LineMatch {
        LineMatch::Foreign
    }

    fn totals(&self, notes: &mut Notes) {
        let counted = if self.is_sample { Counted::Sample } else { Counted::EachEpisode };
        self.values.note(counted, notes);
    }

    /// Lists the episodes; none where rounds of several tasks or workers count alike, because they cannot be
    /// distinguished.
    fn episodes(&self) -> Option<EpisodeList> {
        let is_told = self.each.iter().any(|(_, ended)| ended.is_some());
        if self.begins_again || self.is_sample || self.of_task.is_some() || !is_told {
            return None;
        }
        EpisodeList::from_episodes(self.each.iter().map(|(number, success)| Episode {
            task: "",
            number: i64::try_from(*number).unwrap_or(i64::MAX),
            seed: None,
            success: *success,
        }))
    }
}

impl EpisodeReader {
    /// The first episode of the first task comes again before those of all tasks were over: the program was started
    /// again. Workers side by side would go on with their own tasks.
    fn starts_over(&self, count: Count) -> bool {
        let Some(((before, now), newest)) = self.of_task.zip(self.task).zip(self.newest) else {
            return false;
        };
        let is_left = before.done < before.total || newest.done < newest.total;
        let goes_back = before.done > now.done || newest.done > count.done;
        let is_first = now.done <= 1 && count.done <= 1 && now.total == before.total;
        self.is_headed && is_first && is_left && goes_back
    }

    /// Takes the count of a task, below which its episodes come.
    fn head(&mut self, task: Count, line: &[u8]) {
        (self.task, self.is_headed) = (Some(task), !is_of_other_process(&self.heading, line));
        self.heading = line[..line.len().min(LONGEST_NAME)].to_vec();
    }

    /// An episode begins: those before it are over.
    fn begin(&mut self, count: Count, notes: &mut Notes) {
        if self.tells_ends {
            return;
        }
        self.from_zero |= count.done == 0;
        self.line = notes.line;
        let before = self.newest.replace(count);
        self.begins_again |=
            before.is_some_and(|before| count.done < before.done || count.total != before.total);
        let number = count.done + u64::from(self.from_zero);
        self.note(number.saturating_sub(1), count.total, notes);
        (notes.is_doubtful, notes.is_open) = (self.begins_again, number >= count.total);
    }

    /// `Episodes: 3` behind headings such as `Episode 1/3`, of which not all are printed: so many were run, or are to
    /// be run by another program that begins.
    fn sums_up(&mut self, line: &[u8], notes: &mut Notes) -> bool {
        let is_all = |newest: &Count| newest.done < newest.total && told_of_all(line) == Some(newest.total);
        let Some(newest) =
            self.newest.filter(|newest| self.is_heading && !self.begins_again && is_all(newest))
        else {
            return false;
        };
        self.newest = Some(Count { done: newest.total, ..newest });
        self.is_sample = true;
        self.note(newest.total, newest.total, notes);
        (notes.is_doubtful, notes.is_open) = (true, true);
        true
    }

    /// Takes `Step 3000/45000, Loss: 0.03`; true where steps that go on behind a round of episodes are the work.
    fn trains(&mut self, line: &[u8], notes: &mut Notes) -> bool {
        let Some((step, _)) = counted(line, &STEP) else { return false };
        let within = self.newest.is_some_and(|newest| newest.done < newest.total);
        self.training.take(step.done, step.total, within);
        let is_work =
            self.training.goes_on() && self.newest.is_some_and(|newest| self.training.outlasts(newest.total));
        if is_work {
            notes.progress_in("steps", step.done, Some(step.total));
            notes.is_doubtful = true;
        }
        is_work
    }

    /// A count without a total that goes beyond the newest total holds what has that.
    fn count_beyond(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let number = self.newest.and_then(|newest| open_count(line).filter(|number| *number > newest.total));
        let Some(number) = number else { return LineMatch::Foreign };
        self.beyond = Some(number);
        self.begins_again = true;
        notes.progress(number, None);
        notes.is_doubtful = true;
        LineMatch::Plausible
    }

    /// Notes what is done, of all tasks where they are counted too.
    fn note(&self, done: u64, total: u64, notes: &mut Notes) {
        if self.beyond.is_some() {
            return;
        }
        let Some(task) = self.task.filter(|task| !self.runs_through && (1..=task.total).contains(&task.done))
        else {
            return notes.progress_in(PRESET.unit, done, Some(total));
        };
        notes.tasks = Some(task.total);
        let before = (task.done - 1).saturating_mul(total);
        notes.progress_in(PRESET.unit, before.saturating_add(done), Some(task.total.saturating_mul(total)));
    }

    fn take(&mut self, count: Count, behind: &[u8]) {
        let Some(newest) = self.newest.replace(count) else {
            self.from_zero |= count.done == 0 && CountSuffix::read(behind).tells_result;
            self.is_sample = count.done > 1;
            return;
        };
        // A training that was given more of them goes on.
        let is_extended =
            newest.done < newest.total && newest.total < count.total && newest.done < count.done;
        self.begins_again |= count.done < newest.done || count.total != newest.total && !is_extended;
        let reached = newest.done + u64::from(self.from_zero);
        if count.total != newest.total
            && !is_extended
            && reached + self.stride.max(printed_stride(newest.done)) <= newest.total
        {
            self.left = Some(newest);
        }
        self.left = self.left.filter(|left| left.total != count.total);
        let step = count.done.saturating_sub(newest.done);
        self.is_sample |= step > 1 || count == newest;
        if !self.begins_again {
            self.stride = self.stride.max(step);
        }
    }
}

/// Names of processes are not longer.
const LONGEST_NAME: usize = 96;

/// `(Eval pid=12) Task 1/2` behind a heading of `(Eval pid=11)`.
fn is_of_other_process(heading: &[u8], line: &[u8]) -> bool {
    let pid_of = |line: &[u8]| leading_u64(&line[find(line, b"pid=")? + b"pid=".len()..]).map(|(pid, _)| pid);
    pid_of(heading) != pid_of(line) || are_of_two_processes(heading, line)
}

/// How many more are done before the next line, as the number alone shows: programs that print every tenth print round
/// numbers.
fn printed_stride(done: u64) -> u64 {
    [100, 50, 20, 10, 5].into_iter().find(|stride| done > 0 && done.is_multiple_of(*stride)).unwrap_or(1)
}

/// Returns the number in `Episode 657, reward: 7.0`, where no total follows it.
fn open_count(line: &[u8]) -> Option<u64> {
    let at = WORD.find(line)?;
    (at <= 1).then_some(())?;
    let (number, rest) = leading_u64(line[at + WORD.needle().len()..].trim_ascii_start())?;
    matches!(rest.first(), Some(b',' | b':' | b' ' | b'|')).then_some(())?;
    let behind = rest.trim_ascii_start();
    (!behind.starts_with(b"/") && !behind.starts_with(b"of ")).then_some(number)
}

/// The number in `Episodes: 3` or `Total episodes: 3`, alone on its line.
fn told_of_all(line: &[u8]) -> Option<u64> {
    const WORD: &[u8] = b"pisodes: ";
    let at = find(line, WORD)?;
    let before = line[..at.checked_sub(1)?].trim_ascii();
    let is_of_all = is_ornament(before) || before.eq_ignore_ascii_case(b"total");
    let (number, rest) = leading_u64(line[at + WORD.len()..].trim_ascii_start())?;
    (is_of_all && rest.trim_ascii().is_empty()).then_some(number)
}

/// Reads `: success` and `: ✗ Fail (steps=608)`: what is in brackets says more of the same.
fn outcome_of(behind: &[u8]) -> Option<bool> {
    let words = memchr::memchr(b'(', behind).map_or(behind, |at| &behind[..at]);
    says_one_word(words).then(|| CountSuffix::read(words).outcome).flatten()
}

/// More words may be `not a success`.
fn says_one_word(behind: &[u8]) -> bool {
    let is_word = |word: &&[u8]| !word.is_empty();
    behind.len() <= LONGEST_OUTCOME
        && !behind.iter().any(u8::is_ascii_digit)
        && behind.split(|byte| !byte.is_ascii_alphabetic()).filter(is_word).count() <= 1
}

/// Returns the count of `Episode 3/100`, `[eval] episode 3 / 100:` or `Episode 3 of 100`, and the text behind it.
fn count(line: &[u8]) -> Option<(Count, &[u8])> {
    // Most begin with it, which is checked without a search.
    let begins = line.get(1..8) == Some(b"pisode ");
    if begins && let found @ Some(_) = count_at(line, 1, b"pisode ") {
        return found.filter(|(_, before, _)| !announces(before)).map(|(count, _, behind)| (count, behind));
    }
    counted(line, &WORD)
}

/// Returns the count of `Task 3/10: put the bowl on the plate`, also of a heading such as `--- Task 3/10 ---`.
fn task_on(line: &[u8]) -> Option<Count> {
    TASK.find_iter(line).find_map(|at| count_at(line, at, TASK.needle())).map(|(task, ..)| task)
}

/// Returns the count behind a word, and the text behind it.
fn counted<'a>(line: &'a [u8], word: &Finder<'_>) -> Option<(Count, &'a [u8])> {
    word.find_iter(line).find_map(|at| {
        let (count, before, behind) = count_at(line, at, word.needle())?;
        (before.is_empty() || !announces(before)).then_some((count, behind))
    })
}

/// Returns the count behind the word whose second letter is at this place, and the text before and behind it.
fn count_at<'a>(line: &'a [u8], at: usize, word: &[u8]) -> Option<(Count, &'a [u8], &'a [u8])> {
    let (before, first) = line[..at].split_at_checked(at.checked_sub(1)?)?;
    let stands_alone = before.last().is_none_or(|byte| byte.is_ascii_whitespace() || b"]:|".contains(byte));
    (stands_alone && matches!(first, b"E" | b"e" | b"T" | b"t" | b"S" | b"s")).then_some(())?;
    let (done, rest) = leading_u64(line[at + word.len()..].trim_ascii_start())?;
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b"/").or_else(|| rest.strip_prefix(b"of"))?;
    let (total, behind) = leading_u64(rest.trim_ascii_start())?;
    (done <= total && total > 0).then_some((Count { done, total }, before, behind))
}
