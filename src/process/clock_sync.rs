//! Whether the kernel holds the wall clock for synchronised.

/// Returns `None` where the kernel does not say, as in some containers.
#[expect(unsafe_code, reason = "no wrapper of this call exists")]
pub fn is_synchronised() -> Option<bool> {
    // SAFETY: all fields of `timex` are numbers, for which zeros are valid.
    let mut timex: libc::timex = unsafe { std::mem::zeroed() };
    // SAFETY: `modes` is 0, so that the kernel only writes the structure that it is given, which outlives the call.
    match unsafe { libc::adjtimex(&raw mut timex) } {
        -1 => None,
        libc::TIME_ERROR => Some(false),
        _state => Some(timex.status & libc::STA_UNSYNC == 0),
    }
}
