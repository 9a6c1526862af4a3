//! The walls between the folders, as a test: who may import whom, what may stand where, and how large it may be.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "architecture/source.rs"]
mod source;

use std::collections::{BTreeMap, BTreeSet};

use source::{Mention, Source, sources};

/// Each folder of `src` with the folders it may import beside itself.
const WALLS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("config", &["model"]),
    ("scheduler", &["model"]),
    ("progress", &["model"]),
    ("results", &["model"]),
    ("demo", &["model"]),
    ("rundir", &["model"]),
    ("socket", &["model"]),
    ("tail", &["model", "rundir"]),
    ("telemetry", &["model", "process"]),
    ("process", &["model"]),
    ("engine", &["model", "rundir", "process"]),
    ("web", &["model"]),
    ("mcp", &[]),
    ("session", &["model", "rundir", "process", "socket"]),
    ("preflight", &["model", "config", "telemetry", "process", "tail"]),
    ("autotune", &["model", "config", "progress", "scheduler", "telemetry", "process", "engine"]),
    ("supervisor", SUPERVISOR),
    ("tui", &["model", "config", "results", "rundir", "socket", "tail"]),
    ("cli", CLI),
    ("main", &["cli"]),
];

const SUPERVISOR: &[&str] = &[
    "model", "config", "scheduler", "progress", "results", "rundir", "socket", "tail", "telemetry",
    "process", "engine",
];

const CLI: &[&str] = &[
    "model", "config", "scheduler", "progress", "results", "demo", "rundir", "socket", "tail", "telemetry",
    "process", "engine", "web", "mcp", "session", "preflight", "autotune", "supervisor", "tui",
];

/// The same inside `tui`: floors from the top, each seeing only what is below it.
const TUI_FLOORS: &[&[&str]] = &[
    &["film"],
    &["svg"],
    &["app", "home", "monitor", "once", "plain"],
    &["update", "view", "sources", "terminal"],
    &["message"],
    &["keymap", "model", "layout", "theme", "format", "options"],
];

/// What a view may see of `tui`: it draws `&Model` with `&Theme`; footer and help show the keymap.
const VIEW: &[&str] = &["model", "layout", "theme", "format", "keymap"];

/// Paths that must not stand in some folders, tests apart.
struct Ban {
    folders: &'static [&'static str],
    paths: &'static [&'static str],
    because: &'static str,
}

const BANS: &[Ban] = &[
    Ban { folders: RULES, paths: &["tokio"], because: "values and decisions wait for nothing" },
    Ban { folders: RULES, paths: WORLD, because: "only hands touch the world" },
    Ban { folders: RULES, paths: CLOCK, because: "the moment is an argument" },
    Ban { folders: RULES, paths: CHANCE, because: "a decision must come out the same again" },
    Ban { folders: &["session"], paths: &["tokio"], because: "a holder is one small thread and its relief" },
    Ban { folders: AT_RUNS, paths: OPENING, because: "files of a run are opened through `rundir::beneath`" },
    Ban { folders: &["supervisor", "session", "tail"], paths: READING, because: "see `rundir::beneath`" },
    Ban { folders: NOT_DRAWING, paths: &["ratatui", "crossterm"], because: "only `tui` and `cli` draw" },
];

const RULES: &[&str] = &["model", "config", "scheduler", "progress", "results", "demo", "mcp"];
const WORLD: &[&str] = &["std::fs", "std::process", "std::net", "std::thread"];
const CLOCK: &[&str] = &["Instant::now", "SystemTime::now", "Timestamp::now", "Zoned::now"];
/// Folders that touch the files of runs. What they open elsewhere, such as a terminal, has another name.
const AT_RUNS: &[&str] = &["rundir", "tail", "supervisor", "session", "engine", "tui"];
const OPENING: &[&str] =
    &["File::open", "File::create", "File::options", "fs::write", "fs::copy", "fs::rename"];
/// `rundir` and `tui` read files of the system.
const READING: &[&str] = &["fs::read", "fs::read_to_string"];
const CHANCE: &[&str] = &["rand", "fastrand", "getrandom", "RandomState"];

const NOT_DRAWING: &[&str] = &[
    "model", "config", "scheduler", "progress", "results", "demo", "rundir", "socket", "tail", "telemetry",
    "process", "engine", "web", "mcp", "session", "preflight", "autotune", "supervisor", "main",
];

/// Where the kernel is spoken to, and calls that the wrapper of NVML lacks in a safe form.
const UNSAFE: &[&str] = &["src/process/", "src/telemetry/nvml/raw.rs"];

/// Globs that tests may use.
const TEST_GLOBS: &[&str] = &["super::*", "proptest::prelude::*"];

const MAX_FILE: usize = 400;
const MAX_FUNCTION: usize = 80;
const MAX_FOLDER: usize = 25;

#[test]
fn imports_go_down_only() {
    let mut broken = Vec::new();
    for source in sources() {
        let from = folder(source);
        let Some((_, allowed)) = WALLS.iter().find(|(name, _)| *name == from) else {
            if source.name != "src/lib.rs" {
                broken.push(format!("{}: folder `{from}` has no row in the table of walls", source.name));
            }
            continue;
        };
        for (line, target) in targets(source) {
            let to = target.first().map_or("the crate's root", String::as_str);
            if to != from && !allowed.contains(&to) {
                let may = allowed.join(" ");
                broken.push(format!("{}:{line}: {from} -> {to}; `{from}` may import: {may}", source.name));
            }
        }
    }
    report(&broken);
}

#[test]
fn inside_the_dashboard_imports_go_down_only() {
    let floor = |name: &str| TUI_FLOORS.iter().position(|floor| floor.contains(&name));
    let mut broken = Vec::new();
    for source in sources().iter().filter(|source| source.module.len() > 1 && folder(source) == "tui") {
        let from = source.module[1].as_str();
        let Some(height) = floor(from) else {
            broken.push(format!("{}: `tui/{from}` is on no floor of the table", source.name));
            continue;
        };
        let below: Vec<_> = TUI_FLOORS[height + 1..].concat();
        let lowest = height + 1 == TUI_FLOORS.len();
        let allowed = match from {
            "view" => VIEW.to_vec(),
            // The ground floor is values; among them the order is free as long as it makes no circle.
            _ if lowest => TUI_FLOORS[height].to_vec(),
            _ => below,
        };
        for (line, target) in targets(source) {
            let [folder, to, ..] = target.as_slice() else { continue };
            if folder == "tui" && to != from && !allowed.contains(&to.as_str()) {
                let may = allowed.join(" ");
                broken
                    .push(format!("{}:{line}: {from} -> {to}; `tui/{from}` may import: {may}", source.name));
            }
        }
    }
    report(&broken);
}

#[test]
fn no_files_import_one_another_in_a_circle() {
    let modules: BTreeSet<Vec<String>> = sources().iter().map(|source| source.module.clone()).collect();
    let mut arrows: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> = BTreeMap::new();
    for source in sources() {
        for (_, target) in targets(source) {
            let file =
                (1..=target.len()).rev().map(|length| &target[..length]).find(|path| modules.contains(*path));
            if let Some(file) = file.filter(|file| *file != source.module) {
                arrows.entry(source.module.clone()).or_default().insert(file.to_vec());
            }
        }
    }
    let mut broken = Vec::new();
    let mut done = BTreeSet::new();
    for module in &modules {
        walk(module, &arrows, &mut Vec::new(), &mut done, &mut broken);
    }
    report(&broken);
}

/// Follows the arrows in depth; a module that is met again on its own way closes a circle.
fn walk(
    module: &Vec<String>,
    arrows: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>,
    way: &mut Vec<Vec<String>>,
    done: &mut BTreeSet<Vec<String>>,
    broken: &mut Vec<String>,
) {
    if let Some(start) = way.iter().position(|before| before == module) {
        let circle: Vec<_> = way[start..].iter().chain([module]).map(|module| module.join("/")).collect();
        broken.push(format!("a circle of imports: {}", circle.join(" -> ")));
        return;
    }
    if done.contains(module) {
        return;
    }
    way.push(module.clone());
    for next in arrows.get(module).into_iter().flatten() {
        walk(next, arrows, way, done, broken);
    }
    way.pop();
    done.insert(module.clone());
}

#[test]
fn every_import_is_named() {
    let mut broken = Vec::new();
    for source in sources() {
        for mention in source.mentions.iter().filter(|mention| mention.path.last().unwrap() == "*") {
            let glob = mention.path.join("::");
            if !(TEST_GLOBS.contains(&glob.as_str()) && source.is_for_tests(mention.at)) {
                broken.push(format!("{}:{}: `{glob}` hides what is imported", source.name, mention.line));
            }
        }
    }
    report(&broken);
}

#[test]
fn nothing_stands_where_it_is_forbidden() {
    let mut broken = Vec::new();
    for source in sources() {
        let bans: Vec<_> = BANS.iter().filter(|ban| ban.folders.contains(&folder(source))).collect();
        for mention in source.mentions.iter().filter(|mention| !source.is_for_tests(mention.at)) {
            let whole = format!("::{}::", mention.path.join("::"));
            for ban in &bans {
                for path in ban.paths.iter().filter(|path| whole.contains(&format!("::{path}::"))) {
                    broken.push(format!("{}:{}: `{path}`: {}", source.name, mention.line, ban.because));
                }
            }
        }
    }
    report(&broken);
}

#[test]
fn unsafe_code_stands_where_it_belongs_and_says_why_it_is_sound() {
    let word = regex::Regex::new(r"\bunsafe\b").unwrap();
    let mut broken = Vec::new();
    for source in sources() {
        for found in word.find_iter(&source.code) {
            let line = source.line(found.start());
            let before: Vec<_> = source.text.lines().take(line).skip(line.saturating_sub(6)).collect();
            if !UNSAFE.iter().any(|place| source.name.starts_with(place)) {
                broken.push(format!("{}:{line}: `unsafe` stands only in {}", source.name, UNSAFE.join(", ")));
            } else if !before.join(" ").contains("SAFETY:") {
                broken.push(format!("{}:{line}: `unsafe` without a `SAFETY:` comment above it", source.name));
            }
        }
    }
    report(&broken);
}

#[test]
fn every_file_opens_with_what_it_is() {
    let headless = |source: &Source| !source.text.starts_with("//! ");
    report(&names(|source| headless(source).then(|| "does not open with a `//!` sentence".to_owned())));
}

#[test]
fn module_files_hold_modules_only() {
    let line = regex::Regex::new(r"^(#\[cfg\(test\)\]|(pub(\((crate|super)\))? )?mod \w+;)?$").unwrap();
    report(&names(|source| {
        let other = source.code.lines().find(|text| !line.is_match(text.trim()))?;
        source.name.ends_with("/mod.rs").then(|| format!("a `mod.rs` holds no code: {}", other.trim()))
    }));
}

#[test]
fn files_and_functions_stay_small() {
    let mut broken = names(|source| {
        let lines = source.text.lines().zip(source.shipped.lines().zip(source.code.lines()));
        // A line of a test module is blank in what is shipped, though not in the code.
        let count = lines.filter(|(_, (shipped, code))| shipped == code).count();
        (count > MAX_FILE).then(|| format!("{count} lines, tests apart; {MAX_FILE} is the most"))
    });
    for source in sources() {
        for (function, line, lines) in source.functions() {
            if lines > MAX_FUNCTION {
                let name = &source.name;
                broken.push(format!(
                    "{name}:{line}: `{function}` has {lines} lines; {MAX_FUNCTION} is the most"
                ));
            }
        }
    }
    report(&broken);
}

#[test]
fn folders_stay_small() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources() {
        let (folder, _) = source.name.rsplit_once('/').unwrap();
        *counts.entry(folder).or_default() += 1;
    }
    counts.retain(|_, count| *count > MAX_FOLDER);
    let large = |(folder, count)| format!("{folder}: {count} files of its own; {MAX_FOLDER} is the most");
    report(&counts.into_iter().map(large).collect::<Vec<_>>());
}

#[test]
fn no_two_folders_import_each_other() {
    let is_folder = |path: &[String]| {
        sources().iter().any(|source| source.module.len() > path.len() && source.module.starts_with(path))
    };
    let mut arrows: BTreeSet<(Vec<String>, Vec<String>)> = BTreeSet::new();
    for source in sources().iter().filter(|source| folder(source) != "lib") {
        let imports = source.mentions.iter().filter(|mention| !source.is_for_tests(mention.at));
        for target in imports.filter_map(|mention| source.target(mention)) {
            // The two folders lie where the paths part.
            let pairs = source.module.iter().zip(&target);
            let shared = pairs.take_while(|(one, other)| one == other).count();
            let folders = shared < source.module.len() && shared < target.len();
            if folders && is_folder(&source.module[..=shared]) && is_folder(&target[..=shared]) {
                arrows.insert((source.module[..=shared].to_vec(), target[..=shared].to_vec()));
            }
        }
    }
    let back = |(from, to): &&(Vec<String>, Vec<String>)| arrows.contains(&(to.clone(), from.clone()));
    let once = arrows.iter().filter(|(from, to)| from < to).filter(back);
    report(
        &once.map(|(one, other)| format!("{} <-> {}", one.join("/"), other.join("/"))).collect::<Vec<_>>(),
    );
}

#[test]
fn the_reader_sees_what_it_should() {
    let text = "//! A file.\nuse crate::{model::{ids::ShardId as Id, fact::*}, rundir};\n\
        // crate::cli::hidden\nconst A: &str = \"crate::tui\"; const B: char = '\"';\n\
        fn long(c: char) -> bool {\n    c == '\\'' || super::input::yes()\n}\n\
        #[cfg(test)]\nmod tests {\n    use super::*;\n    fn f() { super::super::turn::g() }\n}\n";
    let source = Source::new("src/scheduler/decide.rs".to_owned(), text.to_owned());
    let targets: Vec<_> =
        targets(&source).into_iter().map(|(line, to)| format!("{line} {}", to.join("::"))).collect();
    assert_eq!(
        targets,
        [
            "2 model::ids::ShardId",
            "2 model::fact::*",
            "2 rundir",
            "6 scheduler::input::yes",
            "10 scheduler::decide::*",
            "11 scheduler::turn::g"
        ]
    );
    assert_eq!(source.functions(), [("long".to_owned(), 5, 3)]);
    assert!(source.is_for_tests(text.find("use super").unwrap()));
    assert!(!source.is_for_tests(text.find("use crate").unwrap()));
}

/// The folder a file belongs to; `main.rs` and `lib.rs` stand for themselves.
fn folder(source: &Source) -> &str {
    match source.name.as_str() {
        "src/main.rs" => "main",
        "src/lib.rs" => "lib",
        _ => &source.module[0],
    }
}

/// Where the paths of a file lead within this crate, with their lines.
fn targets(source: &Source) -> Vec<(usize, Vec<String>)> {
    let of = |mention: &Mention| Some((mention.line, source.target(mention)?));
    source.mentions.iter().filter_map(of).collect()
}

fn names(problem: impl Fn(&Source) -> Option<String>) -> Vec<String> {
    let with_name = |source: &Source| problem(source).map(|problem| format!("{}: {problem}", source.name));
    sources().iter().filter_map(with_name).collect()
}

fn report(broken: &[String]) {
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
}
