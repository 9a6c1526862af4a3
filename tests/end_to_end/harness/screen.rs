//! The program on a terminal of its own, its screen read back as text.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::place::{PROGRAM, Place};
use super::wait::{until, until_or};

/// A program on a terminal.
pub struct Screen {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    shown: Arc<Mutex<vt100::Parser>>,
    sent: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Screen {
    /// Starts the program on a terminal of 120 by 40.
    pub fn open(place: &Place, words: &[&str]) -> Self {
        let mut command = CommandBuilder::new(PROGRAM);
        command.args(words);
        Self::start(place, command)
    }

    /// Starts a shell line on such a terminal, e.g. to see what becomes of the terminal afterwards.
    pub fn shell(place: &Place, line: &str) -> Self {
        let mut command = CommandBuilder::new("bash");
        command.args(["--norc", "-c", line]);
        Self::start(place, command)
    }

    fn start(place: &Place, mut command: CommandBuilder) -> Self {
        let size = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        command.cwd(place.path());
        command.env("XDG_STATE_HOME", place.path().join("state"));
        command.env("XDG_CONFIG_HOME", place.path().join("config"));
        command.env("TERM", "xterm-256color");
        // Under `LC_ALL=C` of the caller the screens would draw in ASCII.
        command.env("LC_ALL", "C.UTF-8");
        let around = ["TMUX", "STY", "TERM_PROGRAM", "LC_TERMINAL"];
        for name in
            ["NO_COLOR", "SSH_CONNECTION", "SWEEPDECK_RUN", "SWEEPDECK_NVML"].into_iter().chain(around)
        {
            command.env_remove(name);
        }
        command.env("PATH", place.search_path(&[]));
        if let Some(library) = place.library() {
            command.env("SWEEPDECK_NVML", library);
        }
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let shown = Arc::new(Mutex::new(vt100::Parser::new(40, 120, 0)));
        let mut output = pair.master.try_clone_reader().expect("the terminal reads");
        let theirs = Arc::clone(&shown);
        let sent = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&sent);
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            // A terminal whose program has ended reads as an error.
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                kept.lock().expect("no test panics while it looks").extend_from_slice(&buffer[..read]);
                theirs.lock().expect("no test panics while it looks").process(&buffer[..read]);
            }
        });
        let keyboard = pair.master.take_writer().expect("the terminal writes");
        Self { child, master: pair.master, keyboard, shown, sent, reader }
    }

    /// What is shown now.
    pub fn text(&self) -> String {
        self.shown.lock().expect("the reader does not panic").screen().contents()
    }

    /// Every byte that was sent to the terminal so far.
    pub fn sent(&self) -> Vec<u8> {
        self.sent.lock().expect("the reader does not panic").clone()
    }

    /// Something else about the screen.
    pub fn look<T>(&self, look: impl FnOnce(&vt100::Screen) -> T) -> T {
        look(self.shown.lock().expect("the reader does not panic").screen())
    }

    /// Waits until the text is shown.
    pub fn until_shown(&self, text: &str) {
        self.until(&format!("`{text}` is shown"), |shown| shown.contains(text));
    }

    /// Waits until the screen satisfies; tells what is shown where it never does.
    pub fn until(&self, what: &str, condition: impl Fn(&str) -> bool) {
        until_or(what, || condition(&self.text()), || self.text());
    }

    pub fn press(&mut self, keys: &str) {
        self.keyboard
            .write_all(keys.as_bytes())
            .and_then(|()| self.keyboard.flush())
            .expect("the keys arrive");
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        self.master.resize(size).expect("a new size");
        self.shown
            .lock()
            .expect("the reader does not panic")
            .screen_mut()
            .set_size(rows.max(2), columns.max(2));
    }

    pub fn pid(&self) -> u32 {
        self.child.process_id().expect("it was started")
    }

    /// Waits for the end and for the last output; returns the exit code.
    pub fn code(&mut self) -> u32 {
        let mut code = None;
        until("the program on the terminal ends", || {
            code = self.child.try_wait().expect("its own child").map(|status| status.exit_code());
            code.is_some()
        });
        // What a program writes as its last act may be read after its end is known.
        until("all of its output is read", || self.reader.is_finished());
        code.expect("until waited for it")
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
