//! Numbers at the start of a text, as logs write them.

/// A whole number and what stands behind it.
pub fn leading_u64(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(digits);
    Some((std::str::from_utf8(number).ok()?.parse().ok()?, rest))
}

/// A number with sign, point or exponent, or `nan` and `inf`, without what stands behind it.
pub fn leading_f64(text: &[u8]) -> Option<f64> {
    // No number is longer, and each byte more would cost one more try.
    const LONGEST: usize = 32;
    let text = text.trim_ascii_start();
    let text = &text[..text.len().min(LONGEST)];
    let end = text
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'.' | b'+' | b'-'))
        .unwrap_or(text.len());
    let mut word = std::str::from_utf8(&text[..end]).ok()?;
    // A unit may follow without a blank: `2.74s`, `36.6m`.
    loop {
        if word.is_empty() {
            return None;
        }
        if let Ok(number) = word.parse() {
            return Some(number);
        }
        word = &word[..word.len() - 1];
    }
}

/// `done/total`.
pub fn leading_fraction(text: &[u8]) -> Option<(u64, u64, &[u8])> {
    let (done, rest) = leading_u64(text.trim_ascii_start())?;
    let (total, rest) = leading_u64(rest.strip_prefix(b"/")?)?;
    Some((done, total, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_their_unit_begins() {
        assert_eq!(leading_f64(b" -3.82"), Some(-3.82));
        assert_eq!(leading_f64(b"2.74s"), Some(2.74));
        assert_eq!(leading_f64(b"1.74e+03 |"), Some(1740.0));
        assert!(leading_f64(b"nan").is_some_and(f64::is_nan));
        assert_eq!(leading_f64(b"none"), None);
        assert_eq!(leading_f64(b""), None);
        assert_eq!(leading_fraction(b" 66/30000 x"), Some((66, 30000, b" x".as_slice())));
        assert_eq!(leading_fraction(b"66 of 70"), None);
    }
}
