//! Properties that failures of the same reason share: what they say about the work, the program and the machine.

use super::outcome::FailureReason;

/// A property of all failures with the same reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureTrait {
    /// The attempt ran long enough to print what the sweep looks for.
    RanItsCourse,
    /// The next run must expect it again; deaths, wishes and a machine that was short of memory pass.
    OfTheWork,
    /// The program ended by itself, and not for lack of anything.
    ByItself,
    /// Another try would repeat it; limits of the sweep's own, deaths and wishes are not repeated.
    Repeatable,
    /// The answer may depend on how the GPUs are just after it.
    DependsOnGpus,
    /// The loss of a GPU may be its cause, and the user may want another try.
    MayBeLostGpu,
}

impl FailureReason {
    /// Reports whether failures of this reason have the property.
    pub fn has(self, wanted: FailureTrait) -> bool {
        self.traits().contains(&wanted)
    }

    fn traits(self) -> &'static [FailureTrait] {
        use FailureTrait::{ByItself, DependsOnGpus, MayBeLostGpu, OfTheWork, RanItsCourse, Repeatable};
        match self {
            Self::ExitCode | Self::Signal | Self::Exception => {
                &[OfTheWork, ByItself, Repeatable, DependsOnGpus, MayBeLostGpu]
            }
            Self::Incomplete | Self::MissingArtifact => {
                &[RanItsCourse, OfTheWork, ByItself, Repeatable, DependsOnGpus, MayBeLostGpu]
            }
            Self::Invalid => &[RanItsCourse, OfTheWork, Repeatable, DependsOnGpus, MayBeLostGpu],
            Self::Timeout | Self::Stalled => &[RanItsCourse, OfTheWork, DependsOnGpus, MayBeLostGpu],
            Self::GpuOom => &[OfTheWork, Repeatable, DependsOnGpus, MayBeLostGpu],
            Self::HostOom => &[Repeatable, DependsOnGpus, MayBeLostGpu],
            Self::LaunchError => &[OfTheWork, Repeatable, MayBeLostGpu],
            Self::Lost | Self::Killed | Self::Cancelled | Self::ServiceLost => &[],
        }
    }
}
