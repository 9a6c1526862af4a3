//! The program that has the terminal instead of the screen. Keys that are signals are the program's own: they reach this
//! process too, which must neither leave by them nor stay awake where the shell waits for both to stop.

use std::io;
use std::process::{Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpid, kill_process};

use crate::tui::message::Pulse;

/// The signal that Ctrl-C sends.
pub const INTERRUPT: i32 = 2;

/// The signal that Ctrl-\\ sends.
pub const QUIT: i32 = 3;

/// How much later than the program this process may hear of the key that ended it.
const KEY_LAG: Duration = Duration::from_millis(250);

/// Who has the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tenancy {
    Screen,
    Program(Pid),
    ScreenSince(Instant),
}

/// What a signal to this process is for.
#[derive(Debug, PartialEq, Eq)]
enum MeantFor {
    Screen,
    /// The program, which has got it by itself.
    Program,
    /// Both, and the program has not got it: it ends first.
    ProgramFirst(Pid),
    /// Both, and this process stops as the program does.
    StopBeside,
}

static TENANCY: Mutex<Tenancy> = Mutex::new(Tenancy::Screen);

fn lock_tenancy() -> MutexGuard<'static, Tenancy> {
    TENANCY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lends the terminal to a program until that ends.
pub fn run_tenant(command: &mut Command) -> io::Result<ExitStatus> {
    let mut program = {
        // It is locked before the program is there: the program can get a key before this thread runs again.
        let mut tenancy = lock_tenancy();
        let program = command.spawn()?;
        *tenancy = Tenancy::Program(Pid::from_child(&program));
        program
    };
    let ended = program.wait();
    *lock_tenancy() = Tenancy::ScreenSince(Instant::now());
    ended
}

/// Returns the pulse of a signal for the screen, or none where it is not the screen's.
pub fn answer_signal(pulse: Pulse) -> Option<Pulse> {
    let tenancy = *lock_tenancy();
    match decide_meant_for(tenancy, &pulse, Instant::now()) {
        MeantFor::Screen => Some(pulse),
        MeantFor::Program => None,
        // The screen puts the terminal right and ends, and the main loop runs on until it is notified of its
        // own end.
        MeantFor::ProgramFirst(program) => {
            let _ = kill_process(program, Signal::TERM);
            Some(pulse)
        }
        MeantFor::StopBeside => {
            let _ = kill_process(getpid(), Signal::STOP);
            None
        }
    }
}

fn decide_meant_for(tenancy: Tenancy, pulse: &Pulse, now: Instant) -> MeantFor {
    let is_key = matches!(pulse, Pulse::Terminate(INTERRUPT | QUIT));
    match (tenancy, pulse) {
        (Tenancy::Screen, _) => MeantFor::Screen,
        (Tenancy::ScreenSince(since), _) if is_key && now < since + KEY_LAG => MeantFor::Program,
        (Tenancy::ScreenSince(_), _) => MeantFor::Screen,
        (Tenancy::Program(_), Pulse::Terminate(_)) if is_key => MeantFor::Program,
        (Tenancy::Program(program), Pulse::Terminate(_)) => MeantFor::ProgramFirst(program),
        (Tenancy::Program(_), Pulse::Suspend) => MeantFor::StopBeside,
        (Tenancy::Program(_), Pulse::Heard(_) | Pulse::FilesChanged | Pulse::Resized | Pulse::Continued) => {
            MeantFor::Screen
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: Tenancy = Tenancy::Program(Pid::INIT);

    #[test]
    fn keys_that_are_signals_are_those_of_the_program() {
        let now = Instant::now();
        for number in [INTERRUPT, QUIT] {
            let key = Pulse::Terminate(number);
            assert_eq!(decide_meant_for(Tenancy::Screen, &key, now), MeantFor::Screen);
            assert_eq!(decide_meant_for(PROGRAM, &key, now), MeantFor::Program);
        }
        assert_eq!(decide_meant_for(PROGRAM, &Pulse::Suspend, now), MeantFor::StopBeside);
        assert_eq!(decide_meant_for(PROGRAM, &Pulse::Terminate(15), now), MeantFor::ProgramFirst(Pid::INIT));
        assert_eq!(decide_meant_for(PROGRAM, &Pulse::Resized, now), MeantFor::Screen);
    }

    #[test]
    fn the_key_that_ended_the_program_may_be_heard_of_later() {
        let end = Instant::now();
        let after = Tenancy::ScreenSince(end);
        let key = Pulse::Terminate(INTERRUPT);
        assert_eq!(decide_meant_for(after, &key, end + KEY_LAG / 2), MeantFor::Program);
        assert_eq!(decide_meant_for(after, &key, end + KEY_LAG), MeantFor::Screen);
        assert_eq!(decide_meant_for(after, &Pulse::Terminate(15), end), MeantFor::Screen);
    }

    #[test]
    fn a_signal_that_comes_with_the_start_of_the_program_waits_for_it() {
        // The program is there as soon as the lock can be had.
        let mut held = lock_tenancy();
        let answer = std::thread::spawn(|| answer_signal(Pulse::Terminate(INTERRUPT)));
        *held = PROGRAM;
        drop(held);
        assert_eq!(answer.join().ok(), Some(None));
        *lock_tenancy() = Tenancy::Screen;
    }
}
