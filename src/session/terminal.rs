//! The holder's side of the pseudo-terminal: never blocking in either direction.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;

use portable_pty::{PtySize, native_pty_system};
use rustix::buffer::spare_capacity;
use rustix::io::Errno;
use rustix::termios::{Winsize, tcgetpgrp, tcsetwinsize};

use super::error::SessionError;
use crate::model::attempt::TerminalSize;
use crate::model::shortage::StartShortage;
use crate::process::{fd, shortage};

/// Typed bytes that a program does not take are kept up to here and dropped after, as a terminal does.
const MAX_INPUT: usize = 64 * 1024;

/// The master side of a pseudo-terminal.
#[derive(Debug)]
pub struct Terminal {
    master: TerminalReader,
    /// Typed and not taken yet.
    input: Vec<u8>,
}

/// The master side, to read from only.
#[derive(Debug, Clone)]
pub struct TerminalReader(Arc<OwnedFd>);

/// The slave side, for the child, and its name.
#[derive(Debug)]
pub struct Slave {
    /// Open descriptor of the slave side.
    pub descriptor: OwnedFd,
    /// Path of the device, e.g. `/dev/pts/3`.
    pub name: String,
}

/// Result of reading from the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalRead {
    /// Some bytes; there may be more.
    Some,
    /// There is nothing to read now.
    Nothing,
    /// No process has the terminal open.
    HungUp,
}

impl Terminal {
    /// Opens a new pseudo-terminal.
    pub fn open(size: TerminalSize) -> Result<(Self, Slave), SessionError> {
        let failed = |problem: String| {
            let lack = lack_of(&problem);
            SessionError::Terminal { problem, lack }
        };
        let size = PtySize { rows: size.rows, cols: size.columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).map_err(|error| failed(error.to_string()))?;
        let unnamed = || failed("it has no name".to_owned());
        let name = pair.master.tty_name().ok_or_else(unnamed)?;
        // The library's own writer types a line feed and an end-of-file when it is dropped, so it is never taken.
        let master = pair.master.as_raw_fd().ok_or_else(unnamed)?;
        let master = fd::duplicate(master).map_err(|error| failed(error.to_string()))?;
        rustix::io::ioctl_fionbio(&master, true).map_err(|error| failed(error.to_string()))?;
        let slave = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NOCTTY)
            .open(&name)
            .map_err(|error| failed(format!("{}: {error}", name.display())))?;
        let slave = Slave { descriptor: slave.into(), name: name.to_string_lossy().into_owned() };
        let master = TerminalReader(Arc::new(master));
        Ok((Self { master, input: Vec::new() }, slave))
    }

    /// Returns the part of it that may be read by another thread.
    pub fn reader(&self) -> TerminalReader {
        self.master.clone()
    }

    /// Appends what the programs have written, as far as the buffer has room.
    pub fn read(&self, buffer: &mut Vec<u8>) -> TerminalRead {
        self.master.read(buffer)
    }

    /// Types bytes; what the programs do not take now is typed later.
    pub fn write(&mut self, bytes: &[u8]) {
        let room = MAX_INPUT.saturating_sub(self.input.len());
        self.input.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.flush();
    }

    /// Types as much of the waiting input as fits.
    pub fn flush(&mut self) {
        while !self.input.is_empty() {
            match rustix::io::write(&self.master, &self.input) {
                Ok(written) => drop(self.input.drain(..written)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // No process is there to type to.
                Err(_) => self.input.clear(),
            }
        }
    }

    /// Something waits to be typed.
    pub fn has_input(&self) -> bool {
        !self.input.is_empty()
    }

    /// Sets the size and has the program in the foreground draw itself again, also where the size is the same.
    pub fn resize(&self, size: TerminalSize) {
        // A client without a terminal of its own reports 0 x 0, which makes programs divide by zero.
        if size.rows == 0 || size.columns == 0 {
            return;
        }
        let size = Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
        let _ = tcsetwinsize(&self.master, size);
        if let Ok(foreground) = tcgetpgrp(&self.master) {
            let _ = rustix::process::kill_process_group(foreground, rustix::process::Signal::WINCH);
        }
    }
}

impl TerminalReader {
    /// Appends what the programs have written, as far as the buffer has room.
    pub fn read(&self, buffer: &mut Vec<u8>) -> TerminalRead {
        loop {
            match rustix::io::read(&self.0, spare_capacity(buffer)) {
                Ok(0) => return TerminalRead::HungUp,
                Ok(_) => return TerminalRead::Some,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return TerminalRead::Nothing,
                Err(_) => return TerminalRead::HungUp,
            }
        }
    }
}

impl AsFd for TerminalReader {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Finds the resource that the machine lacks by the number in the text, which is all that the library leaves of the
/// kernel's answer.
fn lack_of(problem: &str) -> Option<StartShortage> {
    let number = ["code: ", "os error "].iter().find_map(|before| problem.split(before).nth(1))?;
    let digits = number.split(|c: char| !c.is_ascii_digit()).next()?;
    match digits.parse().ok()? {
        libc::ENOSPC => Some(StartShortage::Terminals),
        errno => shortage::of_io(&io::Error::from_raw_os_error(errno)),
    }
}

impl AsFd for Terminal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_lacks_is_read_from_the_words_of_the_library() {
        let words = |errno| format!("failed to openpty: {:?}", io::Error::from_raw_os_error(errno));
        assert_eq!(lack_of(&words(libc::ENOSPC)), Some(StartShortage::Terminals));
        assert_eq!(lack_of(&words(libc::EMFILE)), Some(StartShortage::Files));
        assert_eq!(lack_of(&words(libc::EACCES)), None);
        assert_eq!(lack_of("it has no name"), None);
        let named = io::Error::from_raw_os_error(libc::ENFILE);
        assert_eq!(lack_of(&format!("/dev/pts/1: {named}")), Some(StartShortage::Files));
    }
}
