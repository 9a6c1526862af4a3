//! The main loop of the monitor: take events, read the machine, draw.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;

use super::message::{Message, Pulse};
use super::model::monitor::{MachineLook, Monitor};
use super::model::overlays::overlay::Notice;
use super::model::overlays::theme_chooser::ThemeRequest;
use super::options::{MonitorOptions, TuiError};
use super::sources::load::read_users;
use super::sources::periodic_reader::PeriodicReader;
use super::terminal::input::InputThread;
use super::terminal::pace::{Clock, FramePace, MOST_PULSES};
use super::terminal::screen::Screen;
use super::terminal::terminal_style::TerminalStyle;
use super::terminal::{notify, signals};
use super::update::monitor::{MonitorRequest, apply_tick, handle_key, resize, update_machine, use_mouse};
use super::view::monitor::draw_monitor;
use crate::model::logs::printable::to_printable;
use crate::rundir::clock;

/// How often the age of what is shown is looked at, and how much was sent.
const PERIOD: Duration = Duration::from_secs(1);

/// How the monitor was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MonitorExit {
    /// The user left by a key.
    ByKey,
    /// A signal of this number ended it.
    BySignal(i32),
}

/// Shows the machine until the user leaves.
pub fn run_monitor(options: MonitorOptions) -> Result<MonitorExit, TuiError> {
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    if dumb || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(TuiError::NoTerminal);
    }
    let preferences = options.preferences;
    let (look, of_theme) = TerminalStyle::from_preferences(&preferences);
    let mut monitor = Monitor::new(options.host, read_users(), clock::now(), TimeZone::system());
    monitor.keymap = preferences.keymap;
    monitor.notice = preferences.warning.or(of_theme).map(Notice::bad);
    let (sender, pulses) = sync_channel(MOST_PULSES);
    signals::listen(sender.clone())?;
    signals::watch_terminal()?;
    let waker = sender.clone();
    let mut readings = options.readings;
    let read = move || readings.read_machine(clock::now());
    // A full queue has pulses enough to wake the loop.
    let wake = move || _ = waker.try_send(Pulse::FilesChanged);
    let reader = PeriodicReader::start("machine".to_owned(), read, wake)?;
    let screen = Screen::enter(preferences.mouse)?;
    let input = InputThread::start(sender)?;
    let clock = Clock::new(FramePace::for_terminal(preferences.slow), Instant::now());
    let variable = |name: &str| std::env::var(name).ok();
    let title = (preferences.notify.title && notify::has_title(variable))
        .then(|| format!("sweepdeck monitor {}", to_printable(&monitor.host)));
    let shown = MonitorLoop { monitor, look, reader, clock, screen, title, sent: 0, asleep: false };
    let left = shown.run_loop(&pulses);
    drop(input);
    left
}

struct MonitorLoop {
    monitor: Monitor,
    look: TerminalStyle,
    reader: PeriodicReader<MachineLook>,
    clock: Clock,
    screen: Screen,
    /// Text of the terminal's title, where it may be set.
    title: Option<String>,
    sent: u64,
    /// The process is suspended: the terminal is the shell's until it goes on.
    asleep: bool,
}

impl MonitorLoop {
    fn run_loop(mut self, pulses: &Receiver<Pulse>) -> Result<MonitorExit, TuiError> {
        // There are no files to look at.
        self.clock.stale = false;
        resize(&mut self.monitor, self.screen.size());
        let mut due = Instant::now() + PERIOD;
        loop {
            let now = Instant::now();
            if now >= due {
                let bytes = self.screen.sent_bytes() - self.sent;
                self.sent = self.screen.sent_bytes();
                apply_tick(&mut self.monitor, clock::now(), bytes);
                self.clock.dirty = true;
                due = now + PERIOD;
            }
            if let Some(look) = self.reader.take_latest() {
                update_machine(&mut self.monitor, look);
                self.clock.dirty = true;
            }
            if !self.asleep && self.clock.take_frame(now) {
                if let Some(title) = &self.title {
                    self.screen.set_title(title);
                }
                let (monitor, theme) = (&self.monitor, &self.look.theme);
                self.screen.draw_frame(monitor.size, |buffer| draw_monitor(monitor, theme, buffer))?;
            }
            let now = Instant::now();
            let rest = self.clock.rest_of_frame(now).map_or(PERIOD, |frame| frame.min(PERIOD));
            match pulses.recv_timeout(rest.min(due.saturating_duration_since(now))) {
                Ok(first) => {
                    // Keys that came together are answered together: a slow line never lags behind a key that is held.
                    for pulse in std::iter::once(first).chain(pulses.try_iter().take(MOST_PULSES)) {
                        if let Some(left) = self.handle_pulse(pulse)? {
                            return Ok(left);
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(MonitorExit::ByKey),
            }
        }
    }

    fn handle_pulse(&mut self, pulse: Pulse) -> io::Result<Option<MonitorExit>> {
        self.clock.dirty = true;
        match pulse {
            Pulse::Heard(Message::Key(event)) => {
                self.clock.request_frame();
                if let Some(request) = handle_key(&mut self.monitor, event) {
                    return self.handle_request(request);
                }
            }
            Pulse::Heard(Message::Mouse(event)) => {
                self.clock.request_frame();
                use_mouse(&mut self.monitor, event);
            }
            // A paste must not act as keys; there is nothing here that takes text.
            Pulse::Heard(_) | Pulse::FilesChanged => {}
            Pulse::Resized => {
                self.screen.force_redraw();
                resize(&mut self.monitor, self.screen.size());
            }
            Pulse::Suspend => self.suspend_process()?,
            Pulse::Continued => {
                self.asleep = false;
                self.screen.resume()?;
                resize(&mut self.monitor, self.screen.size());
            }
            Pulse::Terminate(signal) => return Ok(Some(MonitorExit::BySignal(signal))),
        }
        Ok(None)
    }

    fn handle_request(&mut self, request: MonitorRequest) -> io::Result<Option<MonitorExit>> {
        match request {
            MonitorRequest::Theme(ThemeRequest::List) => {
                self.monitor.themes = Some(self.look.theme_chooser())
            }
            MonitorRequest::Theme(ThemeRequest::Show(name)) => self.look.show_theme(&name),
            MonitorRequest::Theme(ThemeRequest::Keep(name)) => {
                self.monitor.notice =
                    Some(self.look.keep_theme(&name).map_or_else(Notice::bad, Notice::good));
            }
            MonitorRequest::Mouse => {
                self.monitor.notice = Some(Notice::good(self.screen.toggle_mouse()));
            }
            MonitorRequest::Redraw => self.screen.force_redraw(),
            MonitorRequest::Suspend => self.suspend_process()?,
            MonitorRequest::Leave => return Ok(Some(MonitorExit::ByKey)),
        }
        Ok(None)
    }

    fn suspend_process(&mut self) -> io::Result<()> {
        self.asleep = true;
        signals::suspend_process()
    }
}
