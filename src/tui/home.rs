//! The main loop of the home screen: hear, update, look at the runs, draw.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;

use super::message::{Message, Pulse};
use super::model::home::{Home, Page};
use super::model::overlay::Notice;
use super::model::screen::Access;
use super::options::{Chosen, HomeOptions, Launcher, TuiError};
use super::terminal::input::Input;
use super::terminal::look::Look;
use super::terminal::screen::Screen;
use super::terminal::signals;
use super::update::home::{HomeRequest, press};
use super::view::home::draw;

/// How often the runs are looked at: often enough to see one end.
const LOOK: Duration = Duration::from_secs(1);

/// Shows runs and sweeps until one of them is chosen or the user leaves.
pub fn run(options: HomeOptions) -> Result<Chosen, TuiError> {
    let access = if options.read_only { Access::ReadOnly } else { Access::Acting };
    let mut home = Home::new(access, TimeZone::system());
    let (look, warning) = Look::of(options.theme.as_deref(), options.ascii);
    home.notice = options.notice.or(warning).map(Notice::bad);
    let launcher = options.launcher;
    let (sender, pulses) = sync_channel(256);
    signals::listen(sender.clone())?;
    signals::watch_terminal()?;
    let screen = Screen::enter()?;
    let input = Input::start(sender)?;
    let shown = Shown { home, look, launcher, screen };
    let chosen = shown.work(&pulses);
    drop(input);
    chosen
}

struct Shown {
    home: Home,
    look: Look,
    launcher: Box<dyn Launcher>,
    screen: Screen,
}

impl Shown {
    fn work(mut self, pulses: &Receiver<Pulse>) -> Result<Chosen, TuiError> {
        self.home.size = self.screen.size();
        // The runs come first, so that the cursor begins on the newest of them.
        self.look_at_runs();
        self.home.sweeps = self.launcher.sweeps();
        let mut looked = Instant::now();
        loop {
            if looked.elapsed() >= LOOK {
                self.look_at_runs();
                looked = Instant::now();
            }
            self.draw()?;
            let first = match pulses.recv_timeout(LOOK) {
                Ok(pulse) => pulse,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(Chosen::Leave),
            };
            // Keys that came meanwhile need one frame together.
            for pulse in std::iter::once(first).chain(pulses.try_iter()) {
                if let Some(chosen) = self.hear(pulse)? {
                    return Ok(chosen);
                }
            }
        }
    }

    fn look_at_runs(&mut self) {
        match self.launcher.runs() {
            Ok(runs) => self.home.take_runs(runs),
            Err(text) => self.home.notice = Some(Notice::bad(text)),
        }
    }

    fn hear(&mut self, pulse: Pulse) -> io::Result<Option<Chosen>> {
        match pulse {
            Pulse::Heard(Message::Key(event)) => {
                if let Some(request) = press(&mut self.home, event) {
                    return self.fulfil(request);
                }
            }
            // A paste must not act as keys; there is nothing here that takes text.
            Pulse::Heard(_) | Pulse::FilesChanged => {}
            Pulse::Resized => {
                self.screen.redraw();
                self.home.size = self.screen.size();
            }
            Pulse::Suspend => signals::sleep()?,
            Pulse::Continued => {
                self.screen.resume()?;
                self.home.size = self.screen.size();
            }
            Pulse::Terminate(signal) => return Ok(Some(Chosen::Signalled(signal))),
        }
        Ok(None)
    }

    fn fulfil(&mut self, request: HomeRequest) -> io::Result<Option<Chosen>> {
        match request {
            HomeRequest::Attach(dir) => return Ok(Some(Chosen::Attach(dir))),
            HomeRequest::Start(start) => return Ok(Some(Chosen::Start(start))),
            HomeRequest::Leave => return Ok(Some(Chosen::Leave)),
            HomeRequest::Plan(path) => {
                self.home.notice = Some(Notice::good("reading the sweep and looking at the machine"));
                self.draw()?;
                self.home.notice = None;
                self.home.page = self.launcher.plan(&path).map_or_else(
                    |lines| Page::Problems { title: format!("{} has no plan", path.display()), lines },
                    Page::Plan,
                );
            }
            HomeRequest::Suspend => signals::sleep()?,
            HomeRequest::Redraw => self.screen.redraw(),
        }
        Ok(None)
    }

    fn draw(&mut self) -> io::Result<()> {
        let (home, theme) = (&self.home, &self.look.theme);
        self.screen.draw(home.size, |buffer| draw(home, theme, buffer))
    }
}
