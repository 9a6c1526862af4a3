//! A GPU that is gone, programs that broke on one, physics without room, and numbers that are none.

use crate::model::sweep::rule::BuiltInRule;
use crate::progress::trouble::alerts::{AlertMeaning, AlertPart, ErrorPattern, LineCondition};
use crate::progress::trouble::parts::{overflown_buffer, small_capacity};

/// Bodies that the GPU gave up on stay where they are while the simulation goes on.
pub const FREEZES: &str = "PhysX failed on the GPU and the simulation went on";
/// PhysX broke on the GPU: its program ends, or goes on with a frozen scene.
pub const BREAKS_ON_GPU: AlertMeaning = AlertMeaning::ExplainsOrBreaks(BuiltInRule::PhysxFailure, FREEZES);
const BROKEN_ON_GPU: AlertMeaning = AlertMeaning::Breaks(BuiltInRule::PhysxFailure, FREEZES);
const DROPPED: AlertMeaning =
    AlertMeaning::Breaks(BuiltInRule::PhysxOverflow, "PhysX ran out of a buffer and dropped contacts");
const UNSTABLE: AlertMeaning =
    AlertMeaning::Breaks(BuiltInRule::UnstablePhysics, "the simulation became unstable and was reset");

/// Error patterns of what breaks on a device.
pub const DEVICE: &[ErrorPattern] = &[
    // The card is gone.
    gpu_lost("ERROR_DEVICE_LOST"),
    gpu_lost("ErrorDeviceLost"),
    gpu_lost("fallen off the bus"),
    gpu_lost("Unable to determine the device handle for"),
    gpu_lost(": GPU is lost"),
    gpu_lost("uncorrectable ECC error encountered"),
    gpu_lost("A GPU crash occurred. Exiting the application"),
    ErrorPattern::new("gpu-lost", "NVRM: Xid", AlertMeaning::Tells),
    // The card works, its program does not. TensorFlow says on machines without a card that it found none, and
    // Warp which function its driver lacks; both go on.
    ErrorPattern::new("cuda-fault", "CUDA error: ", AlertMeaning::Explains)
        .given(LineCondition::WithoutAny(&["cuInit", "driver entry point"])),
    cuda_fault("Triton Error [CUDA]: "),
    cuda_fault("cuDNN error: "),
    cuda_fault("an illegal memory access was encountered"),
    cuda_fault("an illegal instruction was encountered"),
    cuda_fault("device-side assert triggered"),
    cuda_fault("CUDA_ERROR_ILLEGAL_ADDRESS"),
    cuda_fault("CUDA_ERROR_LAUNCH_FAILED"),
    ErrorPattern::new("cuda-fault", "CUDNN_STATUS_", AlertMeaning::Explains).given(LineCondition::Thrown),
    ErrorPattern::new("cuda-fault", "CUBLAS_STATUS_", AlertMeaning::Explains).given(LineCondition::Thrown),
    cuda_fault("CUDNN_STATUS_EXECUTION_FAILED"),
    cuda_fault("CUBLAS_STATUS_EXECUTION_FAILED"),
    cuda_fault("DNN library initialization failed"),
    cuda_fault("no kernel image is available for execution on the device"),
    cuda_fault("CUDA driver version is insufficient"),
    cuda_fault("No CUDA GPUs are available"),
    // PyTorch warns with the same words where it goes on without a card.
    thrown("cuda-fault", "AssertionError: Torch not compiled with CUDA enabled"),
    thrown("cuda-fault", "RuntimeError: CUDA unknown error"),
    thrown("cuda-fault", "RuntimeError: CUDA driver initialization failed"),
    thrown("cuda-fault", "RuntimeError: The NVIDIA driver on your system is too old"),
    thrown("cuda-fault", "RuntimeError: Found no NVIDIA driver on your system"),
    thrown("cuda-fault", "RuntimeError: Unexpected error from cudaGetDeviceCount"),
    thrown("cuda-fault", "RuntimeError: Attempting to deserialize object on "),
    // Who only measures says it too.
    ErrorPattern::new("cuda-fault", "Driver/library version mismatch", AlertMeaning::Tells).on("NVML"),
    ErrorPattern::new("cuda-fault", "NVML/RM version mismatch", AlertMeaning::Tells).on("NVML"),
    ErrorPattern::new("cuda-fault", "PhysX Internal CUDA error", BREAKS_ON_GPU).on("PhysX"),
    ErrorPattern::new("cuda-fault", "Scene state is corrupted", BREAKS_ON_GPU).on("PhysX"),
    // What stood before says why; the simulation often goes on.
    broken_on_gpu("Cuda context manager error, simulation will be stopped"),
    broken_on_gpu(" fail to launch"),
    broken_on_gpu("memcpy failed fail!"),
    broken_on_gpu("SynchronizeStreams cu"),
    broken_on_gpu("Synchronizing GPU Narrowphase failed!"),
    ErrorPattern::new("cuda-fault", "' failed to launch with error ", BROKEN_ON_GPU)
        .given(LineCondition::With("GPU kernel '"))
        .on("PhysX"),
    // PhysX without room; the simulation goes on.
    ErrorPattern::new(
        "physx-overflow",
        "buffer overflow detected, please increase its size to at least",
        DROPPED,
    )
    .part(AlertPart::On(overflown_buffer)),
    // Two older forms; the oldest goes on in the next line.
    ErrorPattern::new("physx-overflow", "The application needs to increase Px", DROPPED)
        .part(AlertPart::On(small_capacity)),
    ErrorPattern::new("physx-overflow", "the application need to increase the Px", DROPPED)
        .part(AlertPart::On(small_capacity)),
    // Numbers that are none.
    ErrorPattern::new("nan", "Nan, Inf or huge value in Q", UNSTABLE).on("MuJoCo"),
    ErrorPattern::new("nan", "Expected parameter ", AlertMeaning::Explains)
        .given(LineCondition::With("to satisfy the constraint"))
        .on("policy"),
    ErrorPattern::new("nan", "normal expects all elements of std >= 0.0", AlertMeaning::Explains)
        .on("policy"),
    ErrorPattern::new("nan", "returned nan values in its", AlertMeaning::Explains).on("gradient"),
    ErrorPattern::new("nan", "probability tensor contains either `inf`, `nan`", AlertMeaning::Explains)
        .on("policy"),
    ErrorPattern::new("nan", "Physics state is invalid", AlertMeaning::Explains)
        .given(LineCondition::Thrown)
        .on("MuJoCo"),
    ErrorPattern::new("nan", "Loss is nan, stopping", AlertMeaning::Explains).on("loss"),
    ErrorPattern::new("nan", " contains NaN", AlertMeaning::Explains).given(LineCondition::Thrown),
    ErrorPattern::new("nan", " contain NaN", AlertMeaning::Explains).given(LineCondition::Thrown),
    ErrorPattern::new("nan", "cannot convert float NaN to integer", AlertMeaning::Explains)
        .given(LineCondition::Thrown),
    ErrorPattern::new("nan", "FloatingPointError: invalid value (nan)", AlertMeaning::Explains)
        .given(LineCondition::AtStart),
    ErrorPattern::new("nan", "NaN or Inf found in input tensor", AlertMeaning::Tells).on("TensorBoard"),
];

const fn gpu_lost(text: &'static str) -> ErrorPattern {
    ErrorPattern::new("gpu-lost", text, AlertMeaning::Explains)
}

const fn cuda_fault(text: &'static str) -> ErrorPattern {
    ErrorPattern::new("cuda-fault", text, AlertMeaning::Explains)
}

const fn thrown(kind: &'static str, text: &'static str) -> ErrorPattern {
    ErrorPattern::new(kind, text, AlertMeaning::Explains).given(LineCondition::Thrown)
}

const fn broken_on_gpu(text: &'static str) -> ErrorPattern {
    ErrorPattern::new("cuda-fault", text, BROKEN_ON_GPU).on("PhysX")
}
