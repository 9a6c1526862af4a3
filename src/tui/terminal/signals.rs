//! Signals as interruptions of the main loop, and the end of the process when its terminal is gone.

use std::io;
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{getpid, kill_process};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::screen::{give_back, give_back_without_waiting};
use super::tenant::{INTERRUPT, QUIT, answer_signal};
use crate::tui::message::Pulse;

/// How long the main loop may take to leave: it can hang in a write to a stalled line, or wait for a supervisor.
const PATIENCE: Duration = Duration::from_secs(2);

/// The signal that the kernel sends to processes whose terminal is gone.
const HANG_UP: i32 = 1;

/// The screen that receives signals: home and dashboards take turns, the listening thread stays.
static HEARER: Mutex<Option<SyncSender<Pulse>>> = Mutex::new(None);

/// Turns signals into pulses for the screen that asked last, on a thread of its own. SIGHUP is one of them, because
/// another process may have sent it and not a terminal that is gone, which [`watch_terminal`] sees.
pub fn listen(sender: SyncSender<Pulse>) -> io::Result<()> {
    let before = HEARER.lock().unwrap_or_else(PoisonError::into_inner).replace(sender);
    if before.is_some() {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let mut signals = {
        let _inside = runtime.enter();
        ScreenSignals::install_handlers()?
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        runtime.block_on(async {
            while let Some(pulse) = signals.next().await {
                let Some(pulse) = answer_signal(pulse) else { continue };
                let ends = if let Pulse::Terminate(number) = pulse { Some(number) } else { None };
                // A full queue has pulses enough to wake the loop.
                if let Some(hearer) = HEARER.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
                    let _ = hearer.try_send(pulse);
                }
                if let Some(number) = ends {
                    tokio::time::sleep(PATIENCE).await;
                    give_back_without_waiting();
                    exit(128 + number);
                }
            }
        });
    })?;
    Ok(())
}

/// Ends the process when the terminal hangs up, however busy everything else is. It costs nothing: poll(2) sleeps
/// until then.
pub fn watch_terminal() -> io::Result<()> {
    static WATCHED: Once = Once::new();
    let mut started = Ok(());
    WATCHED.call_once(|| started = spawn_hangup_watch());
    started
}

fn spawn_hangup_watch() -> io::Result<()> {
    std::thread::Builder::new().name("hangup".to_owned()).spawn(|| {
        loop {
            let stdin = rustix::stdio::stdin();
            let mut fds = [PollFd::new(&stdin, PollFlags::empty())];
            match poll(&mut fds, None) {
                Ok(_) => exit(129),
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
        }
    })?;
    Ok(())
}

/// Gives the terminal back and stops the process; [`Pulse::Continued`] is sent when it goes on.
pub fn suspend_process() -> io::Result<()> {
    give_back();
    kill_process(getpid(), rustix::process::Signal::STOP)?;
    Ok(())
}

#[expect(clippy::exit, reason = "the main loop may hang in a write to a terminal that is gone or stalled")]
fn exit(code: i32) -> ! {
    std::process::exit(code)
}

struct ScreenSignals {
    interrupt: Signal,
    terminate: Signal,
    quit: Signal,
    hang_up: Signal,
    stop: Signal,
    go_on: Signal,
    resize: Signal,
}

impl ScreenSignals {
    fn install_handlers() -> io::Result<Self> {
        let of = |number: rustix::process::Signal| signal(SignalKind::from_raw(number.as_raw()));
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            quit: signal(SignalKind::quit())?,
            hang_up: signal(SignalKind::hangup())?,
            stop: of(rustix::process::Signal::TSTP)?,
            go_on: of(rustix::process::Signal::CONT)?,
            resize: signal(SignalKind::window_change())?,
        })
    }

    async fn next(&mut self) -> Option<Pulse> {
        tokio::select! {
            got = self.interrupt.recv() => got.map(|()| Pulse::Terminate(INTERRUPT)),
            got = self.terminate.recv() => got.map(|()| Pulse::Terminate(15)),
            got = self.quit.recv() => got.map(|()| Pulse::Terminate(QUIT)),
            got = self.hang_up.recv() => got.map(|()| Pulse::Terminate(HANG_UP)),
            got = self.stop.recv() => got.map(|()| Pulse::Suspend),
            got = self.go_on.recv() => got.map(|()| Pulse::Continued),
            got = self.resize.recv() => got.map(|()| Pulse::Resized),
        }
    }
}
