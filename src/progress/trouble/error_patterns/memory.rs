//! Memory that ran out: on GPUs and in main memory.

use crate::model::outcome::FailureReason;
use crate::model::sweep::rule::BuiltInRule;
use crate::progress::trouble::alerts::{AlertMeaning, ErrorPattern, LineCondition};

use super::device::{BREAKS_ON_GPU, FREEZES};

const GPU_OOM: AlertMeaning = AlertMeaning::Fails(FailureReason::GpuOom);
const HOST_OOM: AlertMeaning = AlertMeaning::Fails(FailureReason::HostOom);
const FROZEN: AlertMeaning =
    AlertMeaning::FailsOrBreaks(FailureReason::GpuOom, BuiltInRule::PhysxFailure, FREEZES);

/// Memory that ran out.
pub const MEMORY: &[ErrorPattern] = &[
    // PyTorch, since 2.5, 1.13 and before; AMD's build.
    gpu_oom("torch.OutOfMemoryError: ", "PyTorch"),
    gpu_oom("torch.cuda.OutOfMemoryError: ", "PyTorch"),
    gpu_oom("CUDA out of memory. ", "PyTorch"),
    gpu_oom("HIP out of memory. ", "PyTorch"),
    gpu_oom("MPS backend out of memory", "PyTorch"),
    // The CUDA runtime and driver, and the libraries that pass their words on.
    gpu_oom("CUDA error: out of memory", "CUDA"),
    gpu_oom("CUDA Error: out of memory", "CUDA"),
    gpu_oom("cuda error: out of memory", "CUDA"),
    gpu_oom("Triton Error [CUDA]: out of memory", "CUDA"),
    ErrorPattern::new("gpu-oom", "cuMemAlloc failed", GPU_OOM)
        .given(LineCondition::With("out of memory"))
        .on("CUDA"),
    gpu_oom("CUDA driver error: out of memory", "CUDA"),
    gpu_oom("CUDA error 2: out of memory", "CUDA"),
    gpu_oom("cuda runtime error (2) : out of memory", "CUDA"),
    gpu_oom("Cuda failure 'out of memory'", "CUDA"),
    gpu_oom("Cuda failure 2 'out of memory'", "CUDA"),
    gpu_oom("cudaMalloc failed: out of memory", "CUDA"),
    gpu_oom("CUDA failed with error out of memory", "CUDA"),
    gpu_oom("CUDA failure 2: out of memory", "CUDA"),
    gpu_oom("cudaErrorMemoryAllocation", "CUDA"),
    gpu_oom("CUDA_ERROR_OUT_OF_MEMORY", "CUDA"),
    gpu_oom("cuMemAllocAsync failed to allocate", "CUDA"),
    gpu_oom("CUBLAS_STATUS_ALLOC_FAILED", "cuBLAS"),
    gpu_oom("CUDNN_STATUS_ALLOC_FAILED", "cuDNN"),
    // JAX says it so on the processor.
    host_oom("RESOURCE_EXHAUSTED: Out of memory allocating "),
    gpu_oom("RESOURCE_EXHAUSTED: Out of memory", "JAX"),
    gpu_oom("Resource exhausted: Failed to allocate request", "JAX"),
    gpu_oom("Resource exhausted: Out of memory", "JAX"),
    gpu_oom("RESOURCE_EXHAUSTED: Failed to allocate request", "JAX"),
    ErrorPattern::new("host-oom", "OOM when allocating tensor with shape", HOST_OOM)
        .given(LineCondition::With("by allocator cpu")),
    gpu_oom("OOM when allocating tensor with shape", "TensorFlow"),
    gpu_oom("failed to allocate memory [Op:", "TensorFlow"),
    gpu_oom("cupy.cuda.memory.OutOfMemoryError", "CuPy"),
    ErrorPattern::new("gpu-oom", "Failed to allocate ", GPU_OOM)
        .given(LineCondition::With("on device 'cuda"))
        .on("Warp"),
    ErrorPattern::new("host-oom", "Failed to allocate ", HOST_OOM)
        .given(LineCondition::With("on device 'cpu")),
    gpu_oom("Out of CUDA pre-allocated memory", "Taichi"),
    gpu_oom("Failed to allocate memory for requested buffer of size", "ONNX Runtime"),
    gpu_oom("out_of_memory: CUDA error", "RAPIDS"),
    // TensorRT tries tactics that need too much and skips them, with a warning.
    gpu_oom("Cuda Driver (out of memory)", "TensorRT"),
    gpu_oom("Cuda Runtime (out of memory)", "TensorRT"),
    gpu_oom("Error Code 2: OutOfMemory", "TensorRT"),
    // Servers of policies check before they load.
    gpu_oom("is less than desired GPU memory utilization", "vLLM"),
    gpu_oom("No available memory for the cache blocks", "vLLM"),
    gpu_oom("Not enough memory. Please try to increase --mem-fraction-static", "SGLang"),
    // Vulkan by way of Kit, SAPIEN and the validation layers, and OpenGL.
    gpu_oom("Out of GPU memory allocating resource", "Vulkan"),
    gpu_oom("ERROR_OUT_OF_DEVICE_MEMORY", "Vulkan"),
    gpu_oom("ErrorOutOfDeviceMemory", "Vulkan"),
    gpu_oom("vkAllocateMemory failed for flags", "Vulkan"),
    gpu_oom("GL_OUT_OF_MEMORY", "OpenGL"),
    gpu_oom("description = b'out of memory'", "OpenGL"),
    // Result 2 is a lack of memory, in two versions of the words; 700 is the aftermath of an illegal access.
    ErrorPattern::new("cuda-fault", "PxgCudaDeviceMemoryAllocator fail", BREAKS_ON_GPU)
        .given(LineCondition::With("Result = 700"))
        .on("PhysX"),
    ErrorPattern::new("gpu-oom", "PxgCudaDeviceMemoryAllocator fail", FROZEN)
        .given(LineCondition::With("Result = 2"))
        .on("PhysX"),
    ErrorPattern::new("gpu-oom", "Failed to allocate pinned memory", FROZEN).on("PhysX"),
    ErrorPattern::new("gpu-oom", "PhysX Internal CUDA error", FROZEN)
        .given(LineCondition::With("rror code 2!"))
        .on("PhysX"),
    // Main memory: Slurm and other schedulers, the kernel and the daemons that watch memory besides it, containers.
    host_oom("oom_kill event"),
    host_oom("State: OUT_OF_MEMORY (exit code "),
    host_oom("oom-kill event"),
    ErrorPattern::new("host-oom", ": Out Of Memory", HOST_OOM).given(LineCondition::With("srun: error:")),
    ErrorPattern::new("host-oom", "exceeded memory limit (", HOST_OOM).given(LineCondition::With("slurm")),
    host_oom("TERM_MEMLIMIT: job killed"),
    host_oom("PBS: job killed: mem"),
    host_oom("ut of memory: Kill"),
    host_oom(" invoked oom-killer"),
    host_oom("oom-kill:constraint="),
    ErrorPattern::new("host-oom", "sending SIGTERM to process", HOST_OOM)
        .given(LineCondition::With("badness")),
    ErrorPattern::new("host-oom", " due to memory pressure for /", HOST_OOM)
        .given(LineCondition::With("Killed /")),
    ErrorPattern::new("host-oom", "OOMKilled", HOST_OOM).given(LineCondition::Without("alse")),
    // PyTorch's workers, of which a bus error means that /dev/shm is full, and Ray, whose list of what a dead worker
    // may have died of is none of these.
    host_oom("is killed by signal: Killed"),
    ErrorPattern::new("host-oom", "is killed by signal: Bus error", HOST_OOM).on("/dev/shm"),
    ErrorPattern::new("host-oom", "insufficient shared memory (shm)", HOST_OOM).on("/dev/shm"),
    host_oom("killed due to memory pressure (OOM)"),
    host_oom("exceeds the memory usage threshold"),
    host_oom("ray.exceptions.OutOfMemoryError"),
    host_oom("RayOutOfMemoryError: "),
    host_oom("ray.exceptions.ObjectStoreFullError"),
    // NumPy in three versions, PyTorch, Arrow, OpenCV, OpenBLAS, LLVM, C++, Python, Rust, Java and Go.
    host_oom("_ArrayMemoryError: Unable to allocate"),
    host_oom("_exceptions.MemoryError: Unable to allocate"),
    host_oom("DefaultCPUAllocator: can't allocate memory"),
    host_oom("DefaultCPUAllocator: not enough memory"),
    host_oom("ArrowMemoryError: "),
    host_oom("(-4:Insufficient memory)"),
    host_oom("OpenBLAS error: Memory allocation"),
    host_oom("LLVM ERROR: out of memory"),
    ErrorPattern::new("host-oom", "'std::bad_alloc'", HOST_OOM).given(LineCondition::With("instance of")),
    ErrorPattern::new("host-oom", "RuntimeError: std::bad_alloc", HOST_OOM).given(LineCondition::AtStart),
    host_oom("[Errno 12] Cannot allocate memory"),
    host_oom(": Cannot allocate memory"),
    ErrorPattern::new("host-oom", "MemoryError", HOST_OOM).given(LineCondition::Alone),
    ErrorPattern::new("host-oom", "MemoryError: ", HOST_OOM).given(LineCondition::AtStart),
    ErrorPattern::new("host-oom", "memory allocation of ", HOST_OOM)
        .given(LineCondition::With(" bytes failed")),
    host_oom("java.lang.OutOfMemoryError"),
    host_oom("fatal error: runtime: out of memory"),
];

const fn gpu_oom(text: &'static str, allocator: &'static str) -> ErrorPattern {
    ErrorPattern::new("gpu-oom", text, GPU_OOM).on(allocator)
}

const fn host_oom(text: &'static str) -> ErrorPattern {
    ErrorPattern::new("host-oom", text, HOST_OOM)
}
