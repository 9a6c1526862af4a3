//! Sizes and lengths of time with their units, as read from a sweep and as shown to people.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Sign that is shown to people for an unknown value.
pub const UNKNOWN: &str = "—";

/// A value through its formatter, or the dash.
pub fn or_unknown<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), show)
}

/// An amount of memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Bytes {
    /// A mebibyte, the unit `nvidia-smi` prints.
    pub const MIB: Self = Self(1 << 20);
    /// A gibibyte, which is 1024 MiB.
    pub const GIB: Self = Self(1 << 30);
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
        if self.0 < 1024 {
            return f.pad(&format!("{} B", self.0));
        }
        let mut value = self.0 as f64 / 1024.0;
        let mut unit = 0;
        // 1023.95 would round to "1024.0" with one decimal.
        while value >= 1023.95 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        f.pad(&format!("{value:.1} {}", UNITS[unit]))
    }
}

/// A text that is not a size or not a length of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {wanted}")]
pub struct UnitError {
    /// The text that was read.
    pub text: String,
    /// The kind of text that would have been understood, with an example.
    pub wanted: &'static str,
}

impl FromStr for Bytes {
    type Err = UnitError;

    /// Reads `2 GiB`, `512MiB`, `1.5 GB` or a bare number of bytes.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let error = || UnitError { text: text.to_owned(), wanted: "a size such as `2 GiB` or `512 MiB`" };
        let (number, unit) = split_number(text).ok_or_else(error)?;
        let factor: f64 = match unit.to_ascii_lowercase().as_str() {
            "" | "b" => 1.0,
            "kb" => 1e3,
            "mb" => 1e6,
            "gb" => 1e9,
            "tb" => 1e12,
            "k" | "kib" => 1024.0,
            "m" | "mib" => 1_048_576.0,
            "g" | "gib" => 1_073_741_824.0,
            "t" | "tib" => 1_099_511_627_776.0,
            _ => return Err(error()),
        };
        Ok(Self((number * factor).round() as u64))
    }
}

/// The longest time that can be asked for, a hundred years: added to a clock or to one another, even very many of
/// them stay far from what a [`Duration`] holds.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 86_400);

/// Reads `90s`, `1.5h`, `500ms`, `2 min`, `1h 30m`, up to a hundred years; the unit must be given.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    let error =
        || UnitError { text: text.to_owned(), wanted: "a length of time such as `5s`, `30m` or `1h 30m`" };
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(error());
    }
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(error)?;
        let number: f64 = rest[..digits].parse().map_err(|_| error())?;
        let after = rest[digits..].trim_start();
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let factor = match &after[..letters] {
            "ms" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86400.0,
            _ => return Err(error()),
        };
        seconds += number * factor;
        rest = after[letters..].trim_start();
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|length| *length <= LONGEST).ok_or_else(error)
}

fn split_number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    Some((text[..end].parse().ok()?, text[end..].trim()))
}

/// From one moment to a later one; nothing where the clocks disagree.
pub fn duration_between(from: Timestamp, to: Timestamp) -> Duration {
    Duration::try_from(to.duration_since(from)).unwrap_or_default()
}

/// Shows a length of time in at most two units: `42s`, `3m 20s`, `2h 05m`, `1d 04h`.
pub fn format_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (days, hours, minutes) = (seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60);
    if days > 0 {
        format!("{days}d {hours:02}h")
    } else if hours > 0 {
        format!("{hours}h {minutes:02}m")
    } else if minutes > 0 {
        format!("{minutes}m {:02}s", seconds % 60)
    } else {
        format!("{seconds}s")
    }
}

/// Serde for a `Duration` as a number of seconds.
pub mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes seconds as a float.
    pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(duration.as_secs_f64())
    }

    /// Reads seconds; a negative or infinite number is an error.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Serde for an `Option<Duration>` as a number of seconds or null.
pub mod maybe_seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes seconds as a float, or null.
    pub fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => serializer.serialize_some(&duration.as_secs_f64()),
            None => serializer.serialize_none(),
        }
    }

    /// Reads seconds or null.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        Option::<f64>::deserialize(deserializer)?
            .map(|seconds| Duration::try_from_secs_f64(seconds).map_err(D::Error::custom))
            .transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_and_show_their_unit() {
        assert_eq!("2 GiB".parse(), Ok(Bytes(2 << 30)));
        assert_eq!("1.5GB".parse(), Ok(Bytes(1_500_000_000)));
        assert_eq!("77".parse(), Ok(Bytes(77)));
        assert!("two".parse::<Bytes>().is_err());
        assert!("2 parsecs".parse::<Bytes>().is_err());
        assert_eq!(Bytes((1 << 30) - 1).to_string(), "1.0 GiB");
        assert_eq!(Bytes(12).to_string(), "12 B");
    }

    #[test]
    fn durations_need_a_unit() {
        assert_eq!(parse_duration("1h 30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_duration("6 hrs"), parse_duration("6h"));
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("4.613s"), Ok(Duration::from_millis(4613)));
        assert!(parse_duration("30").is_err());
        assert!(parse_duration("").is_err());
        assert!(parse_duration("101 days 999999999999h").is_err(), "no clock goes on for so long");
        assert_eq!(format_duration(Duration::from_secs(3725)), "1h 02m");
    }
}
