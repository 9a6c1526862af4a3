//! Numbers at the start of a text, as logs write them.

/// Reads a whole number, and returns what follows it too.
#[inline]
pub fn leading_u64(text: &[u8]) -> Option<(u64, &[u8])> {
    // So many digits never overflow.
    const SURE: usize = 19;
    let (number, rest) = add_digits(0, text);
    match text.len() - rest.len() {
        0 => None,
        1..=SURE => Some((number, rest)),
        digits => long_u64(&text[..digits]).map(|number| (number, rest)),
    }
}

#[cold]
fn long_u64(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Appends the digits at the start of the text to a number, which may overflow, and returns what follows them too. By
/// hand: every bar comes through here, and has four of them.
#[inline]
fn add_digits(mut number: u64, mut text: &[u8]) -> (u64, &[u8]) {
    while let [digit @ b'0'..=b'9', more @ ..] = text {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        text = more;
    }
    (number, text)
}

/// A count as programs shorten it: `4`, `1.2k`, `3.40M`; a fraction of one is dropped.
pub fn leading_scaled(text: &[u8]) -> Option<(u64, &[u8])> {
    let (whole, rest) = leading_u64(text)?;
    let digits =
        rest.strip_prefix(b".").map_or(0, |part| part.iter().take_while(|b| b.is_ascii_digit()).count());
    let (fraction, rest) = rest.split_at(if digits > 0 { digits + 1 } else { 0 });
    let factor = match rest.first() {
        Some(b'k' | b'K') => 1e3,
        Some(b'M') => 1e6,
        Some(b'G') => 1e9,
        Some(b'T') => 1e12,
        Some(_) | None => return Some((whole, rest)),
    };
    let fraction: f64 = if digits > 0 { std::str::from_utf8(fraction).ok()?.parse().ok()? } else { 0.0 };
    Some((((whole as f64 + fraction) * factor).round() as u64, &rest[1..]))
}

/// A whole number with commas between its thousands: `1,024`.
pub fn leading_grouped(text: &[u8]) -> Option<(u64, &[u8])> {
    let (mut number, mut rest) = leading_u64(text)?;
    let mut is_grouped = false;
    while let [b',', group @ ..] = rest
        && let Some((thousands, behind)) = group.split_at_checked(3)
        && thousands.iter().all(u8::is_ascii_digit)
    {
        number = number.checked_mul(1000)?.checked_add(leading_u64(thousands)?.0)?;
        rest = behind;
        is_grouped = true;
    }
    is_grouped.then_some((number, rest))
}

/// A whole number in any notation: `1024`, `1,024`, `20000000.0`, `5e6`.
#[inline]
pub fn leading_whole(text: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = leading_u64(text)?;
    match rest.first() {
        Some(b',') => leading_grouped(text).or(Some((number, rest))),
        Some(b'.' | b'e' | b'E') => whole_of_float(text).or(Some((number, rest))),
        Some(_) | None => Some((number, rest)),
    }
}

/// `20000000.0`, `5e6` and `1.5e+06`, but not `2.5`.
fn whole_of_float(text: &[u8]) -> Option<(u64, &[u8])> {
    // Beyond that, floats leave numbers out.
    const MOST: f64 = 1e15;
    let digits_from = |at: usize| text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits_from(0);
    if text.get(end) == Some(&b'.') {
        end += 1 + digits_from(end + 1);
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(text.get(end + 1) == Some(&b'+'));
        let digits = text.get(end + 1 + sign..).map_or(0, |_| digits_from(end + 1 + sign));
        end += if digits > 0 { 1 + sign + digits } else { 0 };
    }
    let number: f64 = std::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
    let is_whole = number.fract() == 0.0 && number <= MOST && !text[..end].ends_with(b".");
    is_whole.then(|| (number as u64, &text[end..]))
}

/// How many bytes at the start are digits and points.
pub fn length_of_number(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count()
}

/// Reads a number with sign, point or exponent, or `nan` and `inf`, and ignores what follows it.
pub fn leading_f64(text: &[u8]) -> Option<f64> {
    // No number is longer, and each byte more would cost one more try.
    const LONGEST: usize = 32;
    let text = text.trim_ascii_start();
    if let Some(number) = short_decimal(text) {
        return Some(number);
    }
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

/// `-12.5` with at most 15 digits: both the digits and the power of ten are whole numbers that a float holds exactly,
/// so that their quotient is the nearest float. Most numbers in logs are so short, and reading them takes a fifth of
/// the time.
fn short_decimal(text: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (is_negative, unsigned) = text.strip_prefix(b"-").map_or((false, text), |rest| (true, rest));
    let (number, behind) = add_digits(0, unsigned);
    let whole = unsigned.len() - behind.len();
    let (number, decimals, rest) = match behind {
        [b'.', fraction @ ..] => {
            let (number, rest) = add_digits(number, fraction);
            (number, fraction.len() - rest.len(), rest)
        }
        _ => (number, 0, behind),
    };
    if !(1..POWERS.len()).contains(&(whole + decimals)) || matches!(rest, [b'e' | b'E', ..]) {
        return None;
    }
    let number = number as f64 / POWERS[decimals];
    Some(if is_negative { -number } else { number })
}

/// Reads `done/total`, and returns what follows it too.
pub fn leading_fraction(text: &[u8]) -> Option<(u64, u64, &[u8])> {
    let (done, rest) = leading_u64(text.trim_ascii_start())?;
    let (total, rest) = leading_u64(rest.strip_prefix(b"/")?)?;
    Some((done, total, rest))
}

/// A text and the number it ends with, which is empty where it ends with something else. Digits, points and signs
/// count, and an exponent that has only begun.
pub fn split_last_number(text: &[u8]) -> (&[u8], &[u8]) {
    let mut start = text.len();
    while let Some(last) = text[..start].last() {
        let begins_exponent = matches!(last, b'e' | b'E')
            && start > 1
            && (text[start - 2].is_ascii_digit() || text[start - 2] == b'.');
        if !last.is_ascii_digit() && !matches!(last, b'.' | b'+' | b'-') && !begins_exponent {
            break;
        }
        start -= 1;
    }
    text.split_at(start)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    proptest! {
        #[test]
        fn short_numbers_are_read_as_the_standard_library_reads_them(text in "-?[0-9]{0,12}[.]?[0-9]{0,6}", unit in "[sm%,. ]?") {
            prop_assert_eq!(leading_f64(format!("{text}{unit}").as_bytes()).map(f64::to_bits), text.parse::<f64>().ok().map(f64::to_bits));
        }
    }

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

    #[test]
    fn shortened_counts_are_spelled_out() {
        assert_eq!(leading_scaled(b"1.2k/3"), Some((1200, b"/3".as_slice())));
        assert_eq!(leading_scaled(b"3.40Mit"), Some((3_400_000, b"it".as_slice())));
        assert_eq!(leading_scaled(b"4.7/5.0"), Some((4, b"/5.0".as_slice())));
        assert_eq!(leading_scaled(b"12it"), Some((12, b"it".as_slice())));
        assert_eq!(leading_scaled(b"7."), Some((7, b".".as_slice())));
        assert_eq!(leading_scaled(b"it"), None);
    }

    #[test]
    fn thousands_may_be_set_apart() {
        assert_eq!(leading_grouped(b"1,024/10,000"), Some((1024, b"/10,000".as_slice())));
        assert_eq!(leading_grouped(b"1,024,000 x"), Some((1_024_000, b" x".as_slice())));
        assert_eq!(leading_grouped(b"12, 345"), None);
        assert_eq!(leading_grouped(b"1024"), None);
    }

    #[test]
    fn whole_numbers_are_read_in_any_notation() {
        for (text, number, behind) in [
            ("1024/", 1024, "/"),
            ("1,024,000)", 1_024_000, ")"),
            ("20000000.0 |", 20_000_000, " |"),
            ("5e6", 5_000_000, ""),
            ("1.5e+06]", 1_500_000, "]"),
            ("2.5", 2, ".5"),
            ("3.", 3, "."),
            ("3e", 3, "e"),
            ("3eggs", 3, "eggs"),
            ("1,2", 1, ",2"),
        ] {
            assert_eq!(leading_whole(text.as_bytes()), Some((number, behind.as_bytes())), "{text}");
        }
        assert_eq!(leading_whole(b"x"), None);
    }

    #[test]
    fn the_number_at_an_end_is_split_off() {
        let split = |text: &'static str| {
            let (before, number) = split_last_number(text.as_bytes());
            (before.escape_ascii().to_string(), number.escape_ascii().to_string())
        };
        let parts = |before: &str, number: &str| (before.to_owned(), number.to_owned());
        assert_eq!(split("iteration 9/10"), parts("iteration 9/", "10"));
        assert_eq!(split("reward: -1."), parts("reward: ", "-1."));
        assert_eq!(split("steps | 1.7e+0"), parts("steps | ", "1.7e+0"));
        assert_eq!(split("steps | 1.7e"), parts("steps | ", "1.7e"));
        assert_eq!(split("a stage"), parts("a stage", ""));
        assert_eq!(split("12"), parts("", "12"));
        assert_eq!(split(""), parts("", ""));
    }
}
