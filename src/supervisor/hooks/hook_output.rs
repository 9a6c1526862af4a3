//! What a hook prints: read to its end, so that the hook never waits for a reader, and kept up to a limit.

use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// So much of what it prints is kept; the rest is read and forgotten.
const KEPT: usize = 16 << 10;

/// How long the end is waited for when all that the hook started has gone: it is certain to come then, unless a
/// stranger was handed the pipe.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often is looked whether it has come.
const LOOK: Duration = Duration::from_millis(5);

/// The output printed so far, and the thread that reads on.
pub(in crate::supervisor) struct HookOutput {
    kept: Arc<Mutex<Vec<u8>>>,
    drain: JoinHandle<()>,
}

impl HookOutput {
    /// Starts a thread that reads the output.
    pub(in crate::supervisor) fn from_reader(out: impl Read + Send + 'static) -> Self {
        let kept = Arc::default();
        let shared = Arc::clone(&kept);
        Self { kept, drain: std::thread::spawn(move || drain_output(out, &shared)) }
    }

    /// Returns the output printed so far; more may come.
    pub(in crate::supervisor) fn so_far(&self) -> String {
        String::from_utf8_lossy(&lock_kept(&self.kept)).into_owned()
    }

    /// Returns the output of processes that have gone.
    pub(in crate::supervisor) fn wait_for_output(&self) -> String {
        let deadline = Instant::now() + PATIENCE;
        while !self.drain.is_finished() && Instant::now() < deadline {
            std::thread::sleep(LOOK);
        }
        self.so_far()
    }
}

fn drain_output(mut out: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 8192];
    while let Ok(read @ 1..) = out.read(&mut buffer) {
        let mut kept = lock_kept(kept);
        let room = KEPT.saturating_sub(kept.len()).min(read);
        kept.extend_from_slice(&buffer[..room]);
    }
}

fn lock_kept(kept: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use super::*;

    #[test]
    fn the_last_words_of_processes_that_have_gone_are_waited_for() {
        let (out, mut hook) = io::pipe().unwrap();
        hook.write_all(b"the token is refused\n").unwrap();
        drop(hook);
        assert_eq!(HookOutput::from_reader(out).wait_for_output(), "the token is refused\n");
    }

    #[test]
    fn a_stranger_who_keeps_the_pipe_is_not_waited_for() {
        let (out, mut hook) = io::pipe().unwrap();
        hook.write_all(b"done\n").unwrap();
        assert_eq!(HookOutput::from_reader(out).wait_for_output(), "done\n");
        drop(hook);
    }
}
