//! A command of a script without what the program does itself: background, log files, `screen`, the choice of a GPU.

use std::sync::LazyLock;

use regex::Regex;

/// Command that is left, and what was taken off it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BareCommand {
    /// The command itself.
    pub command: String,
    /// Parts that were left out, each with the reason.
    pub dropped: Vec<String>,
}

static SCREEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^screen\s+(?:-[dDmLS]+\s+)*(?:-S\s+)?(?:-Logfile\s+\S+\s+)?\S+\s+(?s:(?<inner>.+))$")
        .expect("a constant")
});
static TMUX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^tmux\s+new(?:-session)?\s+-d\s+-s\s+\S+\s+(?s:(?<inner>.+))$").expect("a constant")
});
static SHELL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^(?:bash|sh)\s+-l?c\s+(?:"(?<double>(?s:.*))"|'(?<single>(?s:.*))')$"#).expect("a constant")
});
static TEE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\s*(?:2>&1\s*)?\|&?\s*tee\s+(?:-a\s+)?(?:"[^"]*"|\S+)\s*$"#).expect("a constant")
});
static REDIRECTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\s*(?:2>&1|(?:&>>?|[12]?>>?)\s*(?:"[^"]*"|[^\s&|;]+)|<\s*/dev/null)\s*$"#)
        .expect("a constant")
});
static GPU: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^CUDA_VISIBLE_DEVICES=(?:"[^"]*"|\$\(\([^)]*\)\)|\S+)\s+"#).expect("a constant")
});

/// Takes off a command what a sweep has no need of.
pub fn bare_command(text: &str) -> BareCommand {
    let mut command = text.trim().to_owned();
    let mut dropped = Vec::new();
    loop {
        let before = command.clone();
        if let Some(rest) = command.strip_suffix('&').filter(|rest| !rest.ends_with('&')) {
            drop_part(&mut dropped, "`&`: shards run side by side by themselves");
            command = rest.trim_end().to_owned();
        }
        for wrapper in ["nohup ", "setsid ", "time "] {
            if let Some(rest) = command.strip_prefix(wrapper) {
                drop_part(&mut dropped, &format!("`{}`: a run outlives the terminal", wrapper.trim()));
                command = rest.trim_start().to_owned();
            }
        }
        for (pattern, name) in [(&SCREEN, "screen"), (&TMUX, "tmux")] {
            if let Some(found) = pattern.captures(&command).and_then(|found| found.name("inner")) {
                let inner = found.as_str().trim().to_owned();
                drop_part(&mut dropped, &format!("`{name}`: each shard has a terminal of its own"));
                command = unquote(&inner).unwrap_or(inner);
            }
        }
        if let Some(found) = SHELL.captures(&command) {
            let inner = found.name("single").or(found.name("double"));
            let inner = inner.map(|inner| inner.as_str().replace("\\\"", "\"").replace("\\$", "$"));
            command = inner.unwrap_or_default().trim().to_owned();
        }
        for pattern in [&TEE, &REDIRECTION] {
            if let Some(found) = pattern.find(&command).map(|found| found.range()) {
                let part = command[found.clone()].trim().to_owned();
                drop_part(&mut dropped, &format!("`{part}`: output goes to the log of the shard"));
                command.truncate(found.start);
            }
        }
        if let Some(found) = GPU.find(&command).map(|found| found.range()) {
            let part = command[found.clone()].trim().to_owned();
            drop_part(&mut dropped, &format!("`{part}`: each shard is given its GPU"));
            command = command[found.end..].to_owned();
        }
        if command == before {
            return BareCommand { command, dropped };
        }
    }
}

fn drop_part(dropped: &mut Vec<String>, what: &str) {
    if !dropped.iter().any(|known| known == what) {
        dropped.push(what.to_owned());
    }
}

/// The text of a command that is one word in quotes.
fn unquote(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| *c == '"' || *c == '\'')?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains(quote)).then(|| inner.to_owned())
}
