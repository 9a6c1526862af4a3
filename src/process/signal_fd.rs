//! Signals as a descriptor to poll, and the signals that a process of ours must not die of.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};

use super::error::ProcessError;

/// Readable when a child has ended, stopped or gone on.
#[derive(Debug)]
pub struct ChildSignal(OwnedFd);

impl ChildSignal {
    /// Blocks SIGCHLD for this process and opens a descriptor for it.
    pub fn open() -> Result<Self, ProcessError> {
        let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: the set is live memory that sigemptyset initialises; -1 asks for a new descriptor.
        #[expect(unsafe_code, reason = "neither the standard library nor rustix has signalfd")]
        let descriptor = unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
            libc::sigprocmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
            libc::signalfd(-1, set.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
        };
        if descriptor < 0 {
            return Err(ProcessError::refused("open a signalfd")(io::Error::last_os_error()));
        }
        // SAFETY: the kernel has just made this descriptor for us.
        #[expect(unsafe_code, reason = "a number from the kernel becomes an owned descriptor here")]
        Ok(Self(unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }

    /// Takes what is waiting, so that the descriptor is not readable any more.
    pub fn clear(&self) {
        // One SIGCHLD may mean any number of children, so at most one record waits.
        let mut record = [0; size_of::<libc::signalfd_siginfo>()];
        let _ = rustix::io::read(&self.0, &mut record);
    }
}

impl AsFd for ChildSignal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Signals that a terminal, a limit or a careless `kill` sends and that would end or stop a process by default.
const ENDINGS: [i32; 15] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
    libc::SIGXCPU,
    libc::SIGXFSZ,
    libc::SIGVTALRM,
    libc::SIGPROF,
];

/// From here on only SIGKILL ends this process from outside.
pub fn ignore_endings() {
    for signal in ENDINGS {
        // SAFETY: no handler is installed, so no code of ours runs in a signal.
        #[expect(unsafe_code, reason = "the standard library cannot change dispositions")]
        unsafe {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
}

/// Sets every signal to its default and blocks none: what a program expects to find at its start.
pub(super) fn reset_all() {
    // All zeroes are the default without flags, restorer and mask, in the layout of the kernel.
    const DEFAULT: [u64; 4] = [0; 4];
    const SET_SIZE: usize = 8;
    for signal in 1..=libc::SIGRTMAX() {
        // SAFETY: the kernel reads one structure that is no longer than this and writes nothing. SIGKILL and SIGSTOP
        // give EINVAL. The C library would refuse the two numbers it uses itself, which may be inherited as ignored.
        #[expect(unsafe_code, reason = "the standard library cannot change dispositions")]
        unsafe {
            libc::syscall(
                libc::SYS_rt_sigaction,
                signal,
                DEFAULT.as_ptr(),
                std::ptr::null::<u64>(),
                SET_SIZE,
            );
        }
    }
    let mut none = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: the set is live memory that sigemptyset initialises.
    #[expect(unsafe_code, reason = "the standard library cannot change the signal mask")]
    unsafe {
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut());
    }
}
