//! Meanings of the Xid numbers with which the NVIDIA driver reports critical errors.
//!
//! Meanings and what to do follow NVIDIA's list (<https://docs.nvidia.com/deploy/xid-errors/>). Which of them are the
//! program's own fault is also what NVIDIA's device plugin for Kubernetes goes by.

/// Program or GPU that an Xid is about, and for a GPU how bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// A program did something wrong, or was ended; the GPU serves others as before.
    Program,
    /// The GPU works on, but an administrator should look at it.
    Watch,
    /// The GPU is of no use until it is reset or the machine restarted.
    Gpu,
}

/// Returns the meaning of a number, worded as the end of a sentence, and the part to blame. An unknown number is worth
/// a look.
pub fn meaning(code: u64) -> (&'static str, Blame) {
    match code {
        13 => ("a kernel made an illegal access or instruction", Blame::Program),
        31 => ("a program touched GPU memory that is not its own", Blame::Program),
        32 => ("a command buffer was invalid or corrupted", Blame::Program),
        38 => ("the driver's firmware failed", Blame::Watch),
        43 => ("the GPU stopped the work of a program after its fault", Blame::Program),
        45 => ("the work of a program that ended or failed was cleaned up", Blame::Program),
        48 => ("memory error that ECC cannot correct; the GPU must be reset", Blame::Gpu),
        62 => ("an internal controller halted; the GPU must be reset", Blame::Gpu),
        63 => ("bad memory was noted to be replaced at the next reset", Blame::Watch),
        64 => ("bad memory could not be noted to be replaced; the GPU must be reset", Blame::Gpu),
        68 => ("the video decoder failed", Blame::Program),
        69 => ("a program gave a graphics command that does not exist", Blame::Program),
        74 => ("a link between GPUs (NVLink) failed", Blame::Watch),
        79 => ("the GPU has fallen off the bus; power or heat are the usual causes", Blame::Gpu),
        92 => ("many memory errors were corrected; the memory is wearing out", Blame::Watch),
        94 => {
            ("memory error that ECC cannot correct, contained to one program, which it ended", Blame::Watch)
        }
        95 => ("memory error that ECC cannot correct and that spread; the GPU must be reset", Blame::Gpu),
        109 => ("the GPU could not switch away from a program in time", Blame::Program),
        119 => ("the GPU's system processor (GSP) does not answer; the GPU must be reset", Blame::Gpu),
        120 => ("the GPU's system processor (GSP) failed; the GPU must be reset", Blame::Gpu),
        140 => ("memory error that ECC cannot recover from; the GPU must be reset", Blame::Gpu),
        143 => ("the GPU could not be initialized", Blame::Gpu),
        _ => ("see NVIDIA's list of Xid errors", Blame::Watch),
    }
}
