//! Round numbers along an axis, and numbers as short words.

use crate::model::units::Bytes;

/// Round numbers from 0 to at least `most`, about `count` of them.
pub fn round_ticks(most: f64, count: usize) -> Vec<f64> {
    if !(most.is_finite() && most > 0.0) {
        return vec![0.0, 1.0];
    }
    let rough = most / count as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(10.0 * power);
    let last = (most / step - 1e-9).ceil() as usize;
    (0..=last).map(|number| number as f64 * step).collect()
}

/// Steps of a time axis in seconds, with which people count.
const TIME_STEPS: [f64; 19] = [
    1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 10_800.0,
    21_600.0, 43_200.0, 86_400.0, 172_800.0,
];

/// Moments of a time axis of that length, in seconds, with their labels.
pub fn time_ticks(seconds: f64) -> Vec<(f64, String)> {
    let fits = |step: &f64| seconds / step <= 9.0;
    let days = 86_400.0 * (seconds / 86_400.0 / 9.0).ceil();
    let step = TIME_STEPS.into_iter().find(fits).unwrap_or(days);
    let label = |at: f64| match step {
        step if step < 60.0 => format!("{at} s"),
        step if step < 3600.0 => format!("{} min", at / 60.0),
        step if step < 86_400.0 => format!("{} h", at / 3600.0),
        _ => format!("{} d", at / 86_400.0),
    };
    (0..=(seconds / step) as usize).map(|number| number as f64 * step).map(|at| (at, label(at))).collect()
}

/// Prints a number with about three significant digits.
pub fn format_short(number: f64) -> String {
    let size = number.abs();
    if number.fract() == 0.0 && size < 1e6 {
        format!("{number}")
    } else if size >= 1e6 || (size > 0.0 && size < 1e-3) {
        format!("{number:.2e}")
    } else {
        let digits = if size >= 100.0 {
            0
        } else if size >= 10.0 {
            1
        } else if size >= 1.0 {
            2
        } else {
            3
        };
        format!("{number:.digits$}")
    }
}

/// A part as `81.2 %`.
pub fn format_percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}

/// A number of bytes with its unit.
pub fn format_bytes(bytes: f64) -> String {
    Bytes(bytes as u64).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_numbers_up_to_the_end() {
        assert_eq!(round_ticks(100.0, 4), [0.0, 50.0, 100.0]);
        assert_eq!(round_ticks(7.3, 4), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(round_ticks(0.0, 4), [0.0, 1.0]);
        let labels = |seconds| time_ticks(seconds).into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        assert_eq!(labels(3.5), ["0 s", "1 s", "2 s", "3 s"]);
        assert_eq!(
            labels(7300.0),
            ["0 min", "15 min", "30 min", "45 min", "60 min", "75 min", "90 min", "105 min", "120 min"]
        );
        assert!(time_ticks(1e9).len() <= 10);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.0, 12.0, 0.1234, 3.24159, 171.38, 36447.0].map(format_short),
            ["0", "12", "0.123", "3.24", "171", "36447"]
        );
        assert_eq!(format_short(1.5e-7), "1.50e-7");
    }
}
