//! One frame of a run or of the machine, for `--once` and for pictures.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::message::Message;
use super::model::monitor::{MachineLook, Monitor};
use super::model::screen::{Model, ScreenAccess};
use super::options::{Preferences, TuiError};
use super::sources::load::{load_model, read_users};
use super::sources::node_readers;
use super::sources::run_reader::RunReader;
use super::theme::color::Depth;
use super::theme::file::Theme;
use super::theme::{painted, store};
use super::update::message::{learn_before_tick, update};
use super::update::monitor::{resize, update_machine};
use super::view::panes::text;
use super::view::{self, frame};
use crate::rundir::clock;
use crate::rundir::layout::RunDir;

/// How one frame is printed.
#[derive(Debug, Clone)]
pub struct FrameOptions {
    /// Size of the frame in columns and rows.
    pub size: (u16, u16),
    /// How many colours are printed; none makes plain text, without bold or reverse either.
    pub depth: Depth,
    /// Characters, theme and the keys of the footer.
    pub preferences: Preferences,
}

/// Draws one frame as text, and returns it with what is wrong with the theme that was asked for.
pub fn render_frame(run: &RunDir, look: &FrameOptions) -> Result<(String, Option<String>), TuiError> {
    let mut model = read_now(run, look.size)?;
    model.keymap = look.preferences.keymap.clone();
    let (theme, warning) = load_theme(look);
    Ok((format_buffer(&draw_model(&model, &theme), look), warning))
}

/// The machine alone as one frame, and what is wrong with the theme that was asked for.
pub fn render_machine(host: String, now: MachineLook, look: &FrameOptions) -> (String, Option<String>) {
    let mut monitor = Monitor::new(host, read_users(), now.host.timestamp, TimeZone::system());
    resize(&mut monitor, look.size);
    update_machine(&mut monitor, now);
    monitor.keymap = look.preferences.keymap.clone();
    let (theme, warning) = load_theme(look);
    (format_buffer(&draw_monitor(&monitor, &theme), look), warning)
}

fn load_theme(look: &FrameOptions) -> (Theme, Option<String>) {
    let preferences = &look.preferences;
    store::load_or_default(preferences.theme.as_deref(), look.depth, preferences.ascii)
}

fn format_buffer(buffer: &Buffer, look: &FrameOptions) -> String {
    if look.depth == Depth::None { buffer_to_text(buffer) } else { painted::buffer_to_ansi(buffer) }
}

/// Draws the monitor into a buffer of its size.
pub fn draw_monitor(monitor: &Monitor, theme: &Theme) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, monitor.size.0, monitor.size.1));
    view::monitor::draw_monitor(monitor, theme, &mut buffer);
    buffer
}

/// The model of a run with the content of all its files, seen now.
pub fn read_now(run: &RunDir, size: (u16, u16)) -> Result<Model, TuiError> {
    let mut model = load_model(run, ScreenAccess::ReadOnly, Timestamp::now(), TimeZone::system())?;
    read_files(run, size, &mut model, |model| clock::of_run(model.state.clock.as_ref()));
    Ok(model)
}

/// The model of a run with the content of all its files, seen at a moment.
pub fn read_model(run: &RunDir, size: (u16, u16), now: Timestamp, zone: TimeZone) -> Result<Model, TuiError> {
    let mut model = load_model(run, ScreenAccess::ReadOnly, now, zone)?;
    read_files(run, size, &mut model, |_| now);
    Ok(model)
}

pub(super) fn see_at(model: &mut Model, now: Timestamp) {
    update(model, Message::Tick { now, bytes: 0 });
    model.bytes_per_second = None;
}

fn read_files(run: &RunDir, size: (u16, u16), model: &mut Model, now: impl FnOnce(&Model) -> Timestamp) {
    let mut reader = RunReader::new(run);
    let mut news = vec![Message::Resized(size.0, size.1)];
    news.extend(reader.read_journal());
    news.extend(reader.read_telemetry());
    // A supervisor that is not there at the one look there is counts as missing.
    news.extend([reader.check_supervisor(), reader.check_supervisor()]);
    learn_before_tick(model, news);
    let news = node_readers::read_nodes(run, model.current_nodes());
    learn_before_tick(model, news);
    learn_before_tick(model, reader.read_marks(model));
    see_at(model, now(model));
    if let Some(message) = reader.read_log(model) {
        update(model, message);
    }
}

/// Draws a model into a buffer of its size.
pub fn draw_model(model: &Model, theme: &Theme) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, model.size.0, model.size.1));
    frame::draw_frame(model, theme, &mut buffer);
    buffer
}

/// The characters of a buffer, without blanks at the ends of lines.
pub fn buffer_to_text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        let mut line = String::new();
        let mut x = buffer.area.left();
        while x < buffer.area.right() {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            // The cells after a wide character are empty.
            x += text::text_width(symbol).max(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
