//! The main loop of the home screen: take events, update, take what the scout found, draw.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Instant;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::message::{Message, Pulse};
use super::model::home_screen::home::HomeModel;
use super::model::overlays::overlay::Notice;
use super::model::overlays::theme_chooser::ThemeRequest;
use super::model::screen::ScreenAccess;
use super::options::{Chosen, HomeOptions, TuiError};
use super::sources::background_loader::{BackgroundLoader, LoadRequest, LoaderReport};
use super::terminal::input::{InputThread, keep_typed_ahead};
use super::terminal::pace::{Clock, FramePace, MOST_PULSES};
use super::terminal::screen::Screen;
use super::terminal::signals;
use super::terminal::terminal_style::TerminalStyle;
use super::update::home::{handle_key, resize, take_plan, use_mouse};
use super::update::home_request::HomeRequest;
use super::view::home_screen::home::draw_home;

/// Shows runs and sweeps until one of them is chosen or the user leaves.
pub fn run_home(options: HomeOptions) -> Result<Chosen, TuiError> {
    let access = if options.read_only { ScreenAccess::ReadOnly } else { ScreenAccess::Acting };
    let mut home = HomeModel::new(access, Timestamp::now(), TimeZone::system());
    let preferences = options.preferences;
    let (look, of_theme) = TerminalStyle::from_preferences(&preferences);
    home.keymap = preferences.keymap;
    home.notice = options.notice.or(preferences.warning).or(of_theme).map(Notice::bad);
    let (sender, pulses) = sync_channel(MOST_PULSES);
    signals::listen(sender.clone())?;
    signals::watch_terminal()?;
    let waker = sender.clone();
    // A queue that is full wakes too.
    let scout = BackgroundLoader::start(options.launcher, move || _ = waker.try_send(Pulse::FilesChanged))?;
    let clock = Clock::new(FramePace::for_terminal(preferences.slow), Instant::now());
    let screen = Screen::enter(preferences.mouse)?;
    let input = InputThread::start(sender)?;
    let shown = HomeLoop { home, look, scout, clock, screen, asleep: false };
    let chosen = shown.run_loop(&pulses);
    drop(input);
    keep_typed_ahead(&pulses);
    chosen
}

struct HomeLoop {
    home: HomeModel,
    look: TerminalStyle,
    scout: BackgroundLoader,
    clock: Clock,
    screen: Screen,
    /// The process is suspended: the terminal is the shell's until it goes on.
    asleep: bool,
}

impl HomeLoop {
    fn run_loop(mut self, pulses: &Receiver<Pulse>) -> Result<Chosen, TuiError> {
        // There are no files to look at.
        self.clock.stale = false;
        resize(&mut self.home, self.screen.size());
        loop {
            let now = Instant::now();
            if self.clock.take_tick(now) {
                self.home.tick(Timestamp::now());
                self.clock.dirty = true;
            }
            let news: Vec<LoaderReport> = self.scout.take_news().collect();
            news.into_iter().for_each(|news| self.apply_news(news));
            if !self.asleep && self.clock.take_frame(now) {
                self.draw_screen()?;
            }
            let first = match pulses.recv_timeout(self.clock.idle_time(Instant::now())) {
                Ok(pulse) => pulse,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(Chosen::Leave),
            };
            // Keys that came together are answered together: a slow line never lags behind a key that is held.
            for pulse in std::iter::once(first).chain(pulses.try_iter().take(MOST_PULSES)) {
                if let Some(chosen) = self.handle_pulse(pulse)? {
                    return Ok(chosen);
                }
            }
        }
    }

    fn apply_news(&mut self, news: LoaderReport) {
        self.clock.dirty = true;
        match news {
            LoaderReport::Runs(Ok(runs)) => self.home.take_runs(runs),
            LoaderReport::Runs(Err(text)) | LoaderReport::NotForgotten(text) => {
                self.home.notice = Some(Notice::bad(text))
            }
            LoaderReport::Sweeps(sweeps) => self.home.take_sweeps(sweeps),
            // A key has asked for it.
            LoaderReport::Plan(wish, answer) => {
                self.clock.request_frame();
                take_plan(&mut self.home, &wish, *answer);
            }
        }
    }

    fn handle_pulse(&mut self, pulse: Pulse) -> io::Result<Option<Chosen>> {
        match pulse {
            Pulse::Heard(Message::Key(event)) => {
                self.clock.request_frame();
                if let Some(request) = handle_key(&mut self.home, event) {
                    return self.handle_request(request);
                }
            }
            Pulse::Heard(Message::Mouse(event)) => {
                self.clock.request_frame();
                if let Some(request) = use_mouse(&mut self.home, event) {
                    return self.handle_request(request);
                }
            }
            // A paste must not act as keys; what the scout found is taken before the next frame.
            Pulse::Heard(_) | Pulse::FilesChanged => {}
            Pulse::Resized => {
                self.screen.force_redraw();
                resize(&mut self.home, self.screen.size());
                self.clock.dirty = true;
            }
            Pulse::Suspend => self.suspend_process()?,
            Pulse::Continued => {
                self.asleep = false;
                self.screen.resume()?;
                resize(&mut self.home, self.screen.size());
                self.clock.dirty = true;
            }
            Pulse::Terminate(signal) => return Ok(Some(Chosen::Signalled(signal))),
        }
        Ok(None)
    }

    fn handle_request(&mut self, request: HomeRequest) -> io::Result<Option<Chosen>> {
        match request {
            HomeRequest::Attach(dir) => return Ok(Some(Chosen::Attach(dir))),
            HomeRequest::Start(start) => return Ok(Some(Chosen::Start(start))),
            HomeRequest::Demo => return Ok(Some(Chosen::Demo)),
            HomeRequest::Leave => return Ok(Some(Chosen::Leave)),
            HomeRequest::Plan(wish) => self.scout.request_load(LoadRequest::Plan(wish)),
            HomeRequest::Forget(run) => self.scout.request_load(LoadRequest::Forget(run)),
            HomeRequest::Theme(ThemeRequest::List) => self.home.themes = Some(self.look.theme_chooser()),
            HomeRequest::Theme(ThemeRequest::Show(name)) => self.look.show_theme(&name),
            HomeRequest::Theme(ThemeRequest::Keep(name)) => {
                self.home.notice = Some(self.look.keep_theme(&name).map_or_else(Notice::bad, Notice::good));
            }
            HomeRequest::Suspend => self.suspend_process()?,
            HomeRequest::Mouse => {
                self.home.notice = Some(Notice::good(self.screen.toggle_mouse()));
                self.clock.dirty = true;
            }
            HomeRequest::Redraw => self.screen.force_redraw(),
        }
        Ok(None)
    }

    /// Other threads may take the signal, so this one can still run for a moment; it draws no more until it goes on.
    fn suspend_process(&mut self) -> io::Result<()> {
        self.asleep = true;
        signals::suspend_process()
    }

    fn draw_screen(&mut self) -> io::Result<()> {
        let (home, theme) = (&self.home, &self.look.theme);
        self.screen.draw_frame(home.size, |buffer| draw_home(home, theme, buffer))
    }
}
