//! How many episodes an evaluation over tasks is to run, from what its log shows: tasks, and episodes of each.

use std::time::Duration;

use crate::progress::counts::bar::Bar;
use crate::progress::text::find::find;
use crate::progress::text::number::leading_u64;

/// Tasks and episodes per task, as far as the log shows them. What a suite usually has is kept apart.
#[derive(Debug, Default)]
pub struct EpisodePlan {
    tasks: Option<u64>,
    /// Number of tasks that suites of this name have.
    usual_tasks: Option<u64>,
    /// Said before the first task was over: by a bar or a printed setting.
    announced: Option<u64>,
    /// Counted when a task was over.
    counted: PerTask,
    /// How many episodes were over when the last task was.
    counted_to: u64,
    /// Total of the newest bar that is full and how long it was drawn, where the empty ones were not seen.
    full: Option<(u64, Duration)>,
    /// The bar over the tasks is full: with fewer episodes than were planned, some tasks were left out.
    is_through: bool,
}

/// Episodes of the tasks that are over.
#[derive(Debug, Default, Clone, Copy)]
enum PerTask {
    #[default]
    Unknown,
    Each(u64),
    Different,
}

impl EpisodePlan {
    /// All episodes, where the log shows how many there are; `done` of them are over.
    pub fn total(&self, done: u64) -> Option<u64> {
        let total = self.tasks?.checked_mul(self.each()?)?;
        (total == done || total > done && !self.is_through).then_some(total)
    }

    /// All episodes, where the suite has its usual tasks and the log does not say how many.
    pub fn usual_total(&self) -> Option<u64> {
        self.usual_tasks.filter(|_| self.tasks.is_none())?.checked_mul(self.each()?)
    }

    /// Episodes of each task.
    fn each(&self) -> Option<u64> {
        match (self.counted, self.announced) {
            (PerTask::Unknown, announced) => announced,
            (PerTask::Each(episodes), None) => Some(episodes),
            (PerTask::Each(episodes), Some(announced)) if episodes == announced => Some(episodes),
            (PerTask::Each(_), Some(_)) | (PerTask::Different, _) => None,
        }
    }

    /// Takes the name of the suite: those of LIBERO have so many tasks (`libero/benchmark/__init__.py` of LIBERO).
    pub fn name_suite(&mut self, name: &[u8]) {
        let word = name.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').next();
        self.usual_tasks = match word.unwrap_or_default() {
            b"libero_spatial" | b"libero_object" | b"libero_goal" | b"libero_10" => Some(10),
            b"libero_90" => Some(90),
            _other_suite => None,
        };
    }

    /// A task is over, and with it so many episodes of the suite.
    pub fn end_task(&mut self, done: u64) {
        let episodes = done.saturating_sub(self.counted_to);
        self.counted_to = done;
        self.counted = match (self.counted, episodes) {
            (same, 0) => same,
            (PerTask::Unknown, episodes) => PerTask::Each(episodes),
            (PerTask::Each(before), episodes) if before == episodes => PerTask::Each(before),
            (PerTask::Each(_) | PerTask::Different, _) => PerTask::Different,
        };
    }

    /// Another suite begins, which may have other tasks; a printed setting holds for it too.
    pub fn begin_suite(&mut self) {
        *self = Self { announced: self.announced, ..Self::default() };
    }

    /// Reports whether bars can show something that is not known yet.
    pub fn wants_bars(&self) -> bool {
        self.tasks.is_none() || self.announced.is_none() || !self.is_through
    }

    /// Reports whether a printed setting can show something that is not known yet.
    pub fn wants_setting(&self) -> bool {
        self.announced.is_none()
    }

    /// Learns from an empty bar: the outer one counts tasks, the next one the episodes of a task. An outer bar may be
    /// drawn again before the inner one, so that only another total distinguishes the inner one.
    pub fn see_bar(&mut self, bar: &Bar<'_>) -> bool {
        let Some(total) = bar.total().filter(|total| *total > 0) else { return false };
        if bar.done() > 0 {
            if self.tasks.is_none() && bar.done() == total && bar.name.is_empty() {
                return self.see_full_bar(total, bar.tail.elapsed());
            }
            // A bar of as many episodes may be that of a task.
            let is_outer = self.tasks == Some(total) && self.announced.is_some_and(|each| each != total);
            let fills_it = is_outer && bar.done() == total && bar.name.is_empty();
            return fills_it && !std::mem::replace(&mut self.is_through, true);
        }
        match self.tasks {
            None => self.tasks = Some(total),
            Some(tasks) if self.announced.is_none() && tasks != total => self.announced = Some(total),
            Some(_) => return false,
        }
        true
    }

    /// Learns from bars of which only the last drawings are there, as in the last lines of a log: of as many tasks as the
    /// second one says, each had as many episodes as the first one says.
    fn see_full_bar(&mut self, total: u64, elapsed: Option<Duration>) -> bool {
        let Some(elapsed) = elapsed else { return false };
        // A bar of as many may be that of the same task, drawn again, or of the next one; a shorter one that of a video.
        let all_of = |(each, drawn): &(u64, Duration)| {
            let is_outer = *each != total && total > 1 && elapsed >= *drawn;
            is_outer && each.checked_mul(total) == Some(self.counted_to) && self.counted_to > 0
        };
        let Some((each, _)) = self.full.replace((total, elapsed)).filter(all_of) else { return false };
        (self.tasks, self.announced, self.counted) = (Some(total), Some(each), PerTask::Unknown);
        self.is_through = true;
        true
    }

    /// `running first 5/10 tasks`, `Evaluating 3/10 tasks`: to be read before the first episode only, because a line
    /// of this form may count up later.
    pub fn read_tasks(&mut self, line: &[u8]) -> bool {
        let Some(end) = find(line, b" tasks") else { return false };
        let Some((before, _suite)) = trailing_number(&line[..end]) else { return false };
        let Some(before) = before.strip_suffix(b"/") else { return false };
        let Some((_, tasks)) = trailing_number(before).filter(|(_, tasks)| *tasks > 0) else { return false };
        self.tasks = Some(tasks);
        true
    }

    /// `num_trials_per_task=50`, `"num_trials_per_task": 50`, `--num-trials-per-task 50`.
    pub fn read_setting(&mut self, line: &[u8]) -> bool {
        let name = [b"num_trials_per_task".as_slice(), b"num-trials-per-task"];
        let Some(at) = name.iter().find_map(|name| find(line, name)) else { return false };
        let Some(episodes) = setting_value(&line[at + name[0].len()..]) else { return false };
        self.announced = Some(episodes);
        true
    }
}

/// The number behind a setting's name, however it is written: `=50`, `': 50`, ` 50`.
pub fn setting_value(text: &[u8]) -> Option<u64> {
    let start = text.iter().position(|byte| !matches!(byte, b'"' | b'\'' | b':' | b'=' | b' '))?;
    leading_u64(&text[start..]).map(|(number, _)| number).filter(|number| *number > 0)
}

/// The text before a number at its end, and the number.
fn trailing_number(text: &[u8]) -> Option<(&[u8], u64)> {
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, number) = text.split_at(text.len() - digits);
    Some((before, leading_u64(number)?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_read_as_they_are_announced() {
        let tasks = |line: &str| {
            let mut plan = EpisodePlan::default();
            plan.read_tasks(line.as_bytes()).then_some(plan.tasks).flatten()
        };
        assert_eq!(tasks("[info] running first 5/10 tasks"), Some(5));
        assert_eq!(tasks("INFO:root:Evaluating 3/10 tasks in libero_10"), Some(3));
        assert_eq!(tasks("running 10 tasks"), None);
        assert_eq!(tasks("0/10 tasks"), None);
        assert_eq!(tasks("99999999999999999999999/10 tasks"), None);
    }

    #[test]
    fn a_setting_is_read_however_it_is_printed() {
        let each = |line: &str| {
            let mut plan = EpisodePlan::default();
            plan.read_setting(line.as_bytes()).then_some(plan.announced).flatten()
        };
        assert_eq!(each("\"num_trials_per_task\": 5,"), Some(5));
        assert_eq!(each("GenerateConfig(num_trials_per_task=20, seed=7)"), Some(20));
        assert_eq!(each("+ python main.py --args.num-trials-per-task 1"), Some(1));
        assert_eq!(each("num_trials_per_task: int"), None);
    }

    #[test]
    fn tasks_of_different_lengths_have_no_total() {
        let mut plan = EpisodePlan { tasks: Some(4), ..EpisodePlan::default() };
        assert_eq!(plan.total(0), None);
        plan.end_task(3);
        assert_eq!(plan.total(3), Some(12));
        plan.end_task(3);
        plan.end_task(6);
        assert_eq!(plan.total(6), Some(12));
        plan.end_task(7);
        assert_eq!(plan.total(7), None);
        let mut contradicted = EpisodePlan { tasks: Some(4), announced: Some(50), ..EpisodePlan::default() };
        contradicted.end_task(48);
        assert_eq!(contradicted.total(48), None);
    }
}
