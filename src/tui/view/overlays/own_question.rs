//! The question before a command of the user's own runs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::overlay::{self, Pieces};
use crate::tui::model::overlays::own_commands::OwnRun;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::text::wrap_text;

/// Draws the question before one of the user's own commands is run.
pub fn draw_own_question(run: &OwnRun, theme: &Theme, screen: Rect, buffer: &mut Buffer) {
    let (text, key) = (theme.style(Role::Text), theme.style(Role::Key));
    let room = usize::from(screen.width.saturating_sub(8)).min(100);
    let words = run.command_line();
    let lines = words.lines().flat_map(|line| wrap_text(line, room));
    let mut lines: Vec<Pieces> = lines.map(|line| vec![(line, text)]).collect();
    lines.push(Vec::new());
    lines.push(vec![
        ("y".to_owned(), key),
        (" yes    ".to_owned(), text),
        ("any other key".to_owned(), key),
        (" no".to_owned(), text),
    ]);
    overlay::draw_overlay(&format!("Run {}?", run.title()), &lines, 0, theme, screen, buffer);
}
