//! Classes of trouble and the exact spellings by which a line shows them.

use memchr::memmem::find;

use crate::model::outcome::FailureReason;

/// A spelling of one class of trouble.
#[derive(Debug)]
pub struct Spelling {
    /// The class.
    pub kind: &'static str,
    /// What the line holds.
    pub text: &'static str,
    /// What the line holds besides, if anything is needed.
    pub also: &'static str,
    /// What it means for the verdict.
    pub meaning: Meaning,
}

/// What an alert means for the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// The program is likely to end because of it.
    Fails(FailureReason),
    /// The program goes on, but its results are wrong.
    Spoils(&'static str),
}

const GPU_OOM: Meaning = Meaning::Fails(FailureReason::GpuOom);
const HOST_OOM: Meaning = Meaning::Fails(FailureReason::HostOom);
const DROPPED: Meaning = Meaning::Spoils("PhysX ran out of a buffer and dropped contacts");

/// All spellings; of several on one line the first counts. They are anchored on what only the failing library
/// prints, because the bare words stand in handled warnings and in prose too.
pub const SPELLINGS: &[Spelling] = &[
    gpu_oom("torch.OutOfMemoryError:"),
    gpu_oom("torch.cuda.OutOfMemoryError:"),
    gpu_oom("CUDA out of memory. "),
    gpu_oom("HIP out of memory. "),
    gpu_oom("CUDA error: out of memory"),
    gpu_oom("CUDA driver error: out of memory"),
    gpu_oom("cuda runtime error (2) : out of memory"),
    gpu_oom("CUBLAS_STATUS_ALLOC_FAILED"),
    gpu_oom("RESOURCE_EXHAUSTED: Out of memory"),
    gpu_oom("cuMemAllocAsync failed to allocate"),
    gpu_oom("Out of GPU memory allocating resource"),
    gpu_oom("ERROR_OUT_OF_DEVICE_MEMORY"),
    // Result 700 is the aftermath of an illegal access, not a lack of memory.
    Spelling {
        kind: "gpu-oom",
        text: "PxgCudaDeviceMemoryAllocator fail",
        also: "Result = 2",
        meaning: GPU_OOM,
    },
    host_oom("oom_kill event"),
    host_oom("oom-kill event"),
    host_oom("is killed by signal: Killed"),
    host_oom("Out of memory: Killed process"),
    Spelling {
        kind: "physx-overflow",
        text: "buffer overflow detected, please increase its size to at least",
        also: "",
        meaning: DROPPED,
    },
];

const fn gpu_oom(text: &'static str) -> Spelling {
    Spelling { kind: "gpu-oom", text, also: "", meaning: GPU_OOM }
}

const fn host_oom(text: &'static str) -> Spelling {
    Spelling { kind: "host-oom", text, also: "", meaning: HOST_OOM }
}

/// The trouble that the line shows.
pub fn trouble_on(line: &[u8]) -> Option<&'static Spelling> {
    SPELLINGS.iter().find(|spelling| {
        find(line, spelling.text.as_bytes()).is_some() && find(line, spelling.also.as_bytes()).is_some()
    })
}
