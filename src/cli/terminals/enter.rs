//! `enter`: the terminal of a running shard on the user's own, which gets every byte as it comes.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use super::detach_key::{DetachKey, TypedBytes};
use super::raw_mode::{RawMode, terminal_size};
use crate::cli::addressing::target;
use crate::cli::addressing::target_args::OneShard;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::overview::watch::block_on;
use crate::cli::{output, settings};
use crate::model::attempt::StartRecord;
use crate::model::ids::{AttemptKey, ShardId};
use crate::rundir::layout::RunDir;
use crate::rundir::{proven_state, records};
use crate::socket::error::SocketError;
use crate::socket::frame::HolderFrame;
use crate::socket::holder_client::Session;
use crate::tui::terminal::notify;

/// How long the holder may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often the window's size is compared, and how long a second `Ctrl-\` may take.
const LOOK: Duration = Duration::from_millis(300);

/// Undoes what a shard may have done to the terminal: ends a string or a frame that it left open; takes back its
/// character set, colours, insert mode, reversed screen, mouse and focus reports, paste marks, margins and
/// second screen; shows the cursor and goes to a new line. Origin mode stays: it means nothing without margins, and
/// taking it back would move the cursor to the top, over what is there.
const AS_BEFORE: &[u8] = b"\x1b\\\x1b[?2026l\x0f\x1b(B\x1b[0m\x1b[4l\
    \x1b[?1;5;9;1000;1002;1003;1004;1005;1006;1015;1047;2004l\x1b>\x1b7\x1b[r\x1b8\x1b[?7;25h\r\n";

/// Connects this terminal to a running shard.
pub fn run(args: &OneShard) -> Result<CliExit, CliError> {
    let (run, shard) = target::find_shard(args)?;
    if !output::is_terminal() {
        return Err(
            CliError::usage("`enter` needs a terminal").with_hint("read the log with `sweepdeck logs`")
        );
    }
    output::print_message(&match drive_terminal(&run, &shard)? {
        TerminalExit::Detached => format!("left `{shard}`; it goes on"),
        TerminalExit::Ended => format!("`{shard}` has ended"),
        TerminalExit::Signalled(number) => return Ok(CliExit::Signalled(number)),
    });
    Ok(CliExit::Done)
}

/// How a shard's terminal was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalExit {
    /// The user pressed the detach key.
    Detached,
    /// The attempt of the shard ended.
    Ended,
    /// A signal of this number asked this program to end.
    Signalled(u8),
}

/// Hands the user's terminal to a shard until one of them leaves.
pub fn drive_terminal(run: &RunDir, shard: &ShardId) -> Result<TerminalExit, CliError> {
    let started = find_running(run, shard)?;
    let session = Session::drive(&started.socket, terminal_size(), PATIENCE)?;
    output::print_message(&format!("in the terminal of `{shard}`; Ctrl-\\ leaves it"));
    let raw = RawMode::enter().map_err(CliError::system("set up the terminal"))?;
    // The line above scrolls away; the title stays for as long as the shard sets none.
    let titled =
        settings::load_settings().settings.notify.title && notify::has_title(|name| std::env::var(name).ok());
    if titled {
        output::write_bytes(format!("\x1b[22;0t\x1b]2;{shard}: Ctrl-\\ leaves\x07").as_bytes())?;
    }
    let left = block_on(left_or_terminated(session));
    drop(raw);
    output::write_bytes(AS_BEFORE)?;
    if titled {
        output::write_bytes(b"\x1b[23;0t")?;
    }
    left
}

/// Returns how the running attempt of the shard was started.
fn find_running(run: &RunDir, shard: &ShardId) -> Result<StartRecord, CliError> {
    let state = proven_state::read_state(run)?;
    let live = state.shard(shard).and_then(|shard| shard.phase.live()).ok_or_else(|| {
        CliError::unreachable(format!("`{shard}` is not running"))
            .with_hint(format!("its output is kept: `sweepdeck logs {} {shard}`", run.path().display()))
    })?;
    let key = AttemptKey { shard: shard.clone(), attempt: live.attempt };
    Ok(records::read_record(&run.attempt_dir(&key).started_json())?)
}

/// The exchange runs on a thread of its own, because the keyboard cannot be read without blocking; the signals that
/// would leave the terminal raw are received here.
async fn left_or_terminated(session: Session) -> Result<TerminalExit, CliError> {
    let listen = |kind| signal(kind).map_err(CliError::system("listen for signals"));
    let mut terminated = listen(SignalKind::terminate())?;
    let mut interrupted = listen(SignalKind::interrupt())?;
    let mut hung_up = listen(SignalKind::hangup())?;
    let mut quit = listen(SignalKind::quit())?;
    let (sender, receiver) = oneshot::channel();
    std::thread::spawn(move || {
        // No receiver waits for the answer once the program was asked to end.
        let _ = sender.send(relay_terminal(session));
    });
    tokio::select! {
        left = receiver => left.unwrap_or(Ok(TerminalExit::Ended)),
        _ = terminated.recv() => Ok(TerminalExit::Signalled(15)),
        _ = interrupted.recv() => Ok(TerminalExit::Signalled(2)),
        _ = hung_up.recv() => Ok(TerminalExit::Signalled(1)),
        _ = quit.recv() => Ok(TerminalExit::Signalled(3)),
    }
}

fn relay_terminal(mut session: Session) -> Result<TerminalExit, CliError> {
    let mut key = DetachKey::default();
    let mut pressed = Instant::now();
    let mut window = terminal_size();
    loop {
        let ready = wait_for_input(&session).map_err(CliError::system("wait for input"))?;
        if ready.shard && show_output(&mut session)? {
            return Ok(TerminalExit::Ended);
        }
        if ready.keyboard {
            let was_pending = key.is_pending();
            let (bytes, leaves) = match key.filter_typed(&read_keyboard()?) {
                TypedBytes::Send(bytes) => (bytes, false),
                TypedBytes::Leave(bytes) => (bytes, true),
            };
            if !bytes.is_empty() {
                session.send_input(&bytes)?;
            }
            if leaves {
                return Ok(TerminalExit::Detached);
            }
            if !was_pending {
                pressed = Instant::now();
            }
        }
        if key.is_pending() && pressed.elapsed() >= LOOK {
            return Ok(TerminalExit::Detached);
        }
        let now = terminal_size();
        if now != window {
            window = now;
            session.send_size(window)?;
        }
    }
}

/// Sides that have data to read.
struct ReadySides {
    keyboard: bool,
    shard: bool,
}

fn wait_for_input(session: &Session) -> io::Result<ReadySides> {
    let stdin = io::stdin();
    let mut polled = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(session, PollFlags::IN)];
    let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
    match poll(&mut polled, Some(&timeout)) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let [keyboard, shard] = polled.map(|one| !one.revents().is_empty());
    Ok(ReadySides { keyboard, shard })
}

fn read_keyboard() -> Result<Vec<u8>, CliError> {
    let mut buffer = [0; 4096];
    // Not through the buffer of `std::io::stdin`, which poll cannot see into.
    match rustix::io::read(io::stdin(), &mut buffer) {
        Ok(0) | Err(Errno::IO) => Err(CliError::new(CliExit::Done, "")),
        Ok(read) => Ok(buffer[..read].to_vec()),
        Err(Errno::INTR) => Ok(Vec::new()),
        Err(error) => Err(CliError::system("read the keyboard")(error.into())),
    }
}

/// Shows what came; true when the attempt has ended.
fn show_output(session: &mut Session) -> Result<bool, CliError> {
    let frames = match session.receive_frames() {
        Ok(frames) => frames,
        Err(SocketError::Closed { .. }) => return Ok(true),
        Err(error) => return Err(error.into()),
    };
    for frame in frames {
        match frame {
            HolderFrame::Output(bytes) => output::write_bytes(&bytes)?,
            HolderFrame::Ended => return Ok(true),
            HolderFrame::Reply(_) => {}
        }
    }
    Ok(false)
}
