//! The question before something is lost.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::overlay::{self, Pieces};
use crate::tui::model::overlays::overlay::{Confirmation, Question};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::text::wrap_text;

/// Draws the question with everything that would be lost.
pub fn draw_question(question: &Question, theme: &Theme, screen: Rect, buffer: &mut Buffer) {
    let (text, key, dim) = (theme.style(Role::Text), theme.style(Role::Key), theme.style(Role::Dim));
    let mut lines: Vec<Pieces> = Vec::new();
    let room = usize::from(screen.width.saturating_sub(8)).min(100);
    for loss in &question.losses {
        for (number, line) in loss.lines().flat_map(|line| wrap_text(line, room)).enumerate() {
            let dot = if number == 0 { theme.glyphs.dot } else { " " };
            lines.push(vec![(format!("{dot} {line}"), text)]);
        }
    }
    lines.push(Vec::new());
    lines.push(match &question.answer {
        Confirmation::Yes => vec![
            ("y".to_owned(), key),
            (" yes    ".to_owned(), text),
            ("any other key".to_owned(), key),
            (" no".to_owned(), text),
        ],
        Confirmation::Number { wanted, typed } => vec![
            (format!("type {wanted} and Enter for yes: "), text),
            (typed.clone(), key),
            ("_".to_owned(), dim),
            ("    Esc".to_owned(), key),
            (" no".to_owned(), text),
        ],
        Confirmation::Name { wanted, typed } => vec![
            (format!("type {wanted} and Enter for yes: "), text),
            (typed.clone(), key),
            ("_".to_owned(), dim),
            ("    Esc".to_owned(), key),
            (" no".to_owned(), text),
        ],
    });
    overlay::draw_overlay(&question.title, &lines, 0, theme, screen, buffer);
}
