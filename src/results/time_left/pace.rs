//! How often the log of an attempt says something, and from when on its silence is not usual any more.

use std::collections::VecDeque;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::logs::mark::{Mark, MarkKind};
use crate::model::logs::steps::Steps;
use crate::model::state::phase::Phase;
use crate::model::units::duration_between;

/// Programs pause between two lines for many reasons; a shorter silence is never worth a word.
const LEAST: Duration = Duration::from_secs(30);

/// A silence of so many usual gaps is not one of them.
const MANY: u32 = 5;

/// A pause that came twice, as between two tasks, comes again and may take so many times as long.
const AGAIN: u32 = 2;

/// The usual gap is that of the last so many marks.
const RECENT: usize = 24;

/// Fewest gaps that show what is usual.
const FEWEST: usize = 3;

/// The gaps between the marks of an attempt since its work began.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pace {
    last: Option<Timestamp>,
    recent: VecDeque<Duration>,
    /// The two longest gaps, the longest first.
    longest: [Duration; 2],
    /// Its pauses, oldest first; only the newest may go on.
    pauses: Vec<Pause>,
    steps: Steps,
}

/// A time in which an attempt stood still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pause {
    from: Timestamp,
    until: Option<Timestamp>,
}

impl Pace {
    /// A pace of which nothing is known but the pauses, because the marks are read from the begin.
    #[must_use]
    pub fn again(&self) -> Self {
        Self { pauses: self.pauses.clone(), ..Self::default() }
    }

    /// The same of a living attempt, by its journal.
    pub fn of_live(phase: &Phase) -> Self {
        let live = phase.live();
        let over = live.into_iter().flat_map(|live| &live.pauses);
        let over = over.map(|pause| Pause { from: pause.from, until: Some(pause.until) });
        let lasting = phase.paused_since().map(|since| Pause { from: since, until: None });
        Self { pauses: over.chain(lasting).collect(), ..Self::default() }
    }

    /// Pauses the attempt from now on: that it says nothing meanwhile is no silence.
    pub fn pause(&mut self, at: Timestamp) {
        if self.pauses.last().is_none_or(|pause| pause.until.is_some()) {
            self.pauses.push(Pause { from: at, until: None });
        }
    }

    /// Resumes the attempt; its silence before the pause goes on too.
    pub fn resume(&mut self, at: Timestamp) {
        if let Some(pause) = self.pauses.last_mut() {
            pause.until.get_or_insert(at);
        }
    }

    /// When it went on after its newest pause.
    pub fn resumed(&self) -> Option<Timestamp> {
        self.pauses.iter().rev().find_map(|pause| pause.until)
    }

    /// The moments of its steps.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// The time between two moments without the pauses.
    pub fn awake(&self, from: Timestamp, to: Timestamp) -> Duration {
        let paused =
            |pause: &Pause| duration_between(pause.from.max(from), pause.until.unwrap_or(to).min(to));
        duration_between(from, to).saturating_sub(self.pauses.iter().map(paused).sum())
    }

    /// Takes a mark into account. What is said while a program starts has no pace: gaps count from its first work on.
    pub fn take(&mut self, mark: &Mark) {
        if let MarkKind::Progress(progress) = &mark.kind {
            let since = self.steps.newest_at().map_or(Duration::ZERO, |newest| self.awake(newest, mark.at));
            self.steps.add_count(mark.at, *progress, since);
        }
        let is_work = match &mark.kind {
            MarkKind::Progress(progress) => progress.done > 0,
            MarkKind::Part(_) | MarkKind::Metric { .. } => true,
            MarkKind::Value { .. }
            | MarkKind::Alert(_)
            | MarkKind::Stage(_)
            | MarkKind::Finished
            | MarkKind::Unit { .. }
            | MarkKind::Preset { .. } => false,
        };
        if is_work || self.last.is_some() {
            self.note(mark.at);
        }
    }

    /// Marks of one moment are one; an older one says nothing new.
    fn note(&mut self, at: Timestamp) {
        let Some(last) = self.last else {
            self.last = Some(at);
            return;
        };
        if at <= last {
            return;
        }
        self.last = Some(at);
        let gap = self.awake(last, at);
        if gap > self.longest[0] {
            self.longest = [gap, self.longest[0]];
        } else if gap > self.longest[1] {
            self.longest[1] = gap;
        }
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(gap);
    }

    /// The middle one of the last gaps; unknown before the third.
    pub fn usual_gap(&self) -> Option<Duration> {
        if self.recent.len() < FEWEST {
            return None;
        }
        let mut gaps: Vec<Duration> = self.recent.iter().copied().collect();
        let middle = gaps.len() / 2;
        Some(*gaps.select_nth_unstable(middle).1)
    }

    /// A silence up to this long is usual.
    fn patience(&self) -> Option<Duration> {
        Some((self.usual_gap()? * MANY).max(self.longest[1] * AGAIN).max(LEAST))
    }

    /// How long nothing was said, pauses apart, where that is longer than usual.
    pub fn silence(&self, now: Timestamp) -> Option<Duration> {
        let silence = self.awake(self.last?, now);
        (silence >= self.patience()?).then_some(silence)
    }

    /// The part of the time since the last mark that the next one is late by: two usual gaps are not late yet.
    pub fn delay(&self, now: Timestamp) -> Duration {
        match (self.last, self.usual_gap()) {
            (Some(last), Some(gap)) => self.awake(last, now).saturating_sub(gap * 2),
            (None, _) | (_, None) => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::claims::claim::Claim;
    use crate::model::ids::AttemptNumber;
    use crate::model::logs::stage::Stage;
    use crate::model::outcome::Progress;
    use crate::model::state::phase::Live;
    use crate::model::state::phase::PausedSpan;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millisecond(millis).unwrap()
    }

    fn mark(millis: i64, kind: MarkKind) -> Mark {
        Mark { at: at(millis), offset: 0, kind }
    }

    #[test]
    fn a_late_silence_is_said_at_once_whatever_pauses_came_before() {
        let live = Live {
            attempt: AttemptNumber::FIRST,
            pid: Some(7),
            started: at(0),
            gpus: Vec::new(),
            claim: Claim::default(),
            paused: Duration::from_secs(3600),
            pauses: vec![PausedSpan { from: at(5_000), until: at(3_605_000) }],
            resumed: Some(at(3_605_000)),
        };
        let mut pace = Pace::of_live(&Phase::Running(live));
        let steps = (1..=10).map(|number| step(3_605_000 + 1000 * number as i64, number));
        steps.for_each(|step| pace.take(&step));
        assert_eq!(pace.silence(at(3_615_000 + 31_000)), Some(Duration::from_secs(31)));
    }

    fn step(millis: i64, done: u64) -> Mark {
        mark(millis, MarkKind::Progress(Progress { done, total: None }))
    }

    /// A pace of these gaps, and the moment of its last mark.
    fn paced(gaps: &[u32]) -> (Pace, i64) {
        let mut pace = Pace::default();
        let mut now = 0;
        pace.take(&step(now, 1));
        for (number, gap) in gaps.iter().enumerate() {
            now += i64::from(*gap);
            pace.take(&step(now, number as u64 + 2));
        }
        (pace, now)
    }

    #[test]
    fn an_episode_each_half_second_makes_half_a_minute_of_silence_worth_a_word() {
        let (pace, end) = paced(&[500; 40]);
        assert_eq!(pace.silence(at(end + 29_000)), None);
        assert_eq!(pace.silence(at(end + 480_000)), Some(Duration::from_secs(480)));
    }

    #[test]
    fn a_pause_that_comes_again_is_usual_from_its_third_time_on() {
        let round = [vec![500; 50], vec![120_000]].concat();
        let (pace, end) = paced(&round.repeat(2));
        assert_eq!(pace.silence(at(end + 200_000)), None);
        assert!(pace.silence(at(end + 260_000)).is_some());
    }

    #[test]
    fn a_pause_is_no_silence() {
        let (mut pace, end) = paced(&[500; 40]);
        pace.pause(at(end));
        assert_eq!(pace.silence(at(end + 1_800_000)), None, "it still stands");
        pace.resume(at(end + 3_600_000));
        assert_eq!(pace.silence(at(end + 3_610_000)), None);
        assert_eq!(pace.silence(at(end + 3_660_000)), Some(Duration::from_secs(60)));
        assert_eq!(pace.again().silence(at(end + 9_000_000)), None);
    }

    #[test]
    fn a_pause_forgets_no_silence_before_it() {
        let (mut pace, end) = paced(&[500; 40]);
        for round in 0..2 {
            let begin = end + 600_000 + round * 3_600_000;
            pace.pause(at(begin));
            pace.resume(at(begin + 3_600_000));
        }
        let resumed = at(end + 600_000 + 2 * 3_600_000);
        assert_eq!(pace.silence(resumed), Some(Duration::from_secs(600)));
        assert_eq!(pace.resumed(), Some(resumed));
        pace.take(&step(end + 600_000 + 2 * 3_600_000 + 1, 99));
        assert_eq!(pace.usual_gap(), Some(Duration::from_millis(500)), "the pauses are no gap");
        assert!(pace.longest[0] < Duration::from_secs(601));
    }

    #[test]
    fn what_is_said_while_a_program_starts_has_no_pace() {
        let mut pace = Pace::default();
        for number in 0..20 {
            pace.take(&mark(number * 100, MarkKind::Stage(Stage::Running)));
        }
        pace.take(&step(2_000, 0));
        assert_eq!(pace.silence(at(900_000)), None);
    }

    proptest! {
        #[test]
        fn even_gaps_are_silence_from_five_of_them_and_half_a_minute_on(
            gap in 100_u32..3_600_000, count in 4_usize..60, quiet in 0_u32..20_000_000,
        ) {
            let (pace, end) = paced(&vec![gap; count]);
            let due = quiet >= (5 * gap).max(30_000);
            prop_assert_eq!(pace.silence(at(end + i64::from(quiet))).is_some(), due);
        }

        #[test]
        fn silence_is_never_short_grows_with_time_and_ends_with_a_mark(
            gaps in prop::collection::vec(0_u32..200_000, 0..80), quiet in 0_u32..2_000_000, more in 0_u32..9_000,
        ) {
            let (mut pace, end) = paced(&gaps);
            let then = at(end + i64::from(quiet));
            let later = end + i64::from(quiet) + i64::from(more);
            if let Some(silence) = pace.silence(then) {
                prop_assert!(silence >= LEAST);
                prop_assert_eq!(silence, Duration::from_millis(u64::from(quiet)));
                prop_assert!(pace.silence(at(later)) >= Some(silence));
            }
            prop_assert!(pace.delay(then) <= pace.delay(at(later)));
            pace.take(&step(later, 9_999));
            prop_assert_eq!(pace.silence(at(later)), None);
        }

        #[test]
        fn one_long_gap_changes_nothing(long in 1_000_u32..90_000_000, place in 0_usize..20) {
            let mut gaps = vec![1_000; 24];
            gaps[place] = long;
            let (pace, end) = paced(&gaps);
            prop_assert!(pace.silence(at(end + 30_000)).is_some());
        }
    }
}
