//! The question before something is lost.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::overlay::{self, Pieces};
use crate::tui::model::overlay::{Answer, Question};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws it.
pub fn draw(question: &Question, theme: &Theme, screen: Rect, buffer: &mut Buffer) {
    let (text, key, dim) = (theme.style(Role::Text), theme.style(Role::Key), theme.style(Role::Dim));
    let mut lines: Vec<Pieces> = Vec::new();
    for loss in &question.losses {
        lines.push(vec![(format!("{} {loss}", theme.glyphs.dot), text)]);
    }
    lines.push(Vec::new());
    lines.push(match &question.answer {
        Answer::Yes => vec![
            ("y".to_owned(), key),
            (" yes    ".to_owned(), text),
            ("any other key".to_owned(), key),
            (" no".to_owned(), text),
        ],
        Answer::Number { wanted, typed } => vec![
            (format!("type {wanted} and Enter for yes: "), text),
            (typed.clone(), key),
            ("_".to_owned(), dim),
            ("    Esc".to_owned(), key),
            (" no".to_owned(), text),
        ],
    });
    overlay::draw(&question.title, &lines, 0, theme, screen, buffer);
}
