//! `window`: the hours of a week in which shards may start, by the wall clock of a time zone.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

/// A week and some: what is open for so long is always open.
const HORIZON: i64 = 9;

const DAYS: [(&str, Weekday); 7] = [
    ("Mon", Weekday::Monday),
    ("Tue", Weekday::Tuesday),
    ("Wed", Weekday::Wednesday),
    ("Thu", Weekday::Thursday),
    ("Fri", Weekday::Friday),
    ("Sat", Weekday::Saturday),
    ("Sun", Weekday::Sunday),
];

/// The windows of a sweep, at least one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningHours(pub Vec<Window>);

/// A window that begins on some days of the week, such as `Mon-Fri 20:00-08:00`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Window {
    /// The days on which it begins, by their place in the week; all where none is named.
    days: Vec<usize>,
    /// Minutes of the day.
    from: i64,
    /// Minutes of the day, up to 24:00; not after `from` on the next day.
    to: i64,
}

/// Whether shards may start at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hours {
    /// The moment lies within a window.
    Open {
        /// When the open period ends; `None` if the windows leave no gap.
        closes: Option<Timestamp>,
    },
    /// The moment lies outside all windows.
    Shut {
        /// When the next window opens.
        opens: Timestamp,
    },
}

/// A text that is not a window.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no window: {problem}")]
pub struct WindowError {
    text: String,
    problem: &'static str,
}

impl OpeningHours {
    /// Reports whether the hours are open at that moment of the wall clock. A day on which the clock changes has its
    /// real length.
    pub fn state_at(&self, wall: Timestamp, zone: &TimeZone) -> Hours {
        let today = wall.to_zoned(zone.clone()).date();
        let mut spans: Vec<(Timestamp, Timestamp)> = (-1..=HORIZON)
            .filter_map(|days| today.checked_add(days.days()).ok())
            .flat_map(|date| self.0.iter().filter_map(move |window| window.span_on(date, zone)))
            .collect();
        spans.sort_unstable();
        // Windows that meet are one: nothing closes between them.
        let mut open: Vec<(Timestamp, Timestamp)> = Vec::new();
        for (from, to) in spans {
            match open.last_mut() {
                Some((_, end)) if from <= *end => *end = to.max(*end),
                Some(_) | None => open.push((from, to)),
            }
        }
        if let Some((_, closes)) = open.iter().find(|(from, to)| *from <= wall && wall < *to) {
            let is_endless = closes.duration_since(wall) > SignedDuration::from_hours(7 * 24);
            return Hours::Open { closes: (!is_endless).then_some(*closes) };
        }
        let next = open.iter().map(|(from, _)| *from).find(|from| *from > wall);
        // A day that a change of the zone leaves out: asked again after the others.
        let later = || wall.checked_add(SignedDuration::from_hours(24)).unwrap_or(wall);
        Hours::Shut { opens: next.unwrap_or_else(later) }
    }
}

impl fmt::Display for OpeningHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let windows: Vec<String> = self.0.iter().map(Window::to_string).collect();
        f.write_str(&windows.join(", "))
    }
}

impl Window {
    /// The window that begins on that day, where one does.
    fn span_on(&self, date: Date, zone: &TimeZone) -> Option<(Timestamp, Timestamp)> {
        let is_named = |day: &usize| DAYS[*day].1 == date.weekday();
        if !self.days.is_empty() && !self.days.iter().any(is_named) {
            return None;
        }
        let end = if self.to <= self.from { date.tomorrow().ok()? } else { date };
        let moment = |date: Date, minutes: i64| {
            let (date, minutes) =
                if minutes == 24 * 60 { (date.tomorrow().ok()?, 0) } else { (date, minutes) };
            let (hour, minute) = (i8::try_from(minutes / 60).ok()?, i8::try_from(minutes % 60).ok()?);
            // An hour that the clock leaves out is the one after it, of one that comes twice it is the first.
            Some(date.at(hour, minute, 0, 0).to_zoned(zone.clone()).ok()?.timestamp())
        };
        let (from, to) = (moment(date, self.from)?, moment(end, self.to)?);
        (from < to).then_some((from, to))
    }
}

impl FromStr for Window {
    type Err = WindowError;

    fn from_str(text: &str) -> Result<Self, WindowError> {
        let error = |problem| WindowError { text: text.to_owned(), problem };
        let (days, hours) = match text.trim().rsplit_once(' ') {
            Some((days, hours)) => (parse_days(days).ok_or_else(|| error("days are Mon to Sun"))?, hours),
            None => (Vec::new(), text.trim()),
        };
        let ends = hours.split_once('-').and_then(|(from, to)| Some((parse_time(from)?, parse_time(to)?)));
        let (from, to) = ends.ok_or_else(|| error("its hours look like 20:00-08:00"))?;
        if from == to || from == 24 * 60 {
            return Err(error("it has no length; a whole day is 00:00-24:00"));
        }
        Ok(Self { days, from, to })
    }
}

impl TryFrom<String> for Window {
    type Error = WindowError;

    fn try_from(text: String) -> Result<Self, WindowError> {
        text.parse()
    }
}

impl From<Window> for String {
    fn from(window: Window) -> Self {
        window.to_string()
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days: Vec<&str> = self.days.iter().map(|day| DAYS[*day].0).collect();
        if !days.is_empty() {
            write!(f, "{} ", days.join(","))?;
        }
        let (from, to) = (self.from, self.to);
        write!(f, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    }
}

/// `Mon-Fri` or `Sat,Sun`, as places in the week; a range may go over its end.
fn parse_days(text: &str) -> Option<Vec<usize>> {
    let day = |name: &str| DAYS.iter().position(|(day, _)| day.eq_ignore_ascii_case(name.trim()));
    let mut days = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (day(first)?, day(last)?);
        let length = (last + 7 - first) % 7;
        days.extend((0..=length).map(|place| (first + place) % 7));
    }
    days.sort_unstable();
    days.dedup();
    Some(days)
}

/// `20:00` in minutes, up to `24:00`.
fn parse_time(text: &str) -> Option<i64> {
    let (hours, minutes) = text.trim().split_once(':')?;
    let is_plain =
        |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_plain(hours) || minutes.len() != 2 || !is_plain(minutes) {
        return None;
    }
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    (minutes < 60 && hours * 60 + minutes <= 24 * 60).then_some(hours * 60 + minutes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Central European time: the clock goes ahead at 02:00 on the last Sunday in March, back at 03:00 in October.
    fn zone() -> TimeZone {
        TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap()
    }

    fn hours(windows: &[&str]) -> OpeningHours {
        OpeningHours(windows.iter().map(|window| window.parse().unwrap()).collect())
    }

    fn wall(text: &str) -> Timestamp {
        let civil: jiff::civil::DateTime = text.parse().unwrap();
        civil.to_zoned(zone()).unwrap().timestamp()
    }

    fn shown(hours: Hours) -> String {
        let show = |at: Timestamp| at.to_zoned(zone()).strftime("%a %H:%M").to_string();
        match hours {
            Hours::Open { closes: Some(closes) } => format!("open until {}", show(closes)),
            Hours::Open { closes: None } => "open".to_owned(),
            Hours::Shut { opens } => format!("shut until {}", show(opens)),
        }
    }

    #[test]
    fn a_window_over_midnight_belongs_to_the_day_it_begins_on() {
        let nights = hours(&["20:00-08:00"]);
        // 2026-11-22 is a Sunday.
        for (at, told) in [
            ("2026-11-22T19:59:59", "shut until Sun 20:00"),
            ("2026-11-22T20:00", "open until Mon 08:00"),
            ("2026-11-23T07:59:59", "open until Mon 08:00"),
            ("2026-11-23T08:00", "shut until Mon 20:00"),
        ] {
            assert_eq!(shown(nights.state_at(wall(at), &zone())), told, "{at}");
        }
        let work = hours(&["Mon-Fri 20:00-08:00", "Sat,Sun 00:00-24:00"]);
        for (at, told) in [
            ("2026-11-20T21:00", "open until Mon 00:00"),
            ("2026-11-23T01:00", "shut until Mon 20:00"),
            ("2026-11-26T12:00", "shut until Thu 20:00"),
        ] {
            assert_eq!(shown(work.state_at(wall(at), &zone())), told, "{at}");
        }
        assert_eq!(
            shown(hours(&["00:00-12:00", "12:00-24:00"]).state_at(wall("2026-11-20T12:00"), &zone())),
            "open"
        );
    }

    #[test]
    fn the_wall_clock_counts_where_summer_time_begins_and_ends() {
        let nights = hours(&["20:00-08:00"]);
        let length = |from: &str| match nights.state_at(wall(from), &zone()) {
            Hours::Open { closes: Some(closes) } => closes.duration_since(wall(from)).as_hours(),
            other => panic!("{other:?}"),
        };
        assert_eq!(length("2026-03-27T20:00"), 12);
        assert_eq!(length("2026-03-28T20:00"), 11, "an hour is left out");
        assert_eq!(length("2026-10-24T20:00"), 13, "an hour comes twice");
        // Within the hour that is left out: the same distance, an hour later.
        let gap = hours(&["02:15-02:45"]);
        assert_eq!(shown(gap.state_at(wall("2026-03-29T01:00"), &zone())), "shut until Sun 03:15");
        assert_eq!(shown(gap.state_at(wall("2026-03-29T03:20"), &zone())), "open until Sun 03:45");
    }

    #[test]
    fn what_is_no_window_is_refused() {
        for text in [
            "", "20:00", "20-08", "20:00-20:00", "25:00-08:00", "20:60-08:00", "Foo 20:00-08:00",
            "24:00-08:00",
        ] {
            assert!(text.parse::<Window>().is_err(), "{text}");
        }
        for text in ["20:00-08:00", "Mon,Tue,Wed,Thu,Fri 09:30-24:00"] {
            assert_eq!(text.parse::<Window>().unwrap().to_string(), text);
        }
        assert_eq!("fri-Mon 8:00-9:00".parse::<Window>().unwrap().to_string(), "Mon,Fri,Sat,Sun 08:00-09:00");
    }

    proptest! {
        #[test]
        fn open_and_shut_follow_one_another_at_the_moments_told(
            from in 0_i64..1440, length in 1_i64..1440, day in 0_usize..7, hour in 0_i64..24 * 400,
        ) {
            let to = (from + length) % 1440;
            let window = |days| Window { days, from, to };
            for hours in [OpeningHours(vec![window(vec![])]), OpeningHours(vec![window(vec![day])])] {
                let at = wall("2026-01-01T00:00") + SignedDuration::from_hours(hour);
                match hours.state_at(at, &zone()) {
                    Hours::Open { closes: Some(closes) } => {
                        prop_assert!(closes > at);
                        let is_shut = matches!(hours.state_at(closes, &zone()), Hours::Shut { .. });
                        prop_assert!(is_shut);
                    }
                    Hours::Open { closes: None } => prop_assert!(false, "no window is a whole day"),
                    Hours::Shut { opens } => {
                        prop_assert!(opens > at);
                        let is_open = matches!(hours.state_at(opens, &zone()), Hours::Open { .. });
                        prop_assert!(is_open);
                    }
                }
            }
        }
    }
}
