//! How many of all succeeded, as programs write it: `12/50`, `24.0%`, `0.24`.

use crate::progress::text::number::{leading_f64, length_of_number};

/// A share of one, from `12/50`, `24.0%` or `0.24`.
pub fn share(text: &[u8]) -> Option<SuccessShare> {
    let value = leading_f64(text)?;
    let text = text.trim_ascii_start();
    let length = length_of_number(text);
    let rest = &text[length..];
    let behind = rest.trim_ascii_start();
    let behind = behind.strip_prefix(b",").map_or(behind, <[u8]>::trim_ascii_start);
    let of = [&b"/"[..], b"out of ", b"of "].iter().find_map(|of| behind.strip_prefix(*of));
    if let Some(total) = of {
        let total = leading_f64(total)?;
        let whole = value.fract() == 0.0 && total.fract() == 0.0 && total >= value && total > 0.0;
        return whole.then_some(SuccessShare::Counted { successes: value, episodes: total });
    }
    if rest.trim_ascii_start().starts_with(b"%") {
        return (0.0..=100.0).contains(&value).then_some(SuccessShare::Rate(value / 100.0));
    }
    ((0.0..=1.0).contains(&value) && text[..length].contains(&b'.')).then_some(SuccessShare::Rate(value))
}

/// The successes that a line reports, as a count or as a rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SuccessShare {
    /// Successes out of all episodes: `12/50`.
    Counted {
        /// Number of episodes that succeeded.
        successes: f64,
        /// Number of episodes in all.
        episodes: f64,
    },
    /// Rate alone, without the counts: `24.0%`.
    Rate(f64),
}

impl SuccessShare {
    /// Returns the share of successes, from 0 to 1.
    pub fn as_rate(self) -> f64 {
        match self {
            Self::Counted { successes, episodes } => successes / episodes,
            Self::Rate(rate) => rate,
        }
    }
}
