//! A few lines to type into: the values of one shard, or a single setting of the run.

use crate::model::ids::ShardId;

/// Lines to type into, on top of the panes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The action that the form is filled in for.
    pub purpose: Purpose,
    /// The lines, at least one.
    pub fields: Vec<FormField>,
    /// Index of the line that has the cursor, from 0.
    pub at: usize,
    /// The effect that the form would have, or the mistake in it.
    pub outlook: FormPreview,
}

/// The action that a form is filled in for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// VRAM that is left free on every GPU.
    Reserve,
    /// Another run of a shard with other values.
    Edit {
        /// Id of the shard that runs again.
        shard: ShardId,
    },
    /// Further values of an axis.
    Add,
    /// The file that what is held of the log is written to.
    Save,
}

/// A line to type a value into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormField {
    /// The kind of value that the line holds.
    pub kind: FieldKind,
    /// The value as it is typed so far.
    pub text: String,
    /// Number of characters before the cursor.
    pub cursor: usize,
    /// The value of the sweep; `None` if the sweep has none.
    pub given: Option<String>,
}

/// The kind of value that a line holds, with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// A setting of the run.
    Setting(&'static str),
    /// A variable of the matrix.
    Variable(String),
    /// An axis that gets more values.
    Axis(String),
    /// An environment variable that the sweep sets, by name.
    Environment(String),
    /// `NAME=VALUE` of an environment variable that the sweep does not set.
    More,
}

/// The effect that a form would have as it is filled in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FormPreview {
    /// The values that are there already, in one line.
    pub known: Option<String>,
    /// The values that differ from those of the sweep, one line each.
    pub changes: Vec<String>,
    /// The command as it would be run.
    pub command: Option<String>,
    /// Why it cannot be done so.
    pub error: Option<String>,
}

impl FormField {
    /// A line with the cursor at its end.
    pub fn new(kind: FieldKind, text: String, given: Option<String>) -> Self {
        Self { kind, cursor: text.chars().count(), text, given }
    }

    /// Reports whether the line differs from the value of the sweep.
    pub fn is_changed(&self) -> bool {
        self.given.as_ref().map_or(!self.text.is_empty(), |given| *given != self.text)
    }

    /// Types text at the cursor.
    pub fn insert(&mut self, text: &str) {
        let clean: String = text.chars().filter(|c| !c.is_control()).collect();
        let at = self.byte_offset(self.cursor);
        self.text.insert_str(at, &clean);
        self.cursor += clean.chars().count();
    }

    /// Takes away the character before the cursor.
    pub fn backspace(&mut self) {
        if self.cursor > 0 {
            let (from, to) = (self.byte_offset(self.cursor - 1), self.byte_offset(self.cursor));
            self.text.replace_range(from..to, "");
            self.cursor -= 1;
        }
    }

    /// Takes away the character under the cursor.
    pub fn delete(&mut self) {
        let (from, to) = (self.byte_offset(self.cursor), self.byte_offset(self.cursor + 1));
        self.text.replace_range(from..to, "");
    }

    /// Empties the line and moves the cursor to its start.
    pub fn clear(&mut self) {
        self.text.clear();
        self.cursor = 0;
    }

    /// Moves the cursor, as far as there is text.
    pub fn move_cursor(&mut self, by: isize) {
        self.cursor = self.cursor.saturating_add_signed(by).min(self.text.chars().count());
    }

    fn byte_offset(&self, character: usize) -> usize {
        self.text.char_indices().nth(character).map_or(self.text.len(), |(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_edited_where_the_cursor_is_whatever_stands_in_it() {
        let mut field = FormField::new(FieldKind::More, "äb".to_owned(), None);
        field.move_cursor(-1);
        field.insert("x\ny");
        assert_eq!((field.text.as_str(), field.cursor), ("äxyb", 3));
        field.move_cursor(-99);
        field.backspace();
        field.delete();
        assert_eq!((field.text.as_str(), field.cursor), ("xyb", 0));
        field.move_cursor(99);
        field.delete();
        field.backspace();
        assert_eq!((field.text.as_str(), field.cursor), ("xy", 2));
    }
}
