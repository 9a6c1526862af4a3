//! The two ways out: data goes to stdout, words go to stderr, and a closed pipe ends both quietly. What people read is
//! made printable here, because names and messages come from files that anyone may have written.

use std::io::{self, IsTerminal, Write};

use super::error::CliError;
use super::exit_code::CliExit;
use crate::model::logs::coloured::Coloured;
use crate::model::logs::printable::{printable_json, printable_lines};

/// Writes lines for people.
pub fn print_text(text: &str) -> Result<(), CliError> {
    print_data(&printable_lines(text))
}

/// Writes data. A reader that has seen enough (`| head`) ends the program without a complaint.
pub fn print_data(text: &str) -> Result<(), CliError> {
    write_bytes(text.as_bytes())
}

/// Writes raw data to stdout.
pub fn write_bytes(bytes: &[u8]) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => CliError::new(CliExit::Done, ""),
        _ => CliError::system("write to stdout")(error),
    })
}

/// Writes a document as JSON.
pub fn print_json<T: serde::Serialize>(document: &T) -> Result<(), CliError> {
    let mut text = serde_json::to_string_pretty(document)
        .map_err(|error| CliError::unreachable(format!("cannot write JSON: {error}")))?;
    text.push('\n');
    print_data(&printable_json(text))
}

/// Prints a message for the user; a failure is ignored, because there is nowhere left to report it.
pub fn print_message(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable_lines(text));
}

/// Prints why the program ends. Problems of a sweep file are drawn with colours.
pub fn report_error(error: &CliError) {
    if !error.message.is_empty() {
        let mut shown = Vec::new();
        let mut coloured = Coloured::default();
        let prefix = if error.is_drawn { "" } else { "error: " };
        coloured.feed(format!("{prefix}{error}\n").as_bytes(), &mut shown);
        coloured.finish(&mut shown);
        let _ = io::stderr().lock().write_all(&shown);
    }
}

/// Both the keyboard and the screen are a terminal.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Reports whether messages may be coloured: stderr is a terminal and the user has not asked for plain text.
pub fn is_colour_allowed() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
