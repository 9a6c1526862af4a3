//! The exact spellings by which a line shows trouble. They are anchored on what only the failing library prints, because
//! the bare words stand in handled warnings and in prose too.

use super::alerts::{Given, Meaning, Part, Spelling};
use super::trouble_parts::{library, overflown_buffer, port, program, python_module};
use crate::model::outcome::FailureReason;
use crate::model::rule::BuiltInRule;

/// Bodies that the GPU gave up on stay where they are while the simulation goes on.
const FREEZES: &str = "PhysX failed on the GPU and the simulation went on";
const FROZEN: Meaning = Meaning::FailsOrBreaks(FailureReason::GpuOom, BuiltInRule::PhysxFailure, FREEZES);
const UNSTABLE: Meaning =
    Meaning::Breaks(BuiltInRule::UnstablePhysics, "the simulation became unstable and was reset");

/// All spellings; of several on one line the first counts.
pub const SPELLINGS: &[Spelling] = &[
    // PyTorch, since 2.5, 1.13 and before; AMD's build.
    gpu_oom("torch.OutOfMemoryError:", "PyTorch"),
    gpu_oom("torch.cuda.OutOfMemoryError:", "PyTorch"),
    gpu_oom("CUDA out of memory. ", "PyTorch"),
    gpu_oom("HIP out of memory. ", "PyTorch"),
    // The CUDA runtime and driver, and the libraries that pass their words on.
    gpu_oom("CUDA error: out of memory", "CUDA"),
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
    gpu_oom("RESOURCE_EXHAUSTED: Out of memory", "JAX"),
    gpu_oom("RESOURCE_EXHAUSTED: Failed to allocate request", "JAX"),
    gpu_oom("OOM when allocating tensor with shape", "TensorFlow"),
    gpu_oom("cupy.cuda.memory.OutOfMemoryError", "CuPy"),
    spelling("gpu-oom", "Failed to allocate ", GPU_OOM).given(Given::With("on device 'cuda")).on("Warp"),
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
    // Result 2 is a lack of memory, in two versions of the words; 700 is the aftermath of an illegal access.
    spelling("cuda-fault", "PxgCudaDeviceMemoryAllocator fail", BREAKS_ON_GPU)
        .given(Given::With("Result = 700"))
        .on("PhysX"),
    spelling("gpu-oom", "PxgCudaDeviceMemoryAllocator fail", FROZEN)
        .given(Given::With("Result = 2"))
        .on("PhysX"),
    spelling("gpu-oom", "Failed to allocate pinned memory", FROZEN).on("PhysX"),
    // Main memory: Slurm, the kernel, PyTorch's workers, Ray, NumPy, C++ and Python.
    host_oom("oom_kill event"),
    host_oom("oom-kill event"),
    spelling("host-oom", ": Out Of Memory", HOST_OOM).given(Given::With("srun: error:")),
    host_oom("is killed by signal: Killed"),
    host_oom("ut of memory: Killed process"),
    host_oom("killed due to memory pressure (OOM)"),
    host_oom("ray.exceptions.OutOfMemoryError"),
    host_oom("_ArrayMemoryError: Unable to allocate"),
    host_oom("DefaultCPUAllocator: can't allocate memory"),
    host_oom("DefaultCPUAllocator: not enough memory"),
    host_oom("'std::bad_alloc'"),
    host_oom("[Errno 12] Cannot allocate memory"),
    spelling("host-oom", "MemoryError", HOST_OOM).given(Given::AtStart),
    // The card is gone.
    gpu_lost("ERROR_DEVICE_LOST"),
    gpu_lost("ErrorDeviceLost"),
    gpu_lost("GPU has fallen off the bus"),
    gpu_lost("GPU is lost"),
    gpu_lost("uncorrectable ECC error encountered"),
    gpu_lost("A GPU crash occurred. Exiting the application"),
    spelling("gpu-lost", "NVRM: Xid", Meaning::Tells),
    // The card works, its program does not.
    cuda_fault("an illegal memory access was encountered"),
    cuda_fault("an illegal instruction was encountered"),
    cuda_fault("device-side assert triggered"),
    cuda_fault("CUDA error: unspecified launch failure"),
    cuda_fault("CUDA error: misaligned address"),
    cuda_fault("CUDA_ERROR_ILLEGAL_ADDRESS"),
    cuda_fault("CUDA_ERROR_LAUNCH_FAILED"),
    cuda_fault("CUDNN_STATUS_EXECUTION_FAILED"),
    cuda_fault("CUBLAS_STATUS_EXECUTION_FAILED"),
    cuda_fault("no kernel image is available for execution on the device"),
    cuda_fault("CUDA driver version is insufficient"),
    cuda_fault("Torch not compiled with CUDA enabled"),
    cuda_fault("No CUDA GPUs are available"),
    spelling("cuda-fault", "PhysX Internal CUDA error", BREAKS_ON_GPU).on("PhysX"),
    spelling("cuda-fault", "Scene state is corrupted", BREAKS_ON_GPU).on("PhysX"),
    // PhysX without room; the simulation goes on.
    spelling("physx-overflow", "buffer overflow detected, please increase its size to at least", DROPPED)
        .part(Part::On(overflown_buffer)),
    // Numbers that are none.
    spelling("nan", "Nan, Inf or huge value in Q", UNSTABLE).on("MuJoCo"),
    spelling("nan", "Expected parameter ", Meaning::Explains)
        .given(Given::With("to satisfy the constraint"))
        .on("policy"),
    spelling("nan", "normal expects all elements of std >= 0.0", Meaning::Explains).on("policy"),
    spelling("nan", "returned nan values in its", Meaning::Explains).on("gradient"),
    // What is not installed. A missing program may be one that only measures.
    spelling("missing-library", "conda: command not found", Meaning::Explains).on("conda"),
    spelling("missing-library", ": command not found", Meaning::Tells).part(Part::On(program)),
    missing_library("error while loading shared libraries: "),
    missing_library(": cannot open shared object file").given(Given::WithoutAny(OPTIONAL_LIBRARIES)),
    spelling("missing-library", "or one of its dependencies", Meaning::Explains)
        .given(Given::With("Error loading "))
        .part(Part::On(library)),
    spelling("missing-library", "ModuleNotFoundError: No module named ", Meaning::Explains)
        .given(Given::AtStart)
        .part(Part::On(python_module)),
    spelling("missing-library", "Cannot initialize a EGL device display", Meaning::Explains).on("EGL"),
    spelling("missing-library", "' not found (required by ", Meaning::Explains).part(Part::On(library)),
    // The machine is full or taken.
    spelling("disk-full", "No space left on device", Meaning::Explains).given(Given::Without("inotify")),
    spelling("disk-full", "Disk quota exceeded", Meaning::Explains),
    spelling("disk-full", "database or disk is full", Meaning::Explains),
    spelling("address-in-use", "ddress already in use", Meaning::Explains).part(Part::On(port)),
    spelling("address-in-use", "EADDRINUSE", Meaning::Explains).part(Part::On(port)),
    // It asked, and nobody was there to answer.
    spelling("prompt", "EOFError: EOF when reading a line", Meaning::Explains),
    spelling("prompt", "EULA was not accepted", Meaning::Explains).on("EULA"),
    spelling("prompt", "EULA not accepted", Meaning::Explains).on("EULA"),
    // Evaluators of policies that count such an episode as a failure and go on.
    spelling("exception", "Caught exception: ", Meaning::Tells),
    spelling("exception", "Episode error: ", Meaning::Tells),
    // What ended by a signal, in the words of the shell and of the runtimes.
    signal("Fatal Python error: "),
    signal("terminate called after throwing an instance of"),
    signal("Segmentation fault (core dumped)"),
    signal("Aborted (core dumped)"),
    signal("Bus error (core dumped)"),
    spelling("signal", " Killed  ", SIGNALLED).given(Given::With(": line ")),
    spelling("signal", "Crash detected in pid", SIGNALLED).given(Given::With("[carb.crashreporter")),
];

/// JAX looks for a TPU and TensorFlow for TensorRT and CUDA on every start, and both go on without.
const OPTIONAL_LIBRARIES: &[&str] = &["libtpu.so", "Could not load dynamic library '"];

const GPU_OOM: Meaning = Meaning::Fails(FailureReason::GpuOom);
const HOST_OOM: Meaning = Meaning::Fails(FailureReason::HostOom);
const SIGNALLED: Meaning = Meaning::Fails(FailureReason::Signal);
const DROPPED: Meaning =
    Meaning::Breaks(BuiltInRule::PhysxOverflow, "PhysX ran out of a buffer and dropped contacts");
const BREAKS_ON_GPU: Meaning = Meaning::ExplainsOrBreaks(BuiltInRule::PhysxFailure, FREEZES);

const fn spelling(kind: &'static str, text: &'static str, meaning: Meaning) -> Spelling {
    Spelling { kind, text, given: Given::Always, meaning, part: Part::Whole }
}

impl Spelling {
    const fn given(self, given: Given) -> Self {
        Self { given, ..self }
    }

    const fn on(self, name: &'static str) -> Self {
        self.part(Part::Named(name))
    }

    const fn part(self, part: Part) -> Self {
        Self { part, ..self }
    }
}

const fn gpu_oom(text: &'static str, allocator: &'static str) -> Spelling {
    spelling("gpu-oom", text, GPU_OOM).on(allocator)
}

const fn host_oom(text: &'static str) -> Spelling {
    spelling("host-oom", text, HOST_OOM)
}

const fn gpu_lost(text: &'static str) -> Spelling {
    spelling("gpu-lost", text, Meaning::Explains)
}

const fn cuda_fault(text: &'static str) -> Spelling {
    spelling("cuda-fault", text, Meaning::Explains)
}

const fn missing_library(text: &'static str) -> Spelling {
    spelling("missing-library", text, Meaning::Explains).part(Part::On(library))
}

const fn signal(text: &'static str) -> Spelling {
    spelling("signal", text, SIGNALLED)
}
