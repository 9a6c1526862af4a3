//! Commands of the user's own: begun by their key or from the palette, asked about, and reported when they end.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::model::sweep::own_command::CommandMode;
use crate::tui::layout::{ScreenShape, layout_areas};
use crate::tui::message::Request;
use crate::tui::model::events::EventLine;
use crate::tui::model::overlays::overlay::{Notice, Overlay};
use crate::tui::model::overlays::own_commands::OwnRun;
use crate::tui::model::overlays::own_row::prepare_run;
use crate::tui::model::screen::Model;
use crate::tui::theme::role::Role;

/// The command that has this key.
pub fn number_of(model: &Model, event: KeyEvent) -> Option<usize> {
    model.own.list.iter().position(|own| own.has_key(event))
}

/// Runs a command, or asks first if the command wants that.
pub fn begin_command(model: &mut Model, number: usize) -> Vec<Request> {
    // What a command is about, and a question about it, must be seen.
    if layout_areas(model).shape == ScreenShape::Line {
        return Vec::new();
    }
    let confirm = model.own.list.get(number).is_some_and(|own| own.command.confirm);
    match prepare_run(model, number) {
        None => {}
        Some(Err(why)) => model.notice = Some(Notice::bad(why)),
        Some(Ok(run)) if confirm => model.overlay = Overlay::OwnCommand(run),
        Some(Ok(run)) => return start_command(model, run),
    }
    Vec::new()
}

/// Whatever is not a clear yes is a no.
pub fn answer_question(model: &mut Model, event: KeyEvent) -> Vec<Request> {
    let Overlay::OwnCommand(run) = std::mem::take(&mut model.overlay) else { return Vec::new() };
    // Esc and `y` in one packet are Alt-y; and what cannot be read cannot be meant.
    let is_meant = !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    let is_yes = is_meant && matches!(event.code, KeyCode::Char('y' | 'Y'));
    if is_yes && layout_areas(model).shape != ScreenShape::Line {
        start_command(model, run)
    } else {
        Vec::new()
    }
}

fn start_command(model: &mut Model, run: OwnRun) -> Vec<Request> {
    match run.mode {
        CommandMode::Background => {
            model.notice = Some(Notice::good(format!("{} runs in the background", run.title())))
        }
        CommandMode::Foreground | CommandMode::Wait => {}
    }
    vec![Request::Own(run)]
}

/// Reports how a command ended, and keeps it among the events.
pub fn report_end(model: &mut Model, run: &OwnRun, result: Result<(), String>) {
    let text = match &result {
        Ok(()) => format!("{}: done", run.title()),
        Err(why) => format!("{}: {why}", run.title()),
    };
    let role = if result.is_ok() { Role::Strong } else { Role::Warning };
    model.events.push(EventLine::of_user(model.now, role, &text, None));
    match (run.mode, result) {
        // Who has just seen it end needs no word about that.
        (CommandMode::Foreground | CommandMode::Wait, Ok(())) => {}
        (CommandMode::Background, Ok(())) => model.notice = Some(Notice::good(text)),
        (_, Err(_)) => model.notice = Some(Notice::bad(text)),
    }
}
