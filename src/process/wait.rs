//! Waiting for children with the status word and the usage that the kernel keeps for them.

use std::io;
use std::mem::MaybeUninit;

use crate::model::attempt::Usage;
use crate::model::outcome::ExitStatus;
use crate::model::units::Bytes;

/// Result of waiting without blocking.
#[derive(Debug, Clone, PartialEq)]
pub enum ChildWaitResult {
    /// A child, or an orphan that was given to this subreaper, has ended.
    Ended {
        /// Number of the ended process.
        pid: u32,
        /// Exit status or signal of its end.
        status: ExitStatus,
        /// Resources used by it and the children it had waited for.
        usage: Usage,
    },
    /// There are children and all of them live.
    NoneEnded,
    /// There are no children: of a subreaper, no descendants at all.
    NoChildren,
}

/// Takes one ended child, whichever.
pub fn any_child() -> ChildWaitResult {
    loop {
        let mut status = 0;
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: both pointers are to live memory of the right types.
        #[expect(unsafe_code, reason = "only wait4 gives the undecoded status and the usage in one call")]
        let pid = unsafe { libc::wait4(-1, &raw mut status, libc::WNOHANG, usage.as_mut_ptr()) };
        match u32::try_from(pid) {
            Ok(0) => return ChildWaitResult::NoneEnded,
            Ok(pid) => {
                // SAFETY: it was zeroed, which is a valid rusage, and wait4 has filled it.
                #[expect(unsafe_code, reason = "wait4 writes through a pointer")]
                let usage = unsafe { usage.assume_init() };
                return ChildWaitResult::Ended {
                    pid,
                    status: ExitStatus { raw: status },
                    usage: convert_usage(&usage),
                };
            }
            Err(_) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return ChildWaitResult::NoChildren,
        }
    }
}

fn convert_usage(usage: &libc::rusage) -> Usage {
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    Usage {
        user_s: seconds(usage.ru_utime),
        system_s: seconds(usage.ru_stime),
        // Linux counts it in KiB.
        max_rss: Bytes(u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024),
    }
}
