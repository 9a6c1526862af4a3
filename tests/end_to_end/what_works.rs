//! `docs/what-works.md`: every command of its tables works, and every test that it names is there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::fake_nvml::FakeDriver;
use crate::harness::place::{Ended, PROGRAM, Place};

/// Where the page puts its runs.
const FOLDER: &str = "/tmp/what-works";

/// Waits of the sweeps that are left out here.
const WAITS: [(&str, &str); 2] =
    [("stagger = \"5s\"", "stagger = \"0s\""), ("cooldown = \"10s\"", "cooldown = \"10ms\"")];

/// One section of the page.
struct Section {
    /// Its lines for the shell.
    lines: String,
    /// What is asked for, and what shows it.
    rows: Vec<(String, String)>,
}

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn section(title: &str) -> Section {
    let page = fs::read_to_string(project().join("docs/what-works.md")).expect("the page");
    let mut sections = page.split("\n## ").skip(1);
    let section = sections.find(|section| section.starts_with(title)).expect("the section");
    let lines = section.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("lines");
    let cells = |row: &str| -> Option<(String, String)> {
        let (asked, shown) = row.strip_prefix("| ")?.strip_suffix(" |")?.rsplit_once(" | ")?;
        Some((asked.to_owned(), shown.to_owned()))
    };
    let rows = section.lines().filter_map(cells).filter(|(asked, _)| asked != "asked for").collect();
    Section { lines: lines.to_owned(), rows }
}

/// What stands between backticks.
fn codes(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Every file with code or tests, as one text.
fn sources() -> String {
    let mut text = String::new();
    let mut folders = vec![project().join("src"), project().join("tests")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                text.push_str(&fs::read_to_string(path).expect("a source"));
            }
        }
    }
    text
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
            continue;
        }
        fs::copy(&path, &target).expect("a copy");
        if path.extension().is_some_and(|end| end == "toml") {
            let mut sweep = fs::read_to_string(&path).expect("a sweep");
            WAITS.iter().for_each(|(text, other)| sweep = sweep.replace(text, other));
            fs::write(&target, sweep).expect("a sweep");
        }
    }
}

/// The project as the page's commands see it, with a driver that is built already.
fn prepare(place: &Place, section: &Section) {
    copy(&project().join("configs"), &place.path().join("configs"));
    std::os::unix::fs::symlink(project().join("tests"), place.path().join("tests")).expect("a link");
    let all: String = section.rows.iter().map(|(_, shown)| shown.as_str()).collect();
    let everything = format!("{}{all}", section.lines);
    for rest in everything.split("--gpus ").skip(1) {
        let cards = rest.split_whitespace().next().expect("cards");
        let folder = place.path().join("cache/sweepdeck-stand-ins").join(cards);
        fs::create_dir_all(&folder).expect("a folder");
        FakeDriver::new(&folder, "");
    }
}

/// Runs lines of the page; what went wrong, where something did.
fn failure(place: &Place, line: &str) -> Option<String> {
    let plain = place.command(&[]);
    let folder = place.path().join("what-works");
    let line = line.replace(FOLDER, folder.to_str().expect("a plain name"));
    let programs = PathBuf::from(PROGRAM);
    let mut command = Command::new("bash");
    command.args(["-ec", &line]).current_dir(place.path()).stdin(Stdio::null());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
        .env("XDG_CACHE_HOME", place.path().join("cache"))
        .env("PATH", place.search_path(&[programs.parent().expect("its folder").to_owned()]))
        .env("STAND_IN_PACE", "0.01");
    let ended = Ended::of(&mut command);
    let words = format!("{line}\n{}{}", ended.stdout, ended.stderr);
    (ended.code != Some(0) || ended.stdout.is_empty()).then_some(words)
}

fn check(title: &str) {
    let section = section(title);
    assert!(section.rows.len() > 5, "{} rows", section.rows.len());
    let place = Place::new();
    prepare(&place, &section);
    let (sources, mut failures) = (sources(), Vec::new());
    failures.extend(failure(&place, &section.lines));
    for (asked, shown) in &section.rows {
        let is_for_gpus = shown.starts_with("**GPU**");
        for code in codes(shown) {
            if code.contains(' ') {
                // What only a real GPU shows is at least a sweep that is there.
                let named = code.split(' ').find(|word| word.starts_with("configs/"));
                let is_there = named.is_none_or(|name| project().join(name).exists());
                failures.extend((!is_there).then(|| format!("{asked}: {code}")));
                failures.extend(if is_for_gpus { None } else { failure(&place, code) });
            } else {
                let name = code.rsplit("::").next().expect("a name");
                let is_there = sources.contains(&format!("fn {name}("));
                failures.extend((!is_there).then(|| format!("{asked}: there is no test {code}")));
            }
        }
        let is_shown = !codes(shown).is_empty() || shown == "the table above";
        failures.extend((!is_shown).then(|| format!("{asked}: nothing shows it")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n--\n"));
}

#[test]
fn the_table_of_screen_sessions_holds() {
    check("A `screen` session");
}

#[test]
fn the_table_of_packs_holds() {
    check("Many rewards");
}

#[test]
fn the_table_of_slices_holds() {
    check("Slices");
}

#[test]
fn the_table_of_components_holds() {
    check("Components");
}

#[test]
fn the_table_of_the_stress_test_holds() {
    check("A stress test");
}
