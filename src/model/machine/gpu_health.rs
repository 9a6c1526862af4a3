//! What is wrong with a GPU, since when, and whether it is of any use.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::xid::{self, Blame};
use crate::model::ids::GpuIndex;

/// Faults of one GPU: an element of `telemetry/gpu_health.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuHealth {
    /// Index of the GPU on this machine.
    pub gpu: GpuIndex,
    /// States that last and events that were, in the order in which they came.
    pub faults: Vec<GpuFault>,
}

/// A fault and its times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuFault {
    /// Kind of the fault, with its figures.
    #[serde(flatten)]
    pub kind: GpuFaultKind,
    /// When it was seen first. Of a GPU that does not answer, when it last did.
    pub since: Timestamp,
    /// When it happened last; of a state, when it began.
    pub last: Timestamp,
    /// How often it happened; 1 for a state.
    pub count: u64,
}

/// Kinds of faults that a GPU can have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "kebab-case")]
pub enum GpuFaultKind {
    /// A question to the driver does not come back.
    Silent,
    /// The GPU is off the bus.
    Lost,
    /// The driver will not use it before a reset.
    NeedsReset,
    /// The GPU may not be used by this user.
    Refused,
    /// The GPU is divided into instances, which have names of their own.
    Mig,
    /// The driver reported a critical error.
    Xid {
        /// Number of the Xid error.
        code: u64,
    },
    /// Memory errors that ECC could not correct.
    Ecc {
        /// Since the driver was loaded.
        errors: u64,
    },
    /// The GPU answers with another error.
    Sick {
        /// In the driver's words.
        message: String,
    },
}

impl GpuHealth {
    /// The fault for which nothing should be started there.
    pub fn blocking_fault(&self) -> Option<&GpuFault> {
        self.faults.iter().find(|fault| fault.kind.makes_unusable())
    }
}

impl GpuFaultKind {
    /// Nothing that is started there can work.
    pub fn makes_unusable(&self) -> bool {
        match self {
            Self::Silent | Self::Lost | Self::NeedsReset | Self::Refused | Self::Mig => true,
            Self::Xid { code } => xid::meaning(*code).1 == Blame::Gpu,
            Self::Ecc { .. } | Self::Sick { .. } => false,
        }
    }

    /// Reports whether the fault is there to stay: the GPU is of no use until it is reset or the machine is restarted.
    pub fn is_loss(&self) -> bool {
        match self {
            Self::Lost | Self::NeedsReset => true,
            Self::Xid { code } => xid::meaning(*code).1 == Blame::Gpu,
            Self::Silent | Self::Refused | Self::Mig | Self::Ecc { .. } | Self::Sick { .. } => false,
        }
    }

    /// Reports whether the fault is an event, which is over when it is reported, and stays worth knowing.
    pub fn is_event(&self) -> bool {
        match self {
            Self::Xid { .. } | Self::Ecc { .. } => true,
            Self::Silent | Self::Lost | Self::NeedsReset | Self::Refused | Self::Mig | Self::Sick { .. } => {
                false
            }
        }
    }

    /// A later sight of the same trouble, although its figures may differ.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Ecc { .. }, Self::Ecc { .. }) => true,
            (one, other) => one == other,
        }
    }

    /// Describes the fault in as few words as a narrow pane has room for.
    pub fn brief_text(&self) -> String {
        match self {
            Self::Silent => "no answer".to_owned(),
            Self::Lost => "lost: off the bus".to_owned(),
            Self::NeedsReset => "needs a reset".to_owned(),
            Self::Refused => "no permission".to_owned(),
            Self::Mig => "MIG mode: not scheduled".to_owned(),
            Self::Xid { code } => format!("Xid {code}"),
            Self::Ecc { errors: 1 } => "1 ECC error".to_owned(),
            Self::Ecc { errors } => format!("{errors} ECC errors"),
            Self::Sick { message } => message.clone(),
        }
    }

    /// Describes the fault in a sentence that names the GPU.
    pub fn to_sentence(&self, gpu: GpuIndex) -> String {
        let colon = if self.is_event() { ":" } else { "" };
        format!("GPU {gpu}{colon} {}", self.to_text())
    }

    /// Describes the fault; a state as the end of a sentence that begins with the GPU.
    pub fn to_text(&self) -> String {
        match self {
            Self::Silent => "does not answer; the driver hangs on it".to_owned(),
            Self::Lost => {
                "is lost: it fell off the bus; only a restart of the machine brings it back".to_owned()
            }
            Self::NeedsReset => "must be reset before it can be used: `nvidia-smi --gpu-reset`".to_owned(),
            Self::Refused => "may not be used by this user or container".to_owned(),
            Self::Mig => "is in MIG mode, which sweepdeck cannot schedule".to_owned(),
            Self::Xid { code } => format!("Xid {code}: {}", xid::meaning(*code).0),
            Self::Ecc { errors: 1 } => "1 memory error that ECC could not correct".to_owned(),
            Self::Ecc { errors } => format!("{errors} memory errors that ECC could not correct"),
            Self::Sick { message } => format!("answers with an error: {message}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn health(kinds: Vec<GpuFaultKind>) -> GpuHealth {
        let at = Timestamp::UNIX_EPOCH;
        let faults = kinds.into_iter().map(|kind| GpuFault { kind, since: at, last: at, count: 1 });
        GpuHealth { gpu: GpuIndex(0), faults: faults.collect() }
    }

    #[test]
    fn a_gpu_is_avoided_for_its_own_faults_and_not_for_those_of_programs() {
        let programs = [13, 31, 43, 45, 94].map(|code| GpuFaultKind::Xid { code });
        assert_eq!(health(programs.to_vec()).blocking_fault(), None);
        for own in [48, 79, 95, 119].map(|code| GpuFaultKind::Xid { code }) {
            assert!(health(vec![GpuFaultKind::Ecc { errors: 2 }, own]).blocking_fault().is_some());
        }
        assert!(health(vec![GpuFaultKind::Silent]).blocking_fault().is_some());
    }

    #[test]
    fn a_fault_is_a_flat_object_in_files() {
        let text = serde_json::to_string(&health(vec![GpuFaultKind::Xid { code: 79 }])).unwrap();
        assert!(text.contains(r#"{"fault":"xid","code":79,"since":"1970"#), "{text}");
        assert_eq!(serde_json::from_str::<GpuHealth>(&text).unwrap().faults.len(), 1);
    }
}
