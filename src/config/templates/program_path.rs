//! A path as templates see it: text that knows it was made by the program.

use std::fmt;
use std::sync::Arc;

use minijinja::value::{Object, ObjectRepr};

/// A path made by the program: quoted by itself in shell text.
#[derive(Debug)]
pub(in crate::config) struct ProgramPath(pub(in crate::config) String);

impl ProgramPath {
    pub(in crate::config) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Object for ProgramPath {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
