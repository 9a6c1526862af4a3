//! Numbers as Python's `repr` and `json.dump` write them.

/// The shortest digits that give the number back, in Python's notation: `1.0`, `1e-05`, `1e+16`, `NaN`.
pub fn repr(number: f64) -> String {
    if !number.is_finite() {
        return match number {
            number if number.is_nan() => "NaN",
            number if number > 0.0 => "Infinity",
            _ => "-Infinity",
        }
        .to_owned();
    }
    let shortest = format!("{number:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // Python changes to exponents outside of these, as C's `%r` does.
    if (-4..16).contains(&exponent) {
        let plain = format!("{number}");
        return if plain.contains('.') { plain } else { format!("{plain}.0") };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_as_python_writes_them() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (0.0001, "0.0001"),
            (0.000_012_5, "1.25e-05"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (-33.333_333_333_333_33, "-33.33333333333333"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ];
        for (number, text) in cases {
            assert_eq!(repr(number), text);
        }
    }
}
