//! What a line of trouble is about: the buffer, the library, the program, the port that it names.

use crate::progress::text::find::find;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::word::is_one_of;

/// `collisionStackSize` of `PxGpuDynamicsMemoryConfig::collisionStackSize buffer overflow detected`, `Patch` of
/// `Patch buffer overflow detected`.
pub fn overflown_buffer(line: &[u8]) -> Option<&[u8]> {
    let end = find(line, b"buffer overflow detected")?;
    last_word(&line[..end])
}

/// `foundLostAggregatePairsCapacity` of
/// `… needs to increase PxGpuDynamicsMemoryConfig::foundLostAggregatePairsCapacity`.
pub fn small_capacity(line: &[u8]) -> Option<&[u8]> {
    first_word(behind(line, b"MemoryConfig::")?)
}

/// The first word that looks like a library: `libGLU.so.1`, `c10.dll`, `GLIBC_2.34`.
pub fn library(line: &[u8]) -> Option<&[u8]> {
    line.split(|byte| !is_of_name(*byte))
        .find(|word| find(word, b".so").is_some() || word.ends_with(b".dll") || word.starts_with(b"GLIBC"))
}

/// `conda` of `run.sh: line 3: conda: command not found`, of `zsh: command not found: conda`, of
/// `sh: 1: conda: not found` and of `'conda' is not recognized as …`.
pub fn program(line: &[u8]) -> Option<&[u8]> {
    if let Some(behind) = behind(line, b"command not found: ") {
        return first_word(behind);
    }
    let end = [b": command not found".as_slice(), b": not found", b"' is not recognized as"]
        .into_iter()
        .find_map(|said| find(line, said))?;
    last_word(&line[..end]).filter(|_| !is_torn_command(&line[..end]))
}

/// A line of a command that its shell took for one of its own: an option, an assignment. It names no program.
fn is_torn_command(text: &[u8]) -> bool {
    let word = text.rsplit(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    word.starts_with(b"-") || word.contains(&b'=') || word.iter().all(u8::is_ascii_digit)
}

/// `python` of `timeout: failed to run command 'python': No such file or directory` and of
/// `/usr/bin/env: 'python': No such file or directory`.
pub fn program_to_run(line: &[u8]) -> Option<&[u8]> {
    find(line, b"No such file or directory")?;
    first_word(behind(line, b"failed to run command ").or_else(|| behind(line, b"/usr/bin/env: "))?)
}

/// `mujoco` of `ModuleNotFoundError: No module named 'mujoco'`, `_C` of `DLL load failed while importing _C: …`.
pub fn python_module(line: &[u8]) -> Option<&[u8]> {
    first_word(behind(line, b"No module named ").or_else(|| behind(line, b" while importing "))?)
}

/// `CRITICAL Keyboard Interrupt. Ending early.`, and no hint to press it.
pub fn keyboard_interrupt(line: &[u8]) -> Option<&[u8]> {
    behind_prefix(line).unwrap_or(line).trim_ascii_start().strip_prefix(b"Keyboard Interrupt.")
}

/// `13 TERMINATED, 3 ERROR` of `Number of trials: 16/16 (13 TERMINATED, 3 ERROR)`, as Ray Tune's tables say it, and
/// nothing where a trial has not ended or one could still be begun.
pub fn failed_trials(line: &[u8]) -> Option<&[u8]> {
    let said = std::str::from_utf8(behind(line, b"Number of trials: ")?).ok()?;
    let (count, states) = said.trim_end().strip_suffix(')')?.split_once(" (")?;
    let (begun, planned) = count.split_once('/')?;
    let have_ended =
        states.split(',').all(|state| state.ends_with(" TERMINATED") || state.ends_with(" ERROR"));
    (begun == planned && have_ended && states.contains(" ERROR")).then_some(states.as_bytes())
}

/// `SIGTERM` of `Received SIGTERM, saving`, `15` of `Caught signal 15`, and no word of what is done once it comes or of
/// who sends it to others. Other signals tell of a crash.
pub fn caught_signal(line: &[u8]) -> Option<&[u8]> {
    const SAID_FIRST: usize = 12;
    const NAMES: [&str; 5] = ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2"];
    const NUMBERS: [&str; 5] = ["1", "2", "10", "12", "15"];
    const OTHERWISE: [&str; 7] = ["if", "when", "once", "until", "after", "worker", "handler"];
    let said = behind_prefix(line).unwrap_or(line);
    let said = said.strip_prefix(b"^C").unwrap_or(said).split(|byte| !byte.is_ascii_alphanumeric());
    let words: Vec<&[u8]> = said.filter(|word| !word.is_empty()).take(SAID_FIRST).collect();
    let is_number =
        |at: usize| at > 0 && is_one_of(words[at - 1], &["signal"]) && is_one_of(words[at], &NUMBERS);
    let at = (0..words.len()).find(|at| is_one_of(words[*at], &NAMES) || is_number(*at))?;
    let holds = |words: &[&[u8]], known: &[&str]| words.iter().any(|word| is_one_of(word, known));
    let is_caught = holds(&words, &["received", "caught", "got"]);
    (is_caught && !holds(&words[..at], &OTHERWISE) && !holds(&words, &["parent"])).then_some(words[at])
}

/// `8000` of `… ('0.0.0.0', 8000): address already in use`, of `address already in use :::8000` and of `port 8000`.
pub fn port(line: &[u8]) -> Option<&[u8]> {
    let words = behind_prefix(line).unwrap_or(line);
    let ends = (0..words.len()).rev().filter(|at| words[*at].is_ascii_digit());
    ends.filter(|at| !words.get(at + 1).is_some_and(u8::is_ascii_digit)).find_map(|end| {
        let begin = words[..end].iter().rposition(|byte| !byte.is_ascii_digit())? + 1;
        let before = &words[..begin];
        let is_named = before.ends_with(b":") || before.ends_with(b"port ") || before.ends_with(b", ");
        (is_named && (4..=5).contains(&(end + 1 - begin))).then(|| &words[begin..=end])
    })
}

/// Returns what follows the first occurrence of the text.
fn behind<'a>(line: &'a [u8], text: &[u8]) -> Option<&'a [u8]> {
    find(line, text).map(|at| &line[at + text.len()..])
}

fn first_word(text: &[u8]) -> Option<&[u8]> {
    text.split(|byte| !is_of_name(*byte)).find(|word| !word.is_empty())
}

fn last_word(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_ascii_end();
    let begin = text.iter().rposition(|byte| !is_of_name(*byte)).map_or(0, |position| position + 1);
    (begin < text.len()).then(|| &text[begin..])
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'+')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(part: Option<&[u8]>) -> &str {
        part.map_or("nothing", |part| std::str::from_utf8(part).unwrap())
    }

    #[test]
    fn the_name_in_a_line_of_trouble_is_found() {
        let physx =
            b"PhysX error: PxGpuDynamicsMemoryConfig::collisionStackSize buffer overflow detected, please";
        assert_eq!(text(overflown_buffer(physx)), "collisionStackSize");
        assert_eq!(text(overflown_buffer(b"Patch buffer overflow detected, please")), "Patch");
        assert_eq!(text(overflown_buffer(b"buffer overflow detected")), "nothing");
        let loader = b"x: error while loading shared libraries: libGLU.so.1: cannot open shared object file";
        assert_eq!(text(library(loader)), "libGLU.so.1");
        let windows = br#"Error loading "C:\env\torch\lib\c10.dll" or one of its dependencies."#;
        assert_eq!(text(library(windows)), "c10.dll");
        assert_eq!(
            text(failed_trials(b"Number of trials: 16/16 (3 ERROR, 13 TERMINATED)")),
            "3 ERROR, 13 TERMINATED"
        );
        for states in
            ["1/16 (1 ERROR)", "16/16 (1 ERROR, 15 RUNNING)", "1/1 (1 TERMINATED)", "1/infinite (1 ERROR)"]
        {
            let line = format!("Number of trials: {states}");
            assert_eq!(text(failed_trials(line.as_bytes())), "nothing", "{line}");
        }
        assert_eq!(text(library(b"libc.so.6: version `GLIBC_2.34' not found (required by x)")), "libc.so.6");
        assert_eq!(text(program(b"/a/run.sh: line 3: conda: command not found")), "conda");
        for torn in ["num_environments=4", "--run-type", "4"] {
            let line = format!("/a/run.sh: line 3: {torn}: command not found");
            assert_eq!(text(program(line.as_bytes())), "nothing", "{torn}");
        }
        assert_eq!(
            text(python_module(b"ModuleNotFoundError: No module named 'isaaclab.app'")),
            "isaaclab.app"
        );
        let python =
            b"[Errno 98] error while attempting to bind on address ('0.0.0.0', 8000): address already in use";
        assert_eq!(text(port(python)), "8000");
        for line in [
            "OSError: [Errno 98] Address already in use",
            "2026-11-21 10:00:00,123 - server - ERROR - Address already in use",
            "(pid=4242) Address already in use",
            "Address already in use by pid 4242",
        ] {
            assert_eq!(text(port(line.as_bytes())), "nothing", "{line}");
        }
        assert_eq!(text(port(b"address already in use :::8000")), "8000");
        assert_eq!(text(port(b"Port 1: port 6006 is taken, pid 4242")), "6006");
    }
}
