//! A second descriptor for one that another library owns.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

/// Duplicates a descriptor given by number; the copy is closed on exec and belongs to the caller.
pub fn duplicate(descriptor: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: fcntl takes any number; one that is not open gives EBADF and no descriptor.
    #[expect(unsafe_code, reason = "libraries that give a number only leave no safe way to copy it")]
    let copy = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor for us and no other code knows it.
    #[expect(unsafe_code, reason = "a number from the kernel becomes an owned descriptor here")]
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// Marks all descriptors but the standard ones to be closed on exec. Our own are anyway; this is for those that were
/// inherited unaware, and that a pipe's reader, for example, waits for. Safe between fork and exec.
pub(super) fn close_on_exec() {
    const FIRST: u32 = 3;
    // SAFETY: this sets a flag on descriptors and closes none.
    #[expect(unsafe_code, reason = "neither the standard library nor rustix has close_range")]
    let done = unsafe { libc::syscall(libc::SYS_close_range, FIRST, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if done == 0 {
        return;
    }
    // Before Linux 5.11. Inherited descriptors have small numbers.
    for descriptor in 3..1024 {
        // SAFETY: a number that is not open gives EBADF.
        #[expect(unsafe_code, reason = "the descriptors are known by number only")]
        unsafe {
            libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
}
