//! The terminal: taken over for the screen, written to one frame at a time, and given back on every way out.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use ratatui::layout::Rect;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Alternate screen, no cursor, pasted text marked as such: a paste must not act as keys.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[?2004h";

/// Everything blank, in the colours of the terminal.
const CLEAR: &[u8] = b"\x1b[0m\x1b[2J";

/// Ends everything that was begun or that a crashed tenant of the terminal may have begun.
const LEAVE: &[u8] = b"\x1b[?2026l\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[?25h\x1b[0m\x1b[?1049l";

/// Buttons and wheel of the mouse are reported, with places beyond column 223; its moves are not.
const TAKE_MOUSE: &[u8] = b"\x1b[?1000h\x1b[?1006h";

/// The mouse is the terminal's again.
const LEAVE_MOUSE: &[u8] = b"\x1b[?1006l\x1b[?1000l";

/// Puts the title of the terminal on its stack.
const KEEP_TITLE: &[u8] = b"\x1b[22;0t";

/// Takes it from there. A terminal without such a stack has no title then, until the shell sets one.
const LEAVE_TITLE: &[u8] = b"\x1b]2;\x07\x1b[23;0t";

/// Terminals that know these marks show the bytes between them at once; the others ignore them.
const BEGIN_FRAME: &[u8] = b"\x1b[?2026h";
const END_FRAME: &[u8] = b"\x1b[?2026l";

/// The terminal is ours.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// And so is its title.
static TITLED: AtomicBool = AtomicBool::new(false);

/// The screen on a terminal. `ratatui::Terminal` would ask the terminal where its cursor is, and wait seconds for an
/// answer that a slow line or a mute terminal owes.
pub struct Screen {
    backend: CrosstermBackend<SharedFrames>,
    frames: SharedFrames,
    /// The picture that the terminal shows now.
    shown: Buffer,
    /// The picture that it is to show next.
    next: Buffer,
    /// Title that this process gave the terminal; empty while another program's title is there.
    title: String,
    /// The mouse acts here.
    mouse: bool,
}

/// The same bytes, for the one who draws and for the one who sends.
#[derive(Clone)]
struct SharedFrames(Rc<RefCell<Frames>>);

/// Collects the bytes of a frame and sends them with one write.
struct Frames {
    out: File,
    bytes: Vec<u8>,
    sent: u64,
}

impl Screen {
    /// Takes the terminal over. From now on a panic gives it back before it is reported.
    pub fn enter(mouse: bool) -> io::Result<Self> {
        give_back_on_panic();
        let out = File::from(rustix::io::dup(rustix::stdio::stdout())?);
        let frames = Frames { out, bytes: Vec::with_capacity(1 << 16), sent: 0 };
        let frames = SharedFrames(Rc::new(RefCell::new(frames)));
        let backend = CrosstermBackend::new(frames.clone());
        let (shown, next) = (Buffer::default(), Buffer::default());
        let mut screen = Self { backend, frames, shown, next, title: String::new(), mouse };
        screen.resume()?;
        Ok(screen)
    }

    /// Takes the terminal over again and forgets what is on it.
    pub fn resume(&mut self) -> io::Result<()> {
        TAKEN.store(true, Ordering::Release);
        // Another program may have changed the modes behind our back; crossterm believes they still hold.
        disable_raw_mode()?;
        enable_raw_mode()?;
        self.frames.add_bytes(ENTER);
        if self.mouse {
            self.frames.add_bytes(TAKE_MOUSE);
        }
        self.title.clear();
        self.force_redraw();
        self.frames.send_pending()
    }

    /// Takes the mouse, or leaves it to the terminal; returns what holds now.
    pub fn toggle_mouse(&mut self) -> &'static str {
        self.mouse = !self.mouse;
        self.frames.add_bytes(if self.mouse { TAKE_MOUSE } else { LEAVE_MOUSE });
        if self.mouse {
            "the mouse acts here; most terminals select text with Shift held"
        } else {
            "the mouse selects text again"
        }
    }

    /// Forgets what is on the terminal, so that the next frame is drawn whole.
    pub fn force_redraw(&mut self) {
        self.frames.add_bytes(CLEAR);
        self.shown.reset();
    }

    /// Columns and rows; terminals that do not know have the size of the first ones.
    pub fn size(&self) -> (u16, u16) {
        match rustix::termios::tcgetwinsize(rustix::stdio::stdout()) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
            Ok(_) | Err(_) => (80, 24),
        }
    }

    /// Sends one frame of a size: only what differs from the last one, in one write.
    pub fn draw_frame(&mut self, size: (u16, u16), draw: impl FnOnce(&mut Buffer)) -> io::Result<()> {
        let area = Rect::new(0, 0, size.0, size.1);
        self.frames.add_bytes(BEGIN_FRAME);
        if self.shown.area != area {
            self.shown.resize(area);
            self.next.resize(area);
            self.force_redraw();
        }
        self.next.reset();
        draw(&mut self.next);
        let changed = self.shown.diff(&self.next);
        let some = !changed.is_empty();
        if some {
            self.backend.draw(changed.into_iter())?;
        }
        std::mem::swap(&mut self.shown, &mut self.next);
        if some || self.frames.pending_bytes() > BEGIN_FRAME.len() {
            self.frames.add_bytes(END_FRAME);
            self.frames.send_pending()
        } else {
            self.frames.discard_pending();
            Ok(())
        }
    }

    /// Sets the title with the next frame, if it has changed.
    pub fn set_title(&mut self, title: &str) {
        if self.title == title {
            return;
        }
        if !TITLED.swap(true, Ordering::AcqRel) {
            self.frames.add_bytes(KEEP_TITLE);
        }
        self.frames.add_bytes(format!("\x1b]2;{title}\x07").as_bytes());
        title.clone_into(&mut self.title);
    }

    /// Sends bytes that draw nothing.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.frames.add_bytes(bytes);
        self.frames.send_pending()
    }

    /// Bytes sent so far.
    pub fn sent_bytes(&self) -> u64 {
        self.frames.0.borrow().sent
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

impl SharedFrames {
    fn add_bytes(&self, bytes: &[u8]) {
        self.0.borrow_mut().bytes.extend_from_slice(bytes);
    }

    fn pending_bytes(&self) -> usize {
        self.0.borrow().bytes.len()
    }

    fn discard_pending(&self) {
        self.0.borrow_mut().bytes.clear();
    }

    fn send_pending(&self) -> io::Result<()> {
        let mut frames = self.0.borrow_mut();
        frames.sent += frames.bytes.len() as u64;
        let bytes = std::mem::take(&mut frames.bytes);
        frames.out.write_all(&bytes)
    }
}

impl Write for SharedFrames {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add_bytes(bytes);
        Ok(bytes.len())
    }

    /// The frame is sent when it is complete, not when a part of it is.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Gives the terminal back, if it is ours. Every step is tried, whatever became of the one before; nothing is printed,
/// because the terminal may be gone.
pub fn give_back() {
    if TAKEN.swap(false, Ordering::AcqRel) {
        if TITLED.swap(false, Ordering::AcqRel) {
            let _ = rustix::io::write(rustix::stdio::stdout(), LEAVE_TITLE);
        }
        let _ = rustix::io::write(rustix::stdio::stdout(), LEAVE);
        let _ = disable_raw_mode();
    }
}

/// The same for when another thread may hang in a write: nothing is written to a terminal that takes no more bytes.
pub fn give_back_without_waiting() {
    if takes_bytes() {
        give_back();
    } else if TAKEN.swap(false, Ordering::AcqRel) {
        let _ = disable_raw_mode();
    }
}

/// Whether the terminal has room now. The kernel denies it while a write to it hangs.
fn takes_bytes() -> bool {
    let stdout = rustix::stdio::stdout();
    let mut polled = [PollFd::new(&stdout, PollFlags::OUT)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut polled, Some(&now)).is_ok() && polled[0].revents().contains(PollFlags::OUT)
}

fn give_back_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
    });
}
