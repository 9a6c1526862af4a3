//! The dashboard on a real terminal: what it leaves behind on every way out, and that it goes with its terminal.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests panic, and the tested program prints")]

mod scene;

use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use sweepdeck::model::command::{Command, ControlReply};
use sweepdeck::model::ids::ShardId;
use sweepdeck::rundir::layout::RunDir;
use sweepdeck::tui::app;
use sweepdeck::tui::model::screen::ScreenAccess;
use sweepdeck::tui::options::{Actions, Options, Preferences};

/// Longer than any healthy machine needs.
const DEADLINE: Duration = Duration::from_secs(20);

/// Stands in for the supervisor: `+` panics, `-` is refused, a shard's terminal reads one line.
struct Stage;

impl Actions for Stage {
    fn send_command(&mut self, command: Command) -> Result<ControlReply, String> {
        match command {
            Command::SetParallel { parallel: 7 } => panic!("a panic on purpose"),
            _ => Err("nobody listens".to_owned()),
        }
    }

    fn enter_shard(&mut self, shard: &ShardId) -> Result<(), String> {
        println!("inside {shard}");
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map_err(|error| error.to_string())?;
        Err(format!("typed: {}", line.trim()))
    }
}

/// Not a test but the program of the others: they run it in a terminal of their own.
#[test]
#[ignore = "started by the other tests"]
fn the_dashboard() {
    let Ok(folder) = std::env::var("TEST_RUN") else { return };
    let run = RunDir::at(folder);
    let actions = Box::new(Stage);
    let preferences = Preferences { mouse: true, ..Preferences::default() };
    let exit = app::run_dashboard(Options { run, access: ScreenAccess::Acting, preferences, actions });
    println!("left: {exit:?}");
}

struct Terminal {
    _folder: tempfile::TempDir,
    master: Option<Box<dyn MasterPty + Send>>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Mutex<Seen>>,
    /// Makes the reader let go of the terminal.
    hung_up: Arc<AtomicBool>,
}

struct Seen {
    parser: vt100::Parser,
    bytes: Vec<u8>,
}

impl Terminal {
    fn open(environment: &[(&str, &str)]) -> Self {
        Self::open_through(environment, "exec")
    }

    /// Starts the dashboard through a shell; `before` may set the stage.
    fn open_through(environment: &[(&str, &str)], before: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        scene::busy(folder.path());
        let size = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let program = std::env::current_exe().unwrap();
        let script = format!(
            "{before} '{}' the_dashboard --exact --ignored --nocapture --test-threads=1",
            program.display()
        );
        let mut command = CommandBuilder::new("/bin/sh");
        command.args(["-c", &script]);
        command.cwd("/");
        for name in ["NO_COLOR", "COLORTERM", "SSH_CONNECTION", "SSH_TTY", "LC_ALL", "LC_CTYPE"] {
            command.env_remove(name);
        }
        let ours =
            [("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("TEST_RUN", folder.path().to_str().unwrap())];
        for (name, value) in ours.iter().chain(environment) {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let seen = Arc::new(Mutex::new(Seen { parser: vt100::Parser::new(40, 120, 0), bytes: Vec::new() }));
        let hung_up = Arc::new(AtomicBool::new(false));
        read(pair.master.as_ref(), Arc::clone(&seen), Arc::clone(&hung_up));
        let keys = pair.master.take_writer().unwrap();
        Self { _folder: folder, master: Some(pair.master), keys, child, seen, hung_up }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn signal(&self, name: &str) {
        let pid = self.child.process_id().unwrap().to_string();
        let sent = std::process::Command::new("kill").args([&format!("-{name}"), &pid]).status().unwrap();
        assert!(sent.success());
    }

    /// The state letter of the process; nothing once it is gone.
    fn state(&self) -> Option<char> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.process_id()?)).ok()?;
        stat[stat.rfind(')')? + 2..].chars().next()
    }

    fn look<T>(&self, at: impl FnOnce(&vt100::Screen) -> T) -> T {
        at(self.seen.lock().unwrap().parser.screen())
    }

    fn wait(&self, what: &str, condition: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + DEADLINE;
        while !condition(self) {
            assert!(
                Instant::now() < deadline,
                "{what} never came; the screen:\n{}",
                self.look(vt100::Screen::contents)
            );
            std::thread::yield_now();
        }
    }

    fn wait_for(&self, text: &str) {
        self.wait(text, |terminal| terminal.look(|screen| screen.contents().contains(text)));
    }

    /// The dashboard is up, with everything a terminal can be bent to.
    fn wait_for_dashboard(&self) {
        self.wait("the dashboard", |terminal| {
            terminal.look(|screen| {
                screen.alternate_screen() && screen.hide_cursor() && screen.contents().contains("grass_rough")
            })
        });
    }

    fn assert_given_back(&self) {
        self.wait("the usual screen", |terminal| terminal.look(|screen| !screen.alternate_screen()));
        self.look(|screen| {
            assert!(!screen.hide_cursor(), "the cursor is hidden");
            assert!(!screen.bracketed_paste(), "pastes are still marked");
            let mouse = screen.mouse_protocol_mode();
            assert_eq!(mouse, vt100::MouseProtocolMode::None, "the mouse is still reported");
        });
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(master: &dyn MasterPty, seen: Arc<Mutex<Seen>>, hung_up: Arc<AtomicBool>) {
    let mut reader = master.try_clone_reader().unwrap();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = reader.read(&mut buffer) {
            let mut seen = seen.lock().unwrap();
            seen.parser.process(&buffer[..length]);
            seen.bytes.extend_from_slice(&buffer[..length]);
            if hung_up.load(Ordering::Acquire) {
                return;
            }
        }
    });
}

#[test]
fn q_leaves_and_gives_the_terminal_back() {
    let mut terminal = Terminal::open(&[]);
    terminal.wait_for_dashboard();
    terminal.press("q");
    terminal.wait_for("left: Ok(Detached)");
    terminal.assert_given_back();
}

#[test]
fn a_signal_leaves_and_gives_the_terminal_back() {
    let terminal = Terminal::open(&[]);
    terminal.wait_for_dashboard();
    terminal.signal("TERM");
    terminal.wait_for("left: Ok(Signalled(15))");
    terminal.assert_given_back();
}

#[test]
fn a_panic_gives_the_terminal_back_before_it_is_told() {
    let mut terminal = Terminal::open(&[]);
    terminal.wait_for_dashboard();
    terminal.press("+");
    terminal.wait_for("a panic on purpose");
    terminal.assert_given_back();
}

#[test]
fn sleep_gives_the_terminal_back_and_waking_takes_it_again() {
    let mut terminal = Terminal::open(&[]);
    terminal.wait_for_dashboard();
    for how in ["key", "signal"] {
        if how == "key" {
            terminal.press("\x1a");
        } else {
            terminal.signal("TSTP");
        }
        terminal.wait("sleep", |terminal| terminal.state() == Some('T'));
        terminal.assert_given_back();
        terminal.signal("CONT");
        terminal.wait_for_dashboard();
    }
    terminal.press("q");
    terminal.wait_for("left: Ok(Detached)");
}

#[test]
fn it_goes_with_its_terminal_even_where_hangups_are_ignored() {
    for before in ["exec", "trap '' HUP; exec"] {
        let mut terminal = Terminal::open_through(&[], before);
        terminal.wait_for_dashboard();
        // The reader lets go after the next bytes, which the clock on the screen brings within a second.
        terminal.hung_up.store(true, Ordering::Release);
        terminal.keys = Box::new(std::io::sink());
        terminal.master.take();
        terminal.wait("the end", |terminal| matches!(terminal.state(), None | Some('Z')));
    }
}

#[test]
fn inside_a_shard_all_keys_are_the_shards() {
    let mut terminal = Terminal::open(&[]);
    terminal.wait_for_dashboard();
    terminal.press("/grass_rough\re");
    terminal.wait_for("inside grass_rough");
    terminal.assert_given_back();
    terminal.press("qqq\r");
    terminal.wait_for("typed: qqq");
    terminal.wait_for_dashboard();
    terminal.press("q");
    terminal.wait_for("left: Ok(Detached)");
}

#[test]
fn without_colour_the_selected_row_is_reversed_and_nothing_is_coloured() {
    let terminal = Terminal::open(&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]);
    terminal.wait_for_dashboard();
    terminal.look(|screen| {
        assert!(screen.cell(6, 5).unwrap().inverse(), "the row under the cursor is not reversed");
        for row in 0..40 {
            for column in 0..120 {
                let cell = screen.cell(row, column).unwrap();
                let plain = (vt100::Color::Default, vt100::Color::Default);
                assert_eq!((cell.fgcolor(), cell.bgcolor()), plain, "row {row}, column {column}");
            }
        }
    });
}

#[test]
fn another_size_is_drawn_at_once() {
    let mut terminal = Terminal::open(&[]);
    terminal.wait_for_dashboard();
    for (rows, cols) in [(24, 80), (10, 40), (1, 1), (50, 200), (40, 120)] {
        // The parser has no room for a wide character where there is one column, and fails where what was drawn for
        // more rows wraps in the only one.
        terminal.seen.lock().unwrap().parser.screen_mut().set_size(rows.max(2), cols.max(2));
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        terminal.master.as_ref().unwrap().resize(size).unwrap();
    }
    // What the pane of the host shows whatever the age of its readings.
    terminal.wait_for("149.4/503.0 GiB");
    terminal.press("q");
    terminal.wait_for("left: Ok(Detached)");
}

#[test]
fn the_first_picture_is_small_and_an_idle_screen_says_little() {
    let terminal = Terminal::open(&[("SSH_CONNECTION", "10.0.0.1 22")]);
    terminal.wait_for_dashboard();
    terminal.wait_for("Events");
    let painted = terminal.seen.lock().unwrap().bytes.len();
    assert!(painted < 30_000, "the first picture took {painted} bytes");
}

/// The ticks of processor time that the threads of this name have taken in a process.
fn ticks_of_thread(pid: u32, name: &str) -> u64 {
    let mut ticks = 0;
    for task in std::fs::read_dir(format!("/proc/{pid}/task")).unwrap() {
        let Ok(stat) = std::fs::read_to_string(task.unwrap().path().join("stat")) else { continue };
        let (before, after) = stat.rsplit_once(')').unwrap();
        if before.ends_with(&format!("({name}")) {
            let fields: Vec<&str> = after.split_whitespace().collect();
            ticks += fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        }
    }
    ticks
}

#[test]
fn the_first_key_after_a_resize_acts_and_nothing_spins() {
    let mut terminal = Terminal::open(&[]);
    terminal.wait_for_dashboard();
    // Whatever a reader of keys sets up with the first one is there now.
    terminal.press("?");
    terminal.wait_for("Esc close");
    terminal.press("\x1b");
    terminal.wait_for("grass_rough");
    for (rows, cols) in [(30, 100), (36, 110)] {
        terminal.seen.lock().unwrap().parser.screen_mut().set_size(rows, cols);
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        terminal.master.as_ref().unwrap().resize(size).unwrap();
        terminal.wait("the new size", |terminal| {
            terminal
                .look(|screen| screen.rows(0, cols).nth(usize::from(rows) - 1).unwrap().contains("q detach"))
        });
        let spent = ticks_of_thread(terminal.child.process_id().unwrap(), "input");
        terminal.press("?");
        terminal.wait_for("Esc close");
        // The help counts what was sent in each second, behind the keys; so seconds pass here without a clock.
        terminal.press("G");
        let sent = |screen: &vt100::Screen| screen.rows(0, cols).find(|row| row.contains("in all"));
        for _ in 0..2 {
            let before = terminal.look(sent);
            terminal.wait("another second", |terminal| terminal.look(sent) != before);
        }
        let spent = ticks_of_thread(terminal.child.process_id().unwrap(), "input") - spent;
        assert!(spent < 20, "reading one key took {spent} ticks");
        terminal.press("\x1b");
        terminal.wait_for("grass_rough");
    }
    terminal.press("q");
    terminal.wait_for("left: Ok(Detached)");
}
