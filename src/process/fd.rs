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
    // SAFETY: the kernel has just made this descriptor for us and nobody else knows it.
    #[expect(unsafe_code, reason = "a number from the kernel becomes an owned descriptor here")]
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}
