//! The words of a `docker` or `podman` command line that starts a container, and what finds the container again.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Programs with command lines of this kind.
pub const ENGINES: [&str; 2] = ["docker", "podman"];

/// Options before the command that take the next word as their value, of either engine.
const WITH_VALUE: [&str; 30] = [
    "-H", "-c", "-l", "--cgroup-manager", "--config", "--connection", "--conmon", "--context",
    "--events-backend", "--hooks-dir", "--host", "--identity", "--imagestore", "--log-level", "--module",
    "--namespace", "--network-cmd-path", "--network-config-dir", "--out", "--root", "--runroot", "--runtime",
    "--runtime-flag", "--ssh", "--storage-driver", "--storage-opt", "--tlscacert", "--tlscert", "--tlskey",
    "--url",
];

/// A command line that starts a container, with what finds it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedStart {
    /// The whole command line.
    pub arguments: Vec<OsString>,
    /// The options before the command: with them other commands reach the same engine.
    pub globals: Vec<OsString>,
    /// The file that the engine writes the container's id to.
    pub cidfile: PathBuf,
}

/// Adds a file for the id, labels and the variables of a tag to a command line that makes a container (`run`,
/// `create`); others need none. A file for the id that the user asks for is used.
pub fn mark_start(arguments: &[OsString], cidfile: &Path, tag: &[(&str, &str)]) -> Option<MarkedStart> {
    let command = position_of_command(arguments)?;
    let behind = match arguments[command].to_str()? {
        "run" | "create" => command + 1,
        "container" => {
            let makes = arguments.get(command + 1).is_some_and(|word| word == "run" || word == "create");
            makes.then_some(command + 2)?
        }
        _ => return None,
    };
    let mut marked = arguments[..behind].to_vec();
    let own = own_cidfile(&arguments[behind..]);
    if own.is_none() {
        marked.extend(["--cidfile".into(), cidfile.into()]);
    }
    for (name, value) in tag {
        let label = format!("sweepdeck.{}={value}", name.trim_start_matches("SWEEPDECK_").to_lowercase());
        marked.extend(["--label".into(), label.into(), "--env".into(), OsString::from(name)]);
    }
    marked.extend_from_slice(&arguments[behind..]);
    let cidfile = own.unwrap_or_else(|| cidfile.to_owned());
    Some(MarkedStart { arguments: marked, globals: arguments[..command].to_vec(), cidfile })
}

fn position_of_command(arguments: &[OsString]) -> Option<usize> {
    let mut position = 0;
    while let Some(word) = arguments.get(position) {
        let word = word.to_string_lossy();
        if !word.starts_with('-') {
            return Some(position);
        }
        position += if WITH_VALUE.contains(&word.as_ref()) { 2 } else { 1 };
    }
    None
}

/// The file that the user has the id written to.
fn own_cidfile(options: &[OsString]) -> Option<PathBuf> {
    let named = options.iter().position(|word| word == "--cidfile").and_then(|at| options.get(at + 1));
    let joined = || {
        let word =
            options.iter().filter_map(|word| word.to_str()).find_map(|word| word.strip_prefix("--cidfile="));
        word.map(OsStr::new).map(OsStr::to_owned)
    };
    named.cloned().or_else(joined).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(line: &str) -> Option<(String, String, PathBuf)> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let found = mark_start(&words, Path::new("/c/1.cid"), &[("SWEEPDECK_SHARD", "a")])?;
        let joined = |words: &[OsString]| {
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        Some((joined(&found.arguments), joined(&found.globals), found.cidfile))
    }

    #[test]
    fn what_makes_a_container_is_marked_behind_its_command() {
        let marks = "--cidfile /c/1.cid --label sweepdeck.shard=a --env SWEEPDECK_SHARD";
        let ours = || PathBuf::from("/c/1.cid");
        for (line, before, globals, after) in [
            ("run --rm img echo run", "run", "", "--rm img echo run"),
            ("-H tcp://h run img", "-H tcp://h run", "-H tcp://h", "img"),
            ("--host=tcp://h -D create img", "--host=tcp://h -D create", "--host=tcp://h -D", "img"),
            ("--root /r container run img", "--root /r container run", "--root /r", "img"),
        ] {
            let expected = (format!("{before} {marks} {after}"), globals.to_owned(), ours());
            assert_eq!(marked(line), Some(expected), "{line}");
        }
        for other in ["ps", "exec x run", "container ls", "--version", "build --label run ."] {
            assert_eq!(marked(other), None, "{other}");
        }
    }

    #[test]
    fn a_file_that_the_user_names_is_the_one_that_is_read() {
        for line in ["run --cidfile /u/id img", "run --cidfile=/u/id img"] {
            let (arguments, _, cidfile) = marked(line).unwrap();
            assert_eq!(cidfile, Path::new("/u/id"));
            assert_eq!(arguments.matches("--cidfile").count(), 1, "{arguments}");
        }
    }
}
