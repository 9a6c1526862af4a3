//! The main loop of the dashboard: take events, update, read files, draw; the only place where all of it
//! meets.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::message::{Message, Pulse, Request};
use super::model::overlays::theme_chooser::ThemeRequest;
use super::model::playback::Playback;
use super::model::results::headline::{self, NewsTracker};
use super::model::screen::{Model, ScreenAccess};
use super::options::{Actions, DashboardExit, KeepColumns, Options, Preferences, TuiError};
use super::sources::load::load_model;
use super::sources::node_readers::NodeReaders;
use super::sources::own_commands::collect_commands;
use super::sources::player::Player;
use super::sources::run_reader::RunReader;
use super::terminal::input::{InputThread, keep_typed_ahead};
use super::terminal::pace::{Clock, FramePace, MOST_PULSES};
use super::terminal::screen::Screen;
use super::terminal::terminal_style::TerminalStyle;
use super::terminal::{clipboard, notify, signals};
use super::update::message::update;
use super::view::frame;
use crate::model::notify::Notify;
use crate::model::state::phase::PhaseKind;
use crate::rundir::clock;
use crate::rundir::layout::RunDir;

mod lending;

/// A replay that was not brought forward for longer has stood still: the process was asleep.
const MOST_PASSED: Duration = Duration::from_secs(2);

/// Shows the run until the user leaves.
pub fn run_dashboard(options: Options) -> Result<DashboardExit, TuiError> {
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    if dumb || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(TuiError::NoTerminal);
    }
    let access = options.access;
    let mut model = load_model(&options.run, access, Timestamp::now(), TimeZone::system())?;
    let player = match access {
        ScreenAccess::Acting | ScreenAccess::ReadOnly => None,
        ScreenAccess::Replaying => Some(Player::open(&options.run, &model.plan.nodes)?),
    };
    if let Some(player) = &player {
        let from = model.info.created;
        model.playback = Some(Playback::new(from, player.last_moment().unwrap_or(from)));
    }
    let (sender, pulses) = sync_channel(MOST_PULSES);
    signals::listen(sender.clone())?;
    signals::watch_terminal()?;
    let exit = App { player, ..App::new(options, model, sender)? }.run_loop(&pulses);
    keep_typed_ahead(&pulses);
    exit
}

struct App {
    model: Model,
    look: TerminalStyle,
    actions: Box<dyn Actions>,
    reader: RunReader,
    run: RunDir,
    nodes: NodeReaders,
    /// Reports the past instead of `reader`, where that is shown.
    player: Option<Player>,
    /// When a replay was last brought forward.
    played: Instant,
    clock: Clock,
    sent: u64,
    notify: Notify,
    keep_columns: Option<KeepColumns>,
    /// The news that the user, who may look elsewhere, already has.
    known: NewsTracker,
    screen: Screen,
    /// The process is suspended: the terminal is the shell's until it goes on.
    asleep: bool,
    /// Reads keys; nothing while a shard has the terminal.
    input: Option<InputThread>,
    sender: SyncSender<Pulse>,
}

impl App {
    fn new(options: Options, mut model: Model, sender: SyncSender<Pulse>) -> Result<Self, TuiError> {
        let (look, of_theme) = TerminalStyle::from_preferences(&options.preferences);
        let Preferences { slow, keymap, commands, notify, warning, columns, keep_columns, mouse, .. } =
            options.preferences;
        model.own = collect_commands(&options.run, model.access, commands, &model.plan.commands, &keymap);
        model.keymap = keymap;
        model.columns = columns;
        notify::ask_around(notify.alarm, |name| std::env::var(name).ok());
        if let Some(text) = warning.or(of_theme) {
            update(&mut model, Message::Told { text, bad: true });
        }
        let waker = sender.clone();
        Ok(Self {
            reader: RunReader::with_wake(&options.run, move || _ = waker.try_send(Pulse::FilesChanged)),
            run: options.run,
            nodes: NodeReaders::default(),
            player: None,
            played: Instant::now(),
            clock: Clock::new(FramePace::for_terminal(slow), Instant::now()),
            model,
            look,
            actions: options.actions,
            sent: 0,
            notify,
            keep_columns,
            known: NewsTracker::default(),
            screen: Screen::enter(mouse)?,
            asleep: false,
            input: Some(InputThread::start(sender.clone())?),
            sender,
        })
    }

    fn run_loop(mut self, pulses: &Receiver<Pulse>) -> Result<DashboardExit, TuiError> {
        self.resize();
        if self.reader.is_long() {
            // Reading takes a moment then; the name of the run is better than nothing.
            self.draw_screen()?;
        }
        loop {
            let now = Instant::now();
            if self.clock.take_tick(now) {
                self.tick();
            }
            if self.clock.take_look(now) {
                self.poll_files();
            }
            if !self.asleep && self.clock.take_frame(now) {
                self.draw_screen()?;
            }
            match pulses.recv_timeout(self.clock.idle_time(Instant::now())) {
                Ok(first) => {
                    // Keys that came together are answered together: a slow line never lags behind a key that is held.
                    for pulse in std::iter::once(first).chain(pulses.try_iter().take(MOST_PULSES)) {
                        if let Some(exit) = self.handle_pulse(pulse)? {
                            return Ok(exit);
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(DashboardExit::Detached),
            }
        }
    }

    fn handle_pulse(&mut self, pulse: Pulse) -> Result<Option<DashboardExit>, TuiError> {
        match pulse {
            Pulse::Heard(message) => {
                self.clock.request_frame();
                if self.player.is_some() {
                    self.clock.look_at_once();
                }
                for request in self.apply_message(message) {
                    if let Some(exit) = self.handle_request(request)? {
                        return Ok(Some(exit));
                    }
                }
            }
            Pulse::FilesChanged => self.clock.stale = true,
            Pulse::Resized => {
                // A terminal that was another size in between has moved or cut what was on it.
                self.screen.force_redraw();
                self.resize();
            }
            Pulse::Suspend => self.suspend_process()?,
            Pulse::Continued => {
                self.asleep = false;
                self.screen.resume()?;
                self.resize();
            }
            Pulse::Terminate(signal) => return Ok(Some(DashboardExit::Signalled(signal))),
        }
        Ok(None)
    }

    fn apply_message(&mut self, message: Message) -> Vec<Request> {
        self.clock.dirty = true;
        update(&mut self.model, message)
    }

    fn handle_request(&mut self, request: Request) -> Result<Option<DashboardExit>, TuiError> {
        match request {
            Request::Send(command) => {
                // A supervisor that has to be started first takes a moment; the screen shows what is going
                // on.
                self.apply_message(Message::Told { text: "asking the supervisor".to_owned(), bad: false });
                self.draw_screen()?;
                let reply = self.actions.send_command(command.clone());
                self.apply_message(Message::Replied { command, reply });
                self.clock.stale = true;
            }
            Request::Enter(shard) => self.enter_shard(&shard)?,
            Request::Own(run) => self.run_own(run)?,
            Request::ReadLog(piece) => {
                let message = match &mut self.player {
                    Some(player) => player.piece_of_log(piece),
                    None => self.reader.piece_of_log(piece),
                };
                message.into_iter().for_each(|message| _ = self.apply_message(message));
            }
            Request::FindInLog { from, up, search } => {
                let message = match &self.player {
                    Some(player) => player.find_in_log(from, up, &search),
                    None => self.reader.find_in_log(from, up, &search),
                };
                // What was found has to be read as well.
                for request in message.map(|message| self.apply_message(message)).unwrap_or_default() {
                    self.handle_request(request)?;
                }
            }
            Request::Copy(text) => {
                let inside_tmux = std::env::var_os("TMUX").is_some();
                self.screen.send_bytes(&clipboard::copy_sequence(&text, inside_tmux))?;
            }
            Request::Save { path, text } => {
                let (text, bad) = clipboard::save_text(&path, &text);
                self.apply_message(Message::Told { text, bad });
            }
            Request::Page => self.open_pager()?,
            Request::Theme(ThemeRequest::List) => {
                let themes = self.look.theme_chooser();
                self.apply_message(Message::Themes(themes));
            }
            Request::Theme(ThemeRequest::Show(name)) => self.look.show_theme(&name),
            Request::Theme(ThemeRequest::Keep(name)) => {
                let kept = self.look.keep_theme(&name);
                let bad = kept.is_err();
                self.apply_message(Message::Told { text: kept.unwrap_or_else(|text| text), bad });
            }
            Request::KeepColumns(choice) => {
                if let Some(Err(text)) = self.keep_columns.map(|keep| keep(&choice)) {
                    self.apply_message(Message::Told { text, bad: true });
                }
            }
            Request::Mouse => {
                let text = self.screen.toggle_mouse().to_owned();
                self.apply_message(Message::Told { text, bad: false });
            }
            Request::Redraw => {
                self.screen.force_redraw();
                self.clock.dirty = true;
            }
            Request::Suspend => self.suspend_process()?,
            Request::Home => return Ok(Some(DashboardExit::Home)),
            Request::Leave => return Ok(Some(DashboardExit::Detached)),
        }
        Ok(None)
    }

    /// Once a second: the moment, the machine, the supervisor, the marks.
    fn tick(&mut self) {
        let sent = self.screen.sent_bytes();
        let bytes = sent - self.sent;
        self.sent = sent;
        if let Some(playback) = self.model.playback {
            self.apply_message(Message::Tick { now: playback.at, bytes });
            self.clock.stale = true;
            return;
        }
        let mut news = self.reader.read_telemetry();
        if let Err(error) = self.nodes.follow(&self.run, self.model.current_nodes()) {
            news.push(Message::Told { text: format!("nodes cannot be read: {error}"), bad: true });
        }
        news.extend(self.nodes.take_news());
        news.push(self.reader.check_supervisor());
        for message in news {
            self.apply_message(message);
        }
        self.poll_files();
        for message in self.reader.read_marks(&self.model) {
            self.apply_message(message);
        }
        let now = clock::of_run(self.model.state.clock.as_ref());
        self.apply_message(Message::Tick { now, bytes });
    }

    /// Reads journal and log.
    fn poll_files(&mut self) {
        if let Some(player) = self.player.take() {
            self.player = Some(self.advance_replay(player));
            return;
        }
        let facts = self.reader.read_journal();
        facts.into_iter().for_each(|message| _ = self.apply_message(message));
        let log = self.reader.read_log(&self.model);
        log.into_iter().for_each(|message| _ = self.apply_message(message));
    }

    /// Brings the model to the moment that a replay shows.
    fn advance_replay(&mut self, mut player: Player) -> Player {
        let now = Instant::now();
        // Time in which this process slept is no time of the replay.
        let passed = now.duration_since(std::mem::replace(&mut self.played, now)).min(MOST_PASSED);
        let Some(playback) = &mut self.model.playback else { return player };
        playback.advance_time(passed);
        let (to, playing) = (playback.at, playback.playing);
        if player.played_until() != Some(to) {
            let news = player.play_to(to);
            news.into_iter().for_each(|message| _ = self.apply_message(message));
            self.apply_message(Message::Moment(to));
        }
        for message in player.read_marks(&self.model, to) {
            self.apply_message(message);
        }
        if let Some(message) = player.read_log(&self.model) {
            self.apply_message(message);
        }
        self.clock.stale |= playing;
        player
    }

    fn draw_screen(&mut self) -> Result<(), TuiError> {
        self.announce_news()?;
        let (model, theme) = (&self.model, &self.look.theme);
        self.screen.draw_frame(model.size, |buffer| frame::draw_frame(model, theme, buffer))?;
        // The log of a shard that was just selected should not wait for the next look.
        let told = match &self.player {
            Some(player) => player.log_key(),
            None => self.reader.log_key(),
        };
        self.clock.stale |= told != self.model.log.key.as_ref();
        Ok(())
    }

    /// Sets the title, and announces news to a user who looks elsewhere.
    fn announce_news(&mut self) -> io::Result<()> {
        let variable = |name: &str| std::env::var(name).ok();
        if self.notify.title && notify::has_title(variable) {
            let failed = self.look.theme.glyphs.for_phase(PhaseKind::Failed);
            self.screen.set_title(&headline::window_title(&self.model, failed));
        }
        let news = self.known.take_news(&self.model);
        match news.and_then(|text| notify::alert_sequence(&text, self.notify.alarm, variable)) {
            Some(bytes) => self.screen.send_bytes(&bytes),
            None => Ok(()),
        }
    }

    fn resize(&mut self) {
        let (columns, rows) = self.screen.size();
        self.apply_message(Message::Resized(columns, rows));
    }

    /// Other threads may take the signal, so this one can still run for a moment; it draws no more until it goes on.
    fn suspend_process(&mut self) -> Result<(), TuiError> {
        self.asleep = true;
        Ok(signals::suspend_process()?)
    }
}
