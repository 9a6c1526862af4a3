//! Shares of successes, however programs write them: `12/20`, `60.0%`, `0.6`.

use crate::progress::text::number::leading_f64;

/// Sums of many shares miss a whole number by so much.
const ROUNDING: f64 = 1e-6;

/// Returns the value as a share from 0 to 1; NaN stays NaN, and `None` means that it cannot be a share.
pub fn as_rate(value: f64) -> Option<f64> {
    let is_share = (-ROUNDING..=1.0 + ROUNDING).contains(&value);
    if value.is_nan() { Some(value) } else { is_share.then(|| value.clamp(0.0, 1.0)) }
}

/// A metric of this name is a share of successes.
pub fn is_rate(name: &str) -> bool {
    name.ends_with("success_rate")
        || name.starts_with("success_rate_")
        || matches!(name, "win_rate" | "success_once" | "success_at_end")
}

/// The share at the start of the text: `12/20`, `12 out of 20`, `60.0%`, `0.6`, `0.6 (60.0%)`.
pub fn leading_rate(text: &[u8]) -> Option<f64> {
    let text = text.trim_ascii_start();
    let value = leading_f64(text)?;
    let is_of_number = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'.' | b'+' | b'-' | b'e' | b'E');
    let behind = text[text.iter().take_while(is_of_number).count()..].trim_ascii_start();
    let total = ["/", "out of ", "of "].iter().find_map(|of| behind.strip_prefix(of.as_bytes()));
    if let Some(total) = total {
        let total = leading_f64(total).filter(|total| *total > 0.0)?;
        return as_rate(value / total);
    }
    if behind.starts_with(b"%") {
        return as_rate(value / 100.0);
    }
    as_rate(percent_in_brackets(behind).filter(|share| (share - value).abs() > 0.01).unwrap_or(value))
}

/// `(60.0%)` behind a count says what share it is; behind a share it repeats it.
fn percent_in_brackets(text: &[u8]) -> Option<f64> {
    let inside = text.strip_prefix(b"(")?;
    let inside = &inside[..memchr::memchr(b')', inside)?];
    leading_f64(inside.strip_suffix(b"%")?).map(|percent| percent / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_divided_and_percents_are_percents() {
        for (text, rate) in [
            ("12/20 (60.0%)", 0.6),
            (" 12 / 20", 0.6),
            ("12 out of 20", 0.6),
            ("12 of 20 episodes", 0.6),
            ("60.0%", 0.6),
            ("60 %", 0.6),
            ("0.6", 0.6),
            ("0.6000 (60.0%)", 0.6),
            ("12 (60.0%)", 0.6),
            ("1 (5.0%)", 0.05),
            ("1.0", 1.0),
            ("1.0000000001", 1.0),
            ("0", 0.0),
        ] {
            assert_eq!(leading_rate(text.as_bytes()), Some(rate), "{text}");
        }
        assert!(leading_rate(b"nan").is_some_and(f64::is_nan), "of no episodes");
        for text in ["12", "60.0", "-0.5", "20/12", "0/0", "12/", "120%", "inf", "none"] {
            assert_eq!(leading_rate(text.as_bytes()), None, "{text}");
        }
    }
}
