//! Lines of trouble as libraries print them, and lines that only look like them.

use std::sync::Arc;

use crate::model::outcome::FailureReason::{self, GpuOom, HostOom, Signal};
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::reading::LogSummary;
use crate::progress::scan::reading::ScanVerdict;

/// A line, the class it belongs to, the reason it gives and what of its class it hit.
type Case = (&'static str, &'static str, Option<FailureReason>, &'static str);

const TROUBLE: [Case; 34] = [
    (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 324.00 MiB. GPU 0 has",
        "gpu-oom",
        Some(GpuOom),
        "PyTorch",
    ),
    (
        "RuntimeError: CUDA out of memory. Tried to allocate 36.00 MiB (GPU 0; 7.93 GiB total capacity;",
        "gpu-oom",
        Some(GpuOom),
        "PyTorch",
    ),
    ("RuntimeError: CUDA error: out of memory", "gpu-oom", Some(GpuOom), "CUDA"),
    ("Warp CUDA error 2: out of memory (in function wp_alloc_device_async)", "gpu-oom", Some(GpuOom), "CUDA"),
    ("RuntimeError: Failed to allocate 1073741824 bytes on device 'cuda:0'", "gpu-oom", Some(GpuOom), "Warp"),
    (
        "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4770354232 bytes.",
        "gpu-oom",
        Some(GpuOom),
        "JAX",
    ),
    (
        "PxgCudaDeviceMemoryAllocator fail to allocate memory 100663296 bytes!! Result = 2",
        "gpu-oom",
        Some(GpuOom),
        "PhysX",
    ),
    (
        "PxgCudaDeviceMemoryAllocator failed to allocate memory 67108864 bytes! Result = 2",
        "gpu-oom",
        Some(GpuOom),
        "PhysX",
    ),
    (
        "PxgCudaDeviceMemoryAllocator failed to allocate memory 67108864 bytes! Result = 700",
        "cuda-fault",
        None,
        "PhysX",
    ),
    (
        "[Error] [carb.graphics-vulkan.plugin] VkResult: ERROR_OUT_OF_DEVICE_MEMORY",
        "gpu-oom",
        Some(GpuOom),
        "Vulkan",
    ),
    (
        "ValueError: Free memory on device (5.1/23.7 GiB) on startup is less than desired GPU memory utilization (0.9",
        "gpu-oom",
        Some(GpuOom),
        "vLLM",
    ),
    (
        "slurmstepd: error: Detected 2 oom_kill events in StepId=1.13. Some of the step tasks have been OOM Killed.",
        "host-oom",
        Some(HostOom),
        "",
    ),
    ("srun: error: node1: task 0: Out Of Memory", "host-oom", Some(HostOom), ""),
    ("RuntimeError: DataLoader worker (pid 77) is killed by signal: Killed.", "host-oom", Some(HostOom), ""),
    ("Memory cgroup out of memory: Killed process 4242 (python) total-vm:1kB", "host-oom", Some(HostOom), ""),
    (
        "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 15.3 GiB for an array with shape (1,)",
        "host-oom",
        Some(HostOom),
        "",
    ),
    ("terminate called after throwing an instance of 'std::bad_alloc'", "host-oom", Some(HostOom), ""),
    ("MemoryError", "host-oom", Some(HostOom), ""),
    ("[gpu.foundation.plugin] VkResult: ERROR_DEVICE_LOST", "gpu-lost", None, ""),
    (
        "CUDA error: an illegal memory access was encountered: DirectGpuHelper.cpp: 383",
        "cuda-fault",
        None,
        "",
    ),
    ("RuntimeError: CUDA error: device-side assert triggered", "cuda-fault", None, ""),
    (
        "WARNING: Nan, Inf or huge value in QACC at DOF 0. The simulation is unstable. Time = 0.5.",
        "nan",
        None,
        "MuJoCo",
    ),
    (
        "ValueError: Expected parameter loc (Tensor of shape (4096, 12)) of distribution Normal to satisfy the constraint Real()",
        "nan",
        None,
        "policy",
    ),
    ("./run.sh: line 4: conda: command not found", "conda-not-activated", None, "conda"),
    ("./run.sh: line 9: mpstat: command not found", "command-not-found", None, "mpstat"),
    (
        "ImportError: libGLU.so.1: cannot open shared object file: No such file or directory",
        "missing-library",
        None,
        "libGLU.so.1",
    ),
    ("ModuleNotFoundError: No module named 'robosuite'", "missing-library", None, "robosuite"),
    ("OSError: [Errno 28] No space left on device: 'results.json'", "disk-full", None, ""),
    ("OSError: [Errno 98] Address already in use", "address-in-use", None, ""),
    ("bind on address ('0.0.0.0', 8000): address already in use", "address-in-use", None, "8000"),
    ("EOFError: EOF when reading a line", "prompt", None, ""),
    ("Fatal Python error: Segmentation fault", "signal", Some(Signal), ""),
    ("Segmentation fault (core dumped)", "signal", Some(Signal), ""),
    ("/a/command.sh: line 3:  4242 Killed                  python eval.py", "signal", Some(Signal), ""),
];

fn read(log: &str) -> LogSummary {
    let mut reader = LogReader::new(Arc::new(LogRules::preset("auto").unwrap()));
    let mut marks = Vec::new();
    reader.feed(log.as_bytes(), &mut marks);
    reader.finish(&mut marks);
    reader.reading().clone()
}

#[test]
fn trouble_is_known_by_exact_patterns() {
    for (line, kind, reason, part) in TROUBLE {
        let reading = read(line);
        let alert = reading.alerts.first().unwrap_or_else(|| panic!("nothing seen in {line}"));
        assert_eq!((reading.alerts.len(), alert.kind.as_str()), (1, kind), "{line}");
        assert_eq!(reading.cause.and_then(|cause| cause.reason), reason, "{line}");
        let parts: Vec<&str> = alert.parts.keys().map(String::as_str).collect();
        assert_eq!(parts.join(" "), part, "{line}");
    }
}

#[test]
fn trouble_is_told_in_the_words_of_many_programs() {
    let reason = |reading: &LogSummary| {
        let reason = reading.cause.as_ref().and_then(|cause| cause.reason);
        reason.map_or("-", FailureReason::as_str)
    };
    let mut lines = 0;
    for row in include_str!("trouble_lines.txt").lines() {
        let [kind, expected, line] =
            row.splitn(3, '\t').collect::<Vec<_>>().try_into().expect("a class, a reason and a line");
        for prefix in ["", "[rank0]: ", "(Worker pid=12) ", "eval-1  | "] {
            let reading = read(&format!("{prefix}{line}\n"));
            let kinds: Vec<&str> = reading.alerts.iter().map(|alert| alert.kind.as_str()).collect();
            assert_eq!((kinds.as_slice(), reason(&reading)), ([kind].as_slice(), expected), "{prefix}{line}");
        }
        lines += 1;
    }
    assert!(lines > 100, "{lines}");
}

#[test]
fn words_of_trouble_alone_are_none() {
    let mut lines = 0;
    for line in include_str!("harmless_lines.txt").lines() {
        let reading = read(&format!("{line}\n"));
        assert_eq!((&*reading.alerts, &reading.cause), ([].as_slice(), &None), "{line}");
        lines += 1;
    }
    assert!(lines > 150, "{lines}");
}

#[test]
fn why_a_process_was_killed_says_more_than_that_it_was() {
    let killed = "/spool/slurm_script: line 28:  8156 Killed                  python3 eval.py\n";
    let reading =
        read(&format!("{killed}slurmstepd: error: Detected 1 oom-kill event(s) in StepId=191.batch\n"));
    assert_eq!(reading.cause.unwrap().reason, Some(HostOom));
    assert_eq!(read(killed).cause.unwrap().reason, Some(Signal));
}

#[test]
fn the_first_trouble_is_the_cause_of_those_that_follow() {
    let cause = |log: &str| read(log).cause.unwrap();
    let fault = "CUDA error: an illegal memory access was encountered\nCUBLAS_STATUS_ALLOC_FAILED\n";
    assert_eq!((cause(fault).kind, cause(fault).reason), ("cuda-fault", None));
    let memory = "VkResult: ERROR_OUT_OF_DEVICE_MEMORY\nA GPU crash occurred. Exiting the application...\n";
    assert_eq!((cause(memory).kind, cause(memory).proof.line), ("gpu-oom", 1));
    let later =
        "ModuleNotFoundError: No module named 'x'\ntorch.OutOfMemoryError: CUDA out of memory. Tried\n";
    assert_eq!((cause(later).kind, cause(later).proof.line), ("gpu-oom", 2));
}

#[test]
fn an_import_that_failed_is_outlived_with_its_exception() {
    let thrown = "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n    import numpy\n\
                  ModuleNotFoundError: No module named 'numpy'\n";
    let ends = |log: &str| ScanVerdict::of(&read(log)).as_str() == "failed";
    assert!(ends(thrown));
    assert!(ends(&format!("{thrown}{}", "closing\n".repeat(20))));
    assert!(!ends(&format!("{thrown}{}", "at work\n".repeat(80))));
}

#[test]
fn what_is_often_harmless_keeps_no_trouble_alive() {
    let crashed =
        "*** Aborted at 1594036116 (unix time) try \"date -d @1594036116\" if you are using GNU date ***\n";
    let goes_on =
        "WARNING:root:NaN or Inf found in input tensor.\n| PPO_00000 | RUNNING | 10.0.0.21:47861 |\n";
    let log = format!("{crashed}{}", goes_on.repeat(400));
    assert!(read(&log).ending_cause().is_some());
    let log = format!("{crashed}{}", goes_on.repeat(600));
    assert!(read(&log).ending_cause().is_none());
}

#[test]
fn a_program_that_goes_on_for_long_has_outlived_its_trouble() {
    let oom = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n";
    let cause = |log: &str| read(log).ending_cause().map(|cause| (cause.kind, cause.proof.line));
    let work = |lines| "at work\n".repeat(lines);
    assert_eq!(cause(&format!("{oom}{}", work(900))), Some(("gpu-oom", 1)));
    assert_eq!(cause(&format!("{oom}{}", work(1100))), None);
    assert_eq!(cause(&format!("{oom}{}{oom}{}", work(900), work(900))), Some(("gpu-oom", 1)));
    assert_eq!(cause(&format!("{oom}{}{oom}", work(1100))), Some(("gpu-oom", 1102)));
    assert_eq!(cause(&format!("{oom}{}Segmentation fault\n", work(1100))), Some(("signal", 1102)));
}

#[test]
fn what_its_logger_calls_no_error_is_told_and_ends_nothing() {
    let line = "WARNING Address already in use - port 6006 is taken, using 6007";
    let reading = read(&format!("{line}\n"));
    assert_eq!((reading.alerts.len(), reading.cause), (1, None));
    let thrown = "Traceback (most recent call last):\n  File \"e.py\", line 3, in f\nOSError: [Errno 98] Address already in use\n";
    assert!(read(thrown).cause.is_some());
}
