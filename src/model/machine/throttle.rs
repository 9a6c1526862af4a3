//! Why a GPU holds its clocks back.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Reason why clocks are held back. An idle GPU and clocks that a user has set are none: no wanted work is held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ThrottleReason {
    /// The GPU draws as much power as it may.
    PowerCap,
    /// Core or memory are warmer than they should be; software lowers the clocks.
    ThermalSlowdown,
    /// The GPU is too hot; hardware halves the clocks.
    HardwareThermal,
    /// The power supply asked for less; hardware halves the clocks.
    PowerBrake,
    /// Hardware halves the clocks and does not report why.
    HardwareSlowdown,
    /// Another GPU of its group is slower.
    SyncBoost,
}

impl ThrottleReason {
    /// All reasons, the most informative first.
    pub const ALL: [Self; 6] = [
        Self::HardwareThermal,
        Self::PowerBrake,
        Self::HardwareSlowdown,
        Self::ThermalSlowdown,
        Self::PowerCap,
        Self::SyncBoost,
    ];

    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The words for people.
    pub fn as_text(self) -> &'static str {
        match self {
            Self::PowerCap => "power cap",
            Self::ThermalSlowdown => "thermal slowdown",
            Self::HardwareThermal => "hardware thermal slowdown",
            Self::PowerBrake => "power brake",
            Self::HardwareSlowdown => "hardware slowdown",
            Self::SyncBoost => "sync boost",
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The reasons at one moment; in files `none`, or words joined by `+`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Throttle(u8);

impl Throttle {
    /// Reports whether this reason is among them.
    pub fn has(self, reason: ThrottleReason) -> bool {
        self.0 & reason.bit() != 0
    }

    /// Reports whether nothing is held back.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Returns the reasons, the most informative first.
    pub fn reasons(self) -> impl Iterator<Item = ThrottleReason> {
        ThrottleReason::ALL.into_iter().filter(move |reason| self.has(*reason))
    }

    /// The reasons of either.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl FromIterator<ThrottleReason> for Throttle {
    fn from_iter<T: IntoIterator<Item = ThrottleReason>>(reasons: T) -> Self {
        Self(reasons.into_iter().fold(0, |bits, reason| bits | reason.bit()))
    }
}

impl fmt::Display for Throttle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        for (number, reason) in self.reasons().enumerate() {
            let join = if number == 0 { "" } else { "+" };
            write!(f, "{join}{}", reason.as_str())?;
        }
        Ok(())
    }
}

impl From<Throttle> for String {
    fn from(throttle: Throttle) -> Self {
        throttle.to_string()
    }
}

impl FromStr for Throttle {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let reason = |word: &str| {
            let found = ThrottleReason::ALL.into_iter().find(|reason| reason.as_str() == word);
            found.ok_or_else(|| format!("`{word}` is no reason to throttle"))
        };
        if text == "none" { Ok(Self::default()) } else { text.split('+').map(reason).collect() }
    }
}

impl TryFrom<String> for Throttle {
    type Error = String;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_reasons_comes_back_from_its_words() {
        for bits in 0..1 << ThrottleReason::ALL.len() {
            let throttle = Throttle(bits);
            assert_eq!(throttle.to_string().parse(), Ok(throttle));
        }
        assert_eq!(Throttle(0b11).to_string(), "thermal-slowdown+power-cap");
        assert!("heat".parse::<Throttle>().is_err());
    }
}
