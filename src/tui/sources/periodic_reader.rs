//! Reads something once a second on a thread of its own: the kernel keeps who asks about a process or a file that hangs
//! waiting.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// The second reading comes so soon after the first: before it nothing is known of the cores, and the driver may not
/// have answered.
const SOON: Duration = Duration::from_millis(250);

/// From one reading to the next.
const PERIOD: Duration = Duration::from_secs(1);

/// The thread. It ends after the reading that it is at when this is dropped.
#[derive(Debug)]
pub struct PeriodicReader<T> {
    readings: Receiver<T>,
    /// Nothing is ever sent; that it is gone ends the thread.
    _held: Sender<()>,
}

impl<T: Send + 'static> PeriodicReader<T> {
    /// Begins to read on a thread of that name; `wake` is called from it after each reading.
    pub fn start(
        name: String,
        mut read: impl FnMut() -> T + Send + 'static,
        wake: impl Fn() + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, readings) = channel();
        let (held, until_dropped) = channel::<()>();
        std::thread::Builder::new().name(name).spawn(move || {
            let mut rest = SOON;
            while sender.send(read()).is_ok() {
                wake();
                if until_dropped.recv_timeout(rest) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                rest = PERIOD;
            }
        })?;
        Ok(Self { readings, _held: held })
    }

    /// The newest reading, where one has come since the last call.
    pub fn take_latest(&self) -> Option<T> {
        self.readings.try_iter().last()
    }

    /// All readings that have come since the last call, oldest first.
    pub fn take_all(&self) -> impl Iterator<Item = T> {
        self.readings.try_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_that_hangs_holds_up_nobody() {
        let (asked, is_asked) = std::sync::mpsc::sync_channel::<()>(1);
        let (_never, answer) = channel::<()>();
        let hang = move || {
            asked.send(()).expect("the test listens");
            let _ = answer.recv();
            panic!("the test is over");
        };
        let reader = PeriodicReader::<()>::start("hanging".to_owned(), hang, || {}).unwrap();
        is_asked.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(reader.take_latest(), None);
        assert_eq!(reader.take_all().count(), 0);
        drop(reader);
    }
}
