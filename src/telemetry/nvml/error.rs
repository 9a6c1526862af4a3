//! What an error of NVML means: no driver at all, a field this GPU lacks, a sick GPU, or bad luck this once.

use nvml_wrapper::error::NvmlError;

use crate::model::machine::gpu_health::GpuFaultKind;

/// Consequence of an error of a call about one field of one GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldError {
    /// No answer from this GPU or driver, ever: do not ask again.
    Unsupported,
    /// The GPU answers nothing any more: do not ask it anything else now.
    Gone(GpuFaultKind),
    /// The GPU is in trouble, if it has ever answered this.
    Sick,
    /// The list grew between two calls: ask once more.
    Grew,
    /// The value is unknown this time only.
    Passing,
}

/// Sorts an error of a call about one field.
pub fn of_field(error: &NvmlError) -> FieldError {
    match error {
        NvmlError::NotSupported
        | NvmlError::FailedToLoadSymbol(_)
        | NvmlError::FunctionNotFound
        | NvmlError::UnexpectedVariant(_)
        | NvmlError::NoPermission
        | NvmlError::InvalidArg => FieldError::Unsupported,
        NvmlError::GpuLost => FieldError::Gone(GpuFaultKind::Lost),
        NvmlError::ResetRequired => FieldError::Gone(GpuFaultKind::NeedsReset),
        NvmlError::IrqIssue | NvmlError::InsufficientPower | NvmlError::Timeout | NvmlError::Unknown => {
            FieldError::Sick
        }
        NvmlError::InsufficientSize(_) => FieldError::Grew,
        // Other errors prove nothing lasting about this field; another round may succeed.
        _ => FieldError::Passing,
    }
}

/// Names the fault of a GPU that the driver does not hand out.
pub fn of_handle(error: &NvmlError) -> GpuFaultKind {
    match error {
        NvmlError::GpuLost => GpuFaultKind::Lost,
        NvmlError::ResetRequired => GpuFaultKind::NeedsReset,
        NvmlError::NoPermission | NvmlError::OperatingSystem => GpuFaultKind::Refused,
        other => GpuFaultKind::Sick { message: other.to_string() },
    }
}

/// Explains in one sentence, for the panel where GPUs would be, why there are none.
pub fn explain_absence(error: &NvmlError) -> String {
    match error {
        NvmlError::LibloadingError(cause) => {
            let text = cause.to_string();
            if text.contains("No such file") {
                "no NVIDIA driver: libnvidia-ml.so.1 was not found".to_owned()
            } else {
                format!("the NVIDIA driver's library cannot be loaded: {text}")
            }
        }
        NvmlError::LibraryNotFound => "no NVIDIA driver: libnvidia-ml.so.1 was not found".to_owned(),
        NvmlError::DriverNotLoaded => {
            "the NVIDIA driver is installed but not loaded; try `sudo modprobe nvidia`".to_owned()
        }
        NvmlError::NoPermission => {
            "the NVIDIA driver refuses this user; check the permissions of /dev/nvidia*".to_owned()
        }
        NvmlError::LibRmVersionMismatch => {
            "the NVIDIA driver was updated while loaded (library and kernel versions differ); reboot"
                .to_owned()
        }
        other => format!("the NVIDIA driver does not answer: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_is_not_supported_is_told_from_a_sick_gpu() {
        assert_eq!(of_field(&NvmlError::NotSupported), FieldError::Unsupported);
        assert_eq!(of_field(&NvmlError::FailedToLoadSymbol("x".into())), FieldError::Unsupported);
        assert_eq!(of_field(&NvmlError::GpuLost), FieldError::Gone(GpuFaultKind::Lost));
        assert_eq!(of_field(&NvmlError::Timeout), FieldError::Sick);
        assert_eq!(of_field(&NvmlError::InsufficientSize(None)), FieldError::Grew);
        assert_eq!(of_field(&NvmlError::NotFound), FieldError::Passing);
    }

    #[test]
    fn every_absence_says_what_to_do_or_what_is_missing() {
        assert!(explain_absence(&NvmlError::DriverNotLoaded).contains("modprobe"));
        assert!(explain_absence(&NvmlError::LibRmVersionMismatch).contains("reboot"));
        assert!(explain_absence(&NvmlError::Unknown).starts_with("the NVIDIA driver does not answer"));
    }
}
