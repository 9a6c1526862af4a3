//! The parsers of single texts: what they make of anything must hold.

use sweepdeck::progress::files::progress_file::progress_in;
use sweepdeck::progress::text::python_literal;
use sweepdeck::progress::text::python_literal::PythonLiteral;

/// Reads a text as every parser does; panics where what comes out cannot be.
pub fn read(text: &[u8]) {
    if let Some(read) = python_literal::read(text) {
        assert!(depth(&read.literal) <= 100, "nested without bound");
        assert!(read.rest.len() < text.len(), "nothing was read");
        assert!(text.ends_with(read.rest), "the rest is not of the text");
    }
    progress_in(text);
}

fn depth(literal: &PythonLiteral) -> usize {
    match literal {
        PythonLiteral::Nothing
        | PythonLiteral::Truth(_)
        | PythonLiteral::Number(_)
        | PythonLiteral::Text(_) => 0,
        PythonLiteral::List(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        PythonLiteral::Map(pairs) => {
            1 + pairs.iter().map(|(key, value)| depth(key).max(depth(value))).max().unwrap_or(0)
        }
    }
}
