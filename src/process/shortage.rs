//! Refusals of the kernel that pass: what it had too little of, read from an error and its causes.

use std::error::Error;
use std::io;

use crate::model::shortage::StartShortage;

/// Returns the resource that the machine lacked, if that is what the error comes from.
pub fn find_shortage(error: &(dyn Error + 'static)) -> Option<StartShortage> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(lack) = error.downcast_ref::<io::Error>().and_then(of_io) {
            return Some(lack);
        }
        cause = error.source();
    }
    None
}

/// The same of the refusal itself.
pub fn of_io(error: &io::Error) -> Option<StartShortage> {
    match error.raw_os_error()? {
        libc::EAGAIN => Some(StartShortage::Processes),
        libc::EMFILE | libc::ENFILE => Some(StartShortage::Files),
        libc::ENOMEM => Some(StartShortage::Memory),
        _other => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::error::ProcessError;

    #[test]
    fn a_shortage_is_found_behind_the_error_that_tells_of_it() {
        let fork = |errno| ProcessError::refused("fork")(io::Error::from_raw_os_error(errno));
        assert_eq!(find_shortage(&fork(libc::EAGAIN)), Some(StartShortage::Processes));
        assert_eq!(find_shortage(&fork(libc::EMFILE)), Some(StartShortage::Files));
        assert_eq!(find_shortage(&fork(libc::EPERM)), None);
        assert_eq!(find_shortage(&ProcessError::Gone { pid: 1 }), None);
    }
}
