//! What may interrupt the wait of the main loop.

use super::message::Message;

/// One interruption.
#[derive(Debug, Clone, PartialEq)]
pub enum Pulse {
    /// The user did something.
    Heard(Message),
    /// A file of the run changed.
    FilesChanged,
    /// The terminal has another size.
    Resized,
    /// This process should end, by this signal.
    Terminate(i32),
    /// This process should go to sleep.
    Suspend,
    /// This process goes on; the terminal may look like anything.
    Continued,
}
