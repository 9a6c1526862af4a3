//! The example of a key as it stands in a file: under the heading of its table, beside what it needs.

use super::lookup::{DescribedKey, list_keys};
use super::shape::Kind;

/// Lines of TOML with the example of a key; empty for a key that only holds others.
pub fn key_example(of: &DescribedKey) -> String {
    if of.key.example.is_empty() {
        return String::new();
    }
    let all = list_keys(of.file);
    let line = format!("{} = {}", written_name(of.key.name), of.key.example);
    let mut lines = if of.key.beside.is_empty() { line } else { format!("{}\n{line}", of.key.beside) };
    let mut path = of.path.rsplit_once('.').map(|(path, _)| path);
    while let Some(parent) = path.and_then(|path| all.iter().find(|key| key.path == path)) {
        let name = written_path(&parent.path);
        match &parent.key.kind {
            Kind::Tables(_) => return format!("[[{name}]]\n{lines}"),
            // A step is an item of an array.
            Kind::Array(_) | Kind::Either(_) if parent.path.starts_with("schedule.on_") => {
                lines = format!("{} = [{{ {} }}]", parent.key.name, lines.replace('\n', ", "));
            }
            // The values of an axis, of `set` or of `env` are read in one line.
            _ if parent.path.starts_with("schedule.on_") || parent.path.starts_with("matrix.AXIS") => {
                lines = format!("{} = {{ {} }}", written_name(parent.key.name), lines.replace('\n', ", "));
            }
            _ => return format!("[{name}]\n{lines}"),
        }
        path = parent.path.rsplit_once('.').map(|(path, _)| path);
    }
    lines
}

/// A name in capitals is one that the user chooses.
fn written_name(name: &str) -> String {
    match name {
        "AXIS" => "policy",
        "VARIABLE" => "steps",
        "ACTION" => "detach",
        "PATH" => "success_rate",
        "NAME" => "server",
        _ => name,
    }
    .to_owned()
}

fn written_path(path: &str) -> String {
    path.split('.').map(written_name).collect::<Vec<_>>().join(".")
}
