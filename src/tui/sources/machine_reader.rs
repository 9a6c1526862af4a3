//! Reads the machine once a second on a thread of its own: the kernel keeps who asks about a process that hangs
//! waiting.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::rundir::clock;
use crate::tui::model::monitor::MachineLook;
use crate::tui::options::MachineSource;

/// The second reading comes so soon after the first: before it nothing is known of the cores, and the driver may not
/// have answered.
const SOON: Duration = Duration::from_millis(250);

/// From one reading to the next.
const PERIOD: Duration = Duration::from_secs(1);

/// The thread. It ends after the reading that it is at when this is dropped.
#[derive(Debug)]
pub struct MachineReader {
    looks: Receiver<MachineLook>,
    /// Nothing is ever sent; that it is gone ends the thread.
    _held: Sender<()>,
}

impl MachineReader {
    /// Begins to read; `wake` is called from the thread after each reading.
    pub fn start(mut readings: Box<dyn MachineSource>, wake: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (teller, looks) = channel();
        let (held, until_dropped) = channel::<()>();
        std::thread::Builder::new().name("machine".to_owned()).spawn(move || {
            let mut rest = SOON;
            while teller.send(readings.read_machine(clock::now())).is_ok() {
                wake();
                if until_dropped.recv_timeout(rest) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                rest = PERIOD;
            }
        })?;
        Ok(Self { looks, _held: held })
    }

    /// The newest reading, where one has come since the last call.
    pub fn take_latest(&self) -> Option<MachineLook> {
        self.looks.try_iter().last()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::SyncSender;

    use jiff::Timestamp;

    use super::*;

    /// Reports that it is asked, and never answers.
    struct Hanging(SyncSender<()>, Receiver<()>);

    impl MachineSource for Hanging {
        fn read_machine(&mut self, _now: Timestamp) -> MachineLook {
            self.0.send(()).expect("the test listens");
            let _ = self.1.recv();
            panic!("the test is over");
        }
    }

    #[test]
    fn a_reading_that_hangs_holds_up_nobody() {
        let (asked, is_asked) = std::sync::mpsc::sync_channel(1);
        let (_never, answer) = channel();
        let reader = MachineReader::start(Box::new(Hanging(asked, answer)), || {}).unwrap();
        is_asked.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(reader.take_latest(), None);
        drop(reader);
    }
}
