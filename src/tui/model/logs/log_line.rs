//! One line of a log: its text without anything that commands a terminal, its colours, and its place in the file.

use jiff::Timestamp;
use ratatui::style::Style;

/// A line of a log, ready to be drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogLine {
    /// Offset in the file at which the line begins.
    pub offset: u64,
    /// Offset at which the next line begins.
    pub end: u64,
    /// When it was read, where that was soon after it was written.
    pub at: Option<Timestamp>,
    /// The text without control characters.
    pub text: String,
    /// From these bytes of the text on, these colours.
    pub colours: Vec<(usize, Style)>,
}

impl LogLine {
    /// A line without colours.
    pub fn plain(offset: u64, text: &str) -> Self {
        Self { offset, end: offset + text.len() as u64 + 1, text: text.to_owned(), ..Self::default() }
    }

    /// Returns about how many bytes of memory the line takes.
    pub fn weight(&self) -> usize {
        size_of::<Self>() + self.text.capacity() + self.colours.capacity() * size_of::<(usize, Style)>()
    }

    /// The colours at a byte of the text.
    pub fn colour_at(&self, byte: usize) -> Style {
        let before = self.colours.iter().take_while(|(from, _)| *from <= byte);
        before.last().map(|(_, style)| *style).unwrap_or_default()
    }
}
