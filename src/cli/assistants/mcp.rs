//! `mcp`: a server for assistants, which reads a message a line and answers each. A call of a tool is a call of this
//! program's own verb, so that both know the same and may do the same.

use std::io::{self, BufRead, IsTerminal, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

use serde_json::Value;

use super::mcp_args::McpArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::mcp::protocol::{Answer, ToolOutcome, answer};

/// Bytes of a tool's output that an assistant gets: what it reads costs it memory.
const LONGEST_OUTPUT: u64 = 200_000;

/// Answers until there are no more messages.
pub fn run(args: &McpArgs) -> Result<CliExit, CliError> {
    if io::stdin().is_terminal() {
        output::print_message(
            "an assistant speaks to this over standard input: give it the command `sweepdeck mcp` (Ctrl-D ends it)",
        );
    }
    let program = std::env::current_exe().map_err(CliError::system("find this program"))?;
    std::thread::scope(|scope| {
        for line in io::stdin().lock().split(b'\n') {
            let line = line.map_err(CliError::system("read standard input"))?;
            if line.trim_ascii().is_empty() {
                continue;
            }
            match answer(&line, args.allow_acting) {
                Answer::Silence => {}
                Answer::Reply(message) => send(&message)?,
                // On the side, so that the next message does not wait for a long report.
                Answer::Call(call) => {
                    let program = program.clone();
                    scope.spawn(move || {
                        let outcome = run_verb(program, &call.words).unwrap_or_else(failure);
                        // Where nobody reads any more, the next message reports it.
                        let _ = send(&call.reply(outcome));
                    });
                }
            }
        }
        Ok(CliExit::Done)
    })
}

/// Writes a message; the lock of standard output keeps it in one piece.
fn send(message: &Value) -> Result<(), CliError> {
    output::write_bytes(format!("{message}\n").as_bytes())
}

fn failure(error: io::Error) -> ToolOutcome {
    ToolOutcome { texts: vec![format!("cannot run sweepdeck: {error}")], has_failed: true }
}

fn run_verb(program: PathBuf, words: &[String]) -> io::Result<ToolOutcome> {
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (data, messages) = read_outputs(&mut child)?;
    let was_cut = data.len() as u64 > LONGEST_OUTPUT;
    if was_cut {
        // It may wait for a reader of the rest.
        child.kill()?;
    }
    let status = child.wait()?;
    let mut texts = vec![shorten(data), String::from_utf8_lossy(&messages).into_owned()];
    if was_cut {
        texts.push(format!("the output is cut: it is longer than {LONGEST_OUTPUT} bytes"));
    }
    Ok(ToolOutcome { texts, has_failed: !was_cut && !status.success() })
}

/// Reads both outputs side by side, each up to a bound.
fn read_outputs(child: &mut Child) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let (stdout, stderr): (Option<ChildStdout>, Option<ChildStderr>) =
        (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let messages = scope.spawn(|| read_bounded(stderr));
        let data = read_bounded(stdout)?;
        let messages = messages.join().unwrap_or_else(|_| Ok(Vec::new()))?;
        Ok((data, messages))
    })
}

fn read_bounded(source: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(source) = source {
        source.take(LONGEST_OUTPUT + 1).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// JSON without the blanks that make it readable for people; other text as it is.
fn shorten(mut data: Vec<u8>) -> String {
    match serde_json::from_slice::<Value>(&data) {
        Ok(document) => document.to_string(),
        Err(_) => {
            data.truncate(LONGEST_OUTPUT as usize);
            String::from_utf8_lossy(&data).into_owned()
        }
    }
}
