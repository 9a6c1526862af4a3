//! Numbers and texts as the screen shows them; what is unknown is a dash, never a zero.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::model::results::success::Success;
use crate::model::hours::wall_time::format_moment;
use crate::model::outcome::Progress;
use crate::model::units::{Bytes, format_duration, or_unknown};
use crate::results::interval::WilsonInterval;

/// `63/100`, or `63` where the total is unknown.
pub fn format_progress(progress: Progress) -> String {
    progress.total.map_or_else(|| progress.done.to_string(), |total| format!("{}/{total}", progress.done))
}

/// Things per second, or per minute or hour where that reads better.
pub fn format_rate(per_second: f64) -> String {
    let number = |value: f64| if value < 9.95 { format!("{value:.1}") } else { format_number(value.round()) };
    // From 0.95 on, what is shown rounds to 1.0.
    if per_second >= 0.95 {
        format!("{}/s", number(per_second))
    } else if per_second * 60.0 >= 0.95 {
        format!("{}/min", number(per_second * 60.0))
    } else {
        format!("{}/h", number(per_second * 3600.0))
    }
}

/// A number with about three significant digits.
pub fn format_number(value: f64) -> String {
    let size = value.abs();
    if size >= 1e6 {
        format!("{:.1}M", value / 1e6)
    } else if size >= 1e4 {
        format!("{:.1}k", value / 1e3)
    } else if size >= 100.0 || value == 0.0 || (size >= 10.0 && value.fract() == 0.0) {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else if size >= 0.01 {
        format!("{value:.2}")
    } else {
        format!("{value:.1e}")
    }
}

/// A metric: shares of success read better as percentages.
pub fn format_metric(name: &str, value: f64, unit: Option<&str>) -> String {
    match unit {
        Some(unit) => format!("{} {unit}", format_number(value)),
        None if name.ends_with("_rate") && (0.0..=1.0).contains(&value) => format!("{:.0} %", value * 100.0),
        None if is_count(name) => format!("{value:.0}"),
        None => format_number(value),
    }
}

/// Reports whether a metric of the presets is a count, which needs no decimals.
fn is_count(name: &str) -> bool {
    matches!(name, "episodes" | "successes") || name.starts_with("outcome_")
}

/// A rate of success with its interval: `86 % 78-92`.
pub fn format_success(success: &Success) -> String {
    let percent = |part: f64| format!("{:.0}", 100.0 * part);
    let WilsonInterval { low, high } = success.interval;
    format!("{} % {}-{}", percent(success.rate), percent(low), percent(high))
}

/// Memory in a narrow column: `2.1G`, `512M`.
pub fn format_memory(bytes: Bytes) -> String {
    let mib = bytes.0 as f64 / Bytes::MIB.0 as f64;
    if mib >= 999.5 {
        let gib = mib / 1024.0;
        if gib >= 99.5 { format!("{gib:.0}G") } else { format!("{gib:.1}G") }
    } else {
        format!("{mib:.0}M")
    }
}

/// `34.2/80.0 GiB`: both in the unit of the whole.
pub fn memory_of(used: Option<Bytes>, total: Option<Bytes>) -> String {
    let Some(total) = total else { return or_unknown(used, |used| used.to_string()) };
    let (unit, name) =
        if total >= Bytes::GIB { (Bytes::GIB.0 as f64, "GiB") } else { (Bytes::MIB.0 as f64, "MiB") };
    let part = |bytes: Bytes| format!("{:.1}", bytes.0 as f64 / unit);
    format!("{}/{} {name}", or_unknown(used, part), part(total))
}

/// Energy: `340 J`, `12.4 Wh`, `3.1 kWh`.
pub fn format_energy(joules: f64) -> String {
    let hours = joules / 3600.0;
    if hours >= 1000.0 {
        format!("{} kWh", format_number(hours / 1000.0))
    } else if hours >= 1.0 {
        format!("{} Wh", format_number(hours))
    } else {
        format!("{joules:.0} J")
    }
}

/// Formats a percentage without decimals: `98%`.
pub fn format_percent(value: f64) -> String {
    format!("{value:.0}%")
}

/// A length of time.
pub fn duration_text(length: Duration) -> String {
    format_duration(length)
}

/// `job 17 ends in 3h 20m`: a job of Slurm and the time until its end, where that is known.
pub fn job_text(job: &str, left: Option<Duration>) -> String {
    left.map_or_else(|| format!("job {job}"), |left| format!("job {job} ends in {}", duration_text(left)))
}

/// A length of time in its largest unit, for narrow places: `45s`, `6m`, `2h`, `3d`.
pub fn rough_duration(length: Duration) -> String {
    let seconds = length.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _days => format!("{}d", seconds / 86_400),
    }
}

/// The time of day, `14:02:31`.
pub fn format_time(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string()
}

/// The day, `Nov 21`.
pub fn format_day(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned(zone.clone()).strftime("%b %d").to_string()
}

/// The time of day, with the day where it is another one: `14:02` or `Nov 22 14:02`; of another year the day alone.
pub fn moment_text(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    format_moment(at, now, zone)
}

/// `1 process`, `2 processes`.
pub fn plural_with(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `1 shard`, `2 shards`.
pub fn plural(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_about_three_digits() {
        assert_eq!(format_number(0.8649), "0.86");
        assert_eq!(format_number(12345.0), "12.3k");
        assert_eq!(format_number(0.0), "0");
        assert_eq!(format_rate(0.05), "3.0/min");
        assert_eq!(format_rate(0.001), "3.6/h");
        assert_eq!(format_metric("success_rate", 0.86, None), "86 %");
    }

    #[test]
    fn what_is_unknown_is_a_dash() {
        assert_eq!(or_unknown(None, format_percent), "—");
        assert_eq!(memory_of(None, Some(Bytes(80 << 30))), "—/80.0 GiB");
        assert_eq!(format_progress(Progress { done: 3, total: None }), "3");
    }

    #[test]
    fn energy_is_in_the_unit_that_reads_best() {
        assert_eq!(format_energy(340.4), "340 J");
        assert_eq!(format_energy(44_640.0), "12.4 Wh");
        assert_eq!(format_energy(11_160_000.0), "3.10 kWh");
    }

    #[test]
    fn memory_fits_a_narrow_column() {
        assert_eq!(format_memory(Bytes(2 << 30)), "2.0G");
        assert_eq!(format_memory(Bytes(512 << 20)), "512M");
        assert_eq!(format_memory(Bytes(1023 << 20)), "1.0G");
        assert_eq!(format_memory(Bytes(140 << 30)), "140G");
    }
}
