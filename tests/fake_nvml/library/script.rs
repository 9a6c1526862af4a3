//! The script: lines of words about the driver and its GPUs.

use std::collections::HashMap;

/// What the whole machine answers.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Script {
    /// The driver's version.
    pub driver: Option<String>,
    /// How `nvmlInit` fails, if it does.
    pub init: Option<Failure>,
    /// What each shard's main process holds.
    pub shards: Option<u64>,
    /// Every call about a GPU takes up to so many milliseconds before and after its answer is found.
    pub delay: u64,
    /// By number.
    pub gpus: Vec<Gpu>,
}

/// What one GPU answers.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Gpu {
    /// The last line of each field.
    fields: HashMap<String, String>,
    /// Processes by list.
    pub processes: Vec<Process>,
    /// Xid events so far.
    pub xids: Vec<u64>,
}

/// A process in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// Which list.
    pub list: &'static str,
    /// Its pid.
    pub pid: u32,
    /// What it holds; `None` where the driver does not say.
    pub held: Option<u64>,
}

/// A way to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// A return code of `nvml.h`.
    Code(u32),
    /// No answer until the script changes.
    Hang,
}

/// The three lists of processes.
pub const LISTS: [&str; 3] = ["compute", "graphics", "mps"];

/// Reads a script; lines that mean nothing stop the test that wrote them.
pub fn parse(text: &str) -> Script {
    let mut script = Script::default();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match (word, script.gpus.last_mut()) {
            ("", _) => {}
            ("driver", _) => script.driver = Some(rest.to_owned()),
            ("init", _) => script.init = failure(rest),
            ("shards", _) => script.shards = bytes(rest),
            ("delay", _) => script.delay = rest.parse().expect("a delay is a number of milliseconds"),
            ("gpu", _) => {
                assert_eq!(rest.parse(), Ok(script.gpus.len()), "GPUs are numbered from 0");
                script.gpus.push(Gpu::default());
            }
            ("xid", Some(gpu)) => gpu.xids.push(rest.parse().expect("an Xid is a number")),
            (word, Some(gpu)) => gpu.take(word, rest),
            (word, None) => panic!("`{word}` is about a GPU, and none was named"),
        }
    }
    script
}

impl Gpu {
    fn take(&mut self, word: &str, rest: &str) {
        if let Some(list) = LISTS.into_iter().find(|list| *list == word)
            && failure(rest).is_none()
        {
            let (pid, held) = rest.split_once(char::is_whitespace).expect("a pid and what it holds");
            let pid = pid.parse().expect("a pid is a number");
            self.processes.push(Process { list, pid, held: bytes(held.trim()) });
            return;
        }
        self.fields.insert(word.to_owned(), rest.to_owned());
    }

    /// The value of a field, or how it fails.
    pub fn field(&self, name: &str) -> Result<&str, Failure> {
        let value = self.fields.get(name).ok_or(Failure::Code(3))?;
        failure(value).map_or(Ok(value), Err)
    }

    /// How a call fails about which the script says nothing but failures.
    pub fn failure(&self, name: &str) -> Option<Failure> {
        self.fields.get(name).and_then(|value| failure(value))
    }

    /// A field that is a number.
    pub fn number(&self, name: &str) -> Result<f64, Failure> {
        self.field(name)
            .map(|value| value.parse().unwrap_or_else(|_| panic!("`{name} {value}` is no number")))
    }

    /// A field that is an amount of memory.
    pub fn size(&self, name: &str) -> Option<u64> {
        self.fields.get(name).and_then(|value| bytes(value))
    }
}

/// `2 GiB`, `512 MiB`, or bytes.
pub fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let unit = match unit.trim() {
        "GiB" => 1_u64 << 30,
        "MiB" => 1 << 20,
        _ => 1,
    };
    Some((number.parse::<f64>().ok()? * unit as f64) as u64)
}

fn failure(text: &str) -> Option<Failure> {
    let code = match text {
        "hang" => return Some(Failure::Hang),
        "invalid" => 2,
        "not-supported" => 3,
        "no-permission" => 4,
        "not-found" => 6,
        "power-cable" => 8,
        "not-loaded" => 9,
        "timeout" => 10,
        "irq" => 11,
        "lost" => 15,
        "reset-required" => 16,
        "mismatch" => 18,
        "unknown" => 999,
        _ => return None,
    };
    Some(Failure::Code(code))
}
