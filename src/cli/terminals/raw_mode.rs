//! The user's terminal without line editing and signal keys, given back as it was however the verb ends.

use std::io;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

use crate::model::attempt::TerminalSize;

/// Terminal in raw mode until this is dropped.
#[derive(Debug)]
pub struct RawMode {
    before: Termios,
}

impl RawMode {
    /// Makes the terminal raw.
    pub fn enter() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        Ok(Self { before })
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        // The terminal may be gone; then there is nothing to give back.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

/// The size of the user's terminal.
pub fn terminal_size() -> TerminalSize {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_row > 0 && size.ws_col > 0 => {
            TerminalSize { rows: size.ws_row, columns: size.ws_col }
        }
        // Not a terminal, or one that does not know its size.
        Ok(_) | Err(_) => TerminalSize::default(),
    }
}
