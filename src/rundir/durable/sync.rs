//! The one place that asks the disk to keep something.

use std::fs::File;
use std::io;

#[cfg(test)]
use super::power_loss;

/// Makes the content of a file survive.
pub(in crate::rundir) fn sync_file(file: &File) -> io::Result<()> {
    #[cfg(test)]
    if power_loss::observe(file)? {
        return Ok(());
    }
    file.sync_data()
}

/// Makes the names in a folder survive, where the file system has a call for that.
pub(in crate::rundir) fn sync_names(folder: &File) -> io::Result<()> {
    #[cfg(test)]
    if power_loss::observe(folder)? {
        return Ok(());
    }
    match folder.sync_all() {
        Err(error) if !matches!(error.raw_os_error(), Some(libc::EIO | libc::ENOSPC | libc::EDQUOT)) => {
            Ok(())
        }
        synced => synced,
    }
}
