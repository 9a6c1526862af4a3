//! Ends that a program does not choose: time limits of clusters, signals, and the tracebacks of other languages.

use crate::model::outcome::FailureReason;
use crate::progress::trouble::alerts::AlertMeaning;
use crate::progress::trouble::alerts::ErrorPattern;
use crate::progress::trouble::alerts::LineCondition;
use crate::progress::trouble::job_status::{glued_to_line, job_status, terminated_program};
use crate::progress::trouble::parts::{caught_signal, failed_trials, keyboard_interrupt};

const SIGNALLED: AlertMeaning = AlertMeaning::Fails(FailureReason::Signal);
const CANCELLED: AlertMeaning = AlertMeaning::Fails(FailureReason::Cancelled);
const TIMED_OUT: AlertMeaning = AlertMeaning::Fails(FailureReason::Timeout);
const STOPPED: AlertMeaning = AlertMeaning::Stops;
const STALLED: AlertMeaning = AlertMeaning::Fails(FailureReason::Stalled);

/// Ends that a program does not choose.
pub const ENDS: &[ErrorPattern] = &[
    // What the scheduler of a cluster ended.
    ErrorPattern::new("timeout", " DUE TO TIME LIMIT", TIMED_OUT),
    ErrorPattern::new("timeout", "TERM_RUNLIMIT: job killed", TIMED_OUT),
    ErrorPattern::new("timeout", "PBS: job killed: walltime", TIMED_OUT),
    ErrorPattern::new("timeout", "Job not requeued because: timed-out", TIMED_OUT),
    ErrorPattern::new("cancelled", " DUE TO PREEMPTION", CANCELLED),
    ErrorPattern::new("cancelled", " DUE TO NODE FAILURE", CANCELLED),
    // Also of a step alone: where something failed in it, that comes before, and is why.
    ErrorPattern::new("cancelled", " CANCELLED AT ", CANCELLED).given(LineCondition::With("*** JOB ")),
    ErrorPattern::new("cancelled", " CANCELLED AT ", CANCELLED).given(LineCondition::With("*** STEP ")),
    ErrorPattern::new("cancelled", "srun: Job step aborted: ", AlertMeaning::Explains),
    ErrorPattern::new("cancelled", "srun: Force Terminated ", AlertMeaning::Explains),
    ErrorPattern::new("cancelled", "PBS: job killed: ", CANCELLED)
        .given(LineCondition::WithoutAny(&["walltime", "mem "])),
    ErrorPattern::new("cancelled", "TERM_FORCE_OWNER: job killed", CANCELLED),
    ErrorPattern::new("cancelled", "TERM_FORCE_ADMIN: job killed", CANCELLED),
    ErrorPattern::new("cancelled", "TERM_LOAD: job killed", CANCELLED),
    ErrorPattern::new("timeout", "TERM_CPULIMIT: job killed", TIMED_OUT),
    // Slurm's report behind the output of a job.
    ErrorPattern::new("timeout", "State: TIMEOUT (exit code ", TIMED_OUT),
    ErrorPattern::new("cancelled", "State: CANCELLED (exit code ", CANCELLED),
    ErrorPattern::new("cancelled", "State: NODE_FAIL (exit code ", CANCELLED),
    ErrorPattern::new("cancelled", "State: PREEMPTED (exit code ", CANCELLED),
    failed("State: FAILED (exit code "),
    // PyTorch ends a process whose peers do not answer.
    ErrorPattern::new("nccl-timeout", "Watchdog caught collective operation timeout: ", STALLED),
    ErrorPattern::new("nccl-timeout", "we are taking the entire process down.", STALLED),
    ErrorPattern::new("nccl-timeout", "Heartbeat monitor timed out! Process will be terminated", STALLED),
    ErrorPattern::new("cancelled", "TERM_PREEMPT: job killed", CANCELLED),
    // What a user ended by Ctrl-C, where the program says so in its own words.
    ErrorPattern::new("cancelled", "nterrupted by user", CANCELLED),
    ErrorPattern::new("cancelled", "nterrupted by the user", CANCELLED),
    ErrorPattern::new("cancelled", "raining interrupted.", CANCELLED),
    ErrorPattern::new("cancelled", "raining interrupted at ", CANCELLED),
    ErrorPattern::new("cancelled", "valuation interrupted at ", CANCELLED),
    ErrorPattern::new("cancelled", "earning was interrupted.", CANCELLED),
    ErrorPattern::new("cancelled", "Keyboard Interrupt.", CANCELLED)
        .given(LineCondition::Reads(keyboard_interrupt)),
    ErrorPattern::new("cancelled", "worker: keyboard interrupt", CANCELLED),
    ErrorPattern::new("cancelled", "eyboard interruption", CANCELLED),
    ErrorPattern::new("cancelled", "eyboard interrupt detected in the event loop", CANCELLED),
    ErrorPattern::new("cancelled", "被用户中断", CANCELLED),
    ErrorPattern::new("cancelled", "用户手动中断", CANCELLED),
    ErrorPattern::new("cancelled", "received SIGINT, exiting", CANCELLED),
    ErrorPattern::new("cancelled", "TERM_OWNER: job killed by owner", CANCELLED),
    ErrorPattern::new("cancelled", "TERM_ADMIN: job killed", CANCELLED),
    // A launcher of PyTorch that was told to end: by Ctrl-C, a scheduler or a terminal that was closed.
    ErrorPattern::new("cancelled", " death signal, shutting down workers", CANCELLED),
    ErrorPattern::new("worker-died", "ActorDiedError: ", AlertMeaning::Explains).given(LineCondition::Thrown),
    // Ray tries the task again, or the program that waits for it fails.
    ErrorPattern::new(
        "worker-died",
        "A worker died or was killed while executing a task by an unexpected",
        SIGNALLED,
    ),
    // The table of Ray Tune once no trial is left, those that ended by an exception among them.
    failed("Number of trials: ").given(LineCondition::Reads(failed_trials)),
    // vla-eval's own watchdog, which ends it with exit code 124.
    ErrorPattern::new("stalled", "Progress watchdog: no progress for", STALLED),
    // What refused its command line, and what only confirms that something failed.
    failed("There was an error running python"),
    failed("error: unrecognized arguments: "),
    failed("error: argument -"),
    failed("error: the following arguments are required: "),
    failed(".py: error: "),
    failed("--help' for help."),
    failed("FATAL Flags parsing error: "),
    failed("Parsing error ─"),
    failed("Required options ─"),
    failed("Unrecognized options ─"),
    failed("Could not override '"),
    // What could not be installed, built or begun.
    failed("ResolvePackageNotFound:"),
    failed("PackagesNotFoundError:"),
    failed("UnsatisfiableError:"),
    failed("ERROR: No matching distribution found for "),
    failed("-- Configuring incomplete, errors occurred!"),
    failed("ninja: build stopped: "),
    failed("sbatch: error: Batch job submission failed"),
    failed("srun: error: Unable to allocate resources").given(LineCondition::Without("already complet")),
    failed("ssh: connect to host "),
    failed(": Permission denied").given(LineCondition::With("bash: ")),
    failed(": Permission denied").given(LineCondition::With(": line ")),
    // Xlib ends the program behind such an error.
    failed("X Error of failed request:").given(LineCondition::Without("BadWindow")),
    // A shell script that ends where a variable is not set.
    failed(": parameter null or not set").given(LineCondition::With(": line ")),
    failed(": unbound variable").given(LineCondition::With(": line ")),
    failed("python: can't open file '"),
    failed("python3: can't open file '"),
    failed("python.exe: can't open file '"),
    // Bench2Drive, when the simulator or the agent did not come up again.
    failed("], please restart").given(LineCondition::With(" crash, [")),
    // What hydra shows of the exception that ended the program.
    failed("Error in call to target '"),
    failed("Set the environment variable HYDRA_FULL_ERROR=1"),
    failed("elastic.multiprocessing.errors.ChildFailedError:"),
    failed("Root Cause (first observed failure):"),
    ErrorPattern::new("exit-code", " failed (exitcode: ", AlertMeaning::Fails(FailureReason::ExitCode))
        .given(LineCondition::With("local_rank: ")),
    ErrorPattern::new("exit-code", ":failed (exitcode: ", AlertMeaning::Fails(FailureReason::ExitCode))
        .given(LineCondition::With("local_rank: ")),
    // Python could not even print the exception that ended it.
    failed("Error in sys.excepthook:"),
    // LSF, in the report behind the output of a job.
    ErrorPattern::new("exit-code", "Exited with exit code ", AlertMeaning::Fails(FailureReason::ExitCode))
        .given(LineCondition::AtStart),
    // What ended by a signal, in the words of the shell, of the C library and of the runtimes.
    signal("Fatal Python error: "),
    // Windows reports exceptions that a program handles, too.
    ErrorPattern::new("signal", "Windows fatal exception: ", AlertMeaning::Tells),
    signal("terminate called after throwing an instance of"),
    signal("terminate called without an active exception"),
    signal("libc++abi: terminating"),
    ErrorPattern::new("cancelled", "is killed by signal: Terminated", CANCELLED),
    signal("is killed by signal: ").given(LineCondition::Without("Terminated")),
    signal(" received by PID "),
    signal(" received at time="),
    ErrorPattern::new("signal", "*** Aborted at ", SIGNALLED).given(LineCondition::With("unix time")),
    ErrorPattern::new("signal", "Assertion `", SIGNALLED).given(LineCondition::With("' failed.")),
    ErrorPattern::new("signal", "double free or corruption", SIGNALLED).given(LineCondition::AtStart),
    ErrorPattern::new("signal", "free(): ", SIGNALLED).given(LineCondition::AtStart),
    ErrorPattern::new("signal", "malloc(): ", SIGNALLED).given(LineCondition::AtStart),
    ErrorPattern::new("signal", "munmap_chunk(): ", SIGNALLED).given(LineCondition::AtStart),
    ErrorPattern::new("signal", "corrupted size vs. prev_size", SIGNALLED).given(LineCondition::AtStart),
    ErrorPattern::new("signal", "corrupted double-linked list", SIGNALLED).given(LineCondition::AtStart),
    signal("*** stack smashing detected ***"),
    signal("Segmentation fault (core dumped)"),
    signal("Aborted (core dumped)"),
    signal("Bus error (core dumped)"),
    signal_alone("Segmentation fault"),
    signal_alone("Illegal instruction"),
    signal_alone("Floating point exception"),
    signal_alone("Trace/breakpoint trap"),
    signal_alone("Aborted"),
    signal_alone("Killed"),
    // Behind a line that was not ended: `Loss: 0.31Killed`.
    ErrorPattern::new("signal", "Killed", SIGNALLED).given(LineCondition::Reads(glued_to_line)),
    // The same of shells in other languages.
    signal_alone("已杀死"),
    signal_alone("段错误"),
    signal_alone("已放弃"),
    signal_alone("Getötet"),
    signal_alone("Abgebrochen"),
    signal_alone("Speicherzugriffsfehler"),
    signal_alone("Processus arrêté"),
    signal_alone("Erreur de segmentation"),
    // The same of shells on macOS.
    signal_alone("Segmentation fault: 11"),
    signal_alone("Killed: 9"),
    signal_alone("Abort trap: 6"),
    signal_alone("Bus error: 10"),
    signal_alone("Illegal instruction: 4"),
    // Jobs of bash and of zsh.
    ErrorPattern::new("signal", "]+  ", SIGNALLED).given(LineCondition::Reads(job_status)),
    ErrorPattern::new("signal", "]-  ", SIGNALLED).given(LineCondition::Reads(job_status)),
    ErrorPattern::new("signal", "segmentation fault ", SIGNALLED).given(LineCondition::Reads(job_status)),
    ErrorPattern::new("signal", "killed     ", SIGNALLED).given(LineCondition::Reads(job_status)),
    ErrorPattern::new("signal", "abort      ", SIGNALLED).given(LineCondition::Reads(job_status)),
    ErrorPattern::new("signal", "bus error  ", SIGNALLED).given(LineCondition::Reads(job_status)),
    ErrorPattern::new("signal", "illegal hardware instruction ", SIGNALLED)
        .given(LineCondition::Reads(job_status)),
    ErrorPattern::new("signal", "trace trap ", SIGNALLED).given(LineCondition::Reads(job_status)),
    // GNU time, and the console of PyCharm.
    ErrorPattern::new("signal", "Command terminated by signal ", SIGNALLED).given(LineCondition::AtStart),
    ErrorPattern::new(
        "exit-code",
        "Command exited with non-zero status ",
        AlertMeaning::Fails(FailureReason::ExitCode),
    )
    .given(LineCondition::AtStart),
    // The parenthesis may be that of Chinese.
    ErrorPattern::new("cancelled", "interrupted by signal 2: SIGINT", CANCELLED),
    ErrorPattern::new("cancelled", "interrupted by signal 15: SIGTERM", CANCELLED),
    ErrorPattern::new("signal", "interrupted by signal ", SIGNALLED)
        .given(LineCondition::With("Process finished with exit code 1")),
    ErrorPattern::new("cancelled", "interrupted by Ctrl+C)", CANCELLED)
        .given(LineCondition::With("Process finished with exit code ")),
    ErrorPattern::new("signal", "Process finished with exit code -10737", SIGNALLED)
        .given(LineCondition::Without("Ctrl+C")),
    ErrorPattern::new("signal", "行 ", SIGNALLED).given(LineCondition::Reads(job_status)),
    ErrorPattern::new("signal", ": Zeile ", SIGNALLED).given(LineCondition::Reads(job_status)),
    ErrorPattern::new("signal", " : ligne ", SIGNALLED).given(LineCondition::Reads(job_status)),
    ErrorPattern::new("signal", ": line ", SIGNALLED).given(LineCondition::Reads(job_status)),
    ErrorPattern::new("signal", ": line ", STOPPED).given(LineCondition::Reads(terminated_program)),
    ErrorPattern::new("signal", "Terminated", STOPPED).given(LineCondition::Alone),
    ErrorPattern::new("signal", "User defined signal ", STOPPED).given(LineCondition::AtStart),
    // What caught it itself, and saves its work.
    ErrorPattern::new("signal", "SIGTERM", STOPPED).given(LineCondition::Reads(caught_signal)),
    ErrorPattern::new("signal", "SIGINT", STOPPED).given(LineCondition::Reads(caught_signal)),
    ErrorPattern::new("signal", "SIGHUP", STOPPED).given(LineCondition::Reads(caught_signal)),
    ErrorPattern::new("signal", "SIGUSR", STOPPED).given(LineCondition::Reads(caught_signal)),
    ErrorPattern::new("signal", "ignal ", STOPPED).given(LineCondition::Reads(caught_signal)),
    ErrorPattern::new("signal", "nterrupt received", STOPPED),
    ErrorPattern::new("signal", "nterrupt detected", STOPPED),
    ErrorPattern::new("signal", "ermination signal received", STOPPED),
    ErrorPattern::new("signal", "andler called with signal ", STOPPED),
    ErrorPattern::new("signal", "top requested by user", STOPPED),
    ErrorPattern::new("signal", "timeout: sending signal ", STOPPED).given(LineCondition::AtStart),
    ErrorPattern::new("signal", "srun: error: ", SIGNALLED).given(LineCondition::Reads(job_status)),
    ErrorPattern::new("exit-code", ": Exited with exit code ", AlertMeaning::Fails(FailureReason::ExitCode))
        .given(LineCondition::With(": task")),
    ErrorPattern::new("signal", "Error: signal ", SIGNALLED).given(LineCondition::AtStart),
    ErrorPattern::new("signal", "Crash detected in pid", SIGNALLED)
        .given(LineCondition::With("[carb.crashreporter")),
    ErrorPattern::new("signal", "[crash] A crash has occurred", SIGNALLED)
        .given(LineCondition::With("[carb.crashreporter")),
    // Evaluators of policies that count such an episode as a failure and go on.
    ErrorPattern::new("exception", "Caught exception: ", AlertMeaning::Tells),
    ErrorPattern::new("exception", "Episode error: ", AlertMeaning::Tells),
    // robomimic says so and exits with 0.
    ErrorPattern::new("exception", "run failed with error:", AlertMeaning::Fails(FailureReason::Exception))
        .given(LineCondition::AtStart),
    // The other languages' tracebacks.
    ErrorPattern::new("traceback", "thread 'main' panicked at ", AlertMeaning::Explains),
    // Newer versions of Rust give the number of the thread too.
    ErrorPattern::new("traceback", "thread 'main' (", AlertMeaning::Explains)
        .given(LineCondition::With(") panicked at ")),
    signal("thread caused non-unwinding panic. aborting."),
    ErrorPattern::new("traceback", "goroutine 1 [running]:", AlertMeaning::Explains),
    ErrorPattern::new("traceback", "Exception in thread \"main\" ", AlertMeaning::Explains),
];

const fn signal(text: &'static str) -> ErrorPattern {
    ErrorPattern::new("signal", text, SIGNALLED)
}

/// A word of the shell, with nothing else on its line.
const fn signal_alone(text: &'static str) -> ErrorPattern {
    signal(text).given(LineCondition::Alone)
}

const fn failed(text: &'static str) -> ErrorPattern {
    ErrorPattern::new("exit-code", text, AlertMeaning::Fails(FailureReason::ExitCode))
}
