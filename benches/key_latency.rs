//! The time from a key to the first byte that answers it, on a real terminal, here and with the variables of SSH set.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

#[path = "../tests/scene/mod.rs"]
mod scene;

/// Pauses between keys: slow typing meets an idle screen, fast typing the frame of the key before.
const PAUSES: [Duration; 4] = [
    Duration::from_millis(400),
    Duration::from_millis(200),
    Duration::from_millis(100),
    Duration::from_millis(50),
];

/// Keys after each pause.
const KEYS: usize = 20;

/// Nothing is answered later than this on a healthy machine.
const DEADLINE: Duration = Duration::from_secs(10);

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = scene::busy(folder.path());
    println!("key to first byte, ms    median    90 %");
    println!("budget                       20      50");
    let ssh = [("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22"), ("SSH_TTY", "/dev/pts/0")];
    for (name, variables) in [("local", &[][..]), ("ssh", &ssh)] {
        let mut screen = Screen::open(scene.run.path(), variables);
        let mut times: Vec<Duration> = PAUSES
            .iter()
            .flat_map(|pause| {
                (0..KEYS).map(move |number| (*pause, if number % 2 == 0 { b'j' } else { b'k' }))
            })
            .map(|(pause, key)| screen.press(key, pause))
            .collect();
        times.sort_unstable();
        let share = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e3;
        println!("{name:<20} {:>10.1} {:>7.1}", share(50), share(90));
    }
}

/// The dashboard on a terminal of 120 by 40.
struct Screen {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    /// The moments at which bytes came.
    output: Receiver<Instant>,
}

impl Screen {
    fn open(run: &Path, variables: &[(&str, &str)]) -> Self {
        let size = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sweepdeck"));
        command.args(["attach", "--read-only"]);
        command.arg(run);
        command.cwd("/");
        for name in ["SSH_CONNECTION", "SSH_TTY", "NO_COLOR"] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color");
        variables.iter().for_each(|(name, value)| command.env(name, value));
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let mut reader = pair.master.try_clone_reader().expect("the terminal reads");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 1 << 16];
            while matches!(reader.read(&mut buffer), Ok(1..)) && sender.send(Instant::now()).is_ok() {}
        });
        let keyboard = pair.master.take_writer().expect("the terminal writes");
        let screen = Self { child, _master: pair.master, keyboard, output };
        screen.output.recv_timeout(DEADLINE).expect("the first picture");
        screen.pause(Duration::from_secs(1));
        screen
    }

    /// Presses a key after a pause and returns how long its answer took.
    fn press(&mut self, key: u8, pause: Duration) -> Duration {
        self.pause(pause);
        let pressed = Instant::now();
        self.keyboard.write_all(&[key]).and_then(|()| self.keyboard.flush()).expect("the key arrives");
        self.output.recv_timeout(DEADLINE).expect("an answer").duration_since(pressed)
    }

    /// Lets time pass and forgets what comes meanwhile.
    fn pause(&self, length: Duration) {
        let end = Instant::now() + length;
        loop {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => panic!("the dashboard has ended"),
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
