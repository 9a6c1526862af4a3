//! Which problem under which policy: the two axes of the demo's sweep.

use std::fmt;
use std::str::FromStr;

/// A control problem of the demo's sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Environment {
    /// Balance a pole on a cart.
    CartPole,
    /// Swing a pendulum up and hold it.
    Pendulum,
    /// Drive out of a valley.
    MountainCar,
    /// Swing two links above a bar.
    Acrobot,
}

/// Chooser of the actions in an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DemoPolicy {
    /// A feedback controller tuned by hand for each problem.
    Tuned,
    /// Random actions, each held for a while.
    Random,
}

/// A name that is none of the known ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is none of {known}")]
pub struct UnknownName {
    /// Name that was given.
    pub name: String,
    /// List of the known names.
    pub known: String,
}

impl Environment {
    /// All of them, in the order of the sweep.
    pub const ALL: [Self; 4] = [Self::CartPole, Self::Pendulum, Self::MountainCar, Self::Acrobot];

    /// The name in the sweep.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl DemoPolicy {
    /// Both, in the order of the sweep.
    pub const ALL: [Self; 2] = [Self::Tuned, Self::Random];

    /// The name in the sweep.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tuned => "tuned",
            Self::Random => "random",
        }
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for DemoPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Environment {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|known| known.name() == name).ok_or_else(|| unknown_name(name, &Self::ALL))
    }
}

impl FromStr for DemoPolicy {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|known| known.name() == name).ok_or_else(|| unknown_name(name, &Self::ALL))
    }
}

fn unknown_name(name: &str, known: &[impl fmt::Display]) -> UnknownName {
    let known: Vec<String> = known.iter().map(ToString::to_string).collect();
    UnknownName { name: name.to_owned(), known: known.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_others_are_refused_with_the_list() {
        for environment in Environment::ALL {
            assert_eq!(environment.name().parse(), Ok(environment));
        }
        for policy in DemoPolicy::ALL {
            assert_eq!(policy.name().parse(), Ok(policy));
        }
        let error = "tunde".parse::<DemoPolicy>().unwrap_err();
        assert_eq!(error.to_string(), "`tunde` is none of tuned, random");
    }
}
