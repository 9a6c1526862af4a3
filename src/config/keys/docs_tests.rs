//! The tables of the documentation and the committed schemas against the descriptions of keys. With `UPDATE_DOCS=1` the
//! files are written instead of compared.

use std::fmt::Write;
use std::path::PathBuf;

use serde_json::Value;

use super::lookup::{KeyFile, list_keys};
use super::schema;
use super::shape::{Key, Section};
use super::variables::TEMPLATE_VARIABLES;

/// Line before a table: `<!-- keys: schedule -->`.
const MARK: &str = "<!-- keys: ";

fn page(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)
}

/// Compares a file with what it has to be, or writes it.
fn check_file(name: &str, wanted: &str) {
    let path = page(name);
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    if found == wanted {
        return;
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, wanted).expect("the page can be written");
        return;
    }
    let line = found.lines().zip(wanted.lines()).find(|(found, wanted)| found != wanted);
    panic!(
        "docs/{name} is not what the keys say (`UPDATE_DOCS=1 cargo test docs_tests` writes it): {line:?}"
    );
}

/// The page with the tables behind their marks made again.
fn with_tables(text: &str) -> String {
    let mut page = String::new();
    let mut skip = false;
    for line in text.lines() {
        skip &= line.starts_with('|');
        if skip {
            continue;
        }
        page.push_str(line);
        page.push('\n');
        if let Some(path) = line.strip_prefix(MARK).and_then(|rest| rest.strip_suffix(" -->")) {
            page.push_str(&table(path, text));
            skip = true;
        }
    }
    page
}

fn table(path: &str, page: &str) -> String {
    let variables = || {
        let mut text = "| variable | value | where |\n|---|---|---|\n".to_owned();
        for variable in TEMPLATE_VARIABLES {
            let name = format!("{{{{ {} }}}}", variable.name);
            writeln!(text, "| `{name}` | {} | {} |", variable.meaning, variable.place).expect("a string");
        }
        text
    };
    if path == "variables" {
        return variables();
    }
    let (file, path) = match path.strip_prefix("settings") {
        Some(_) => (KeyFile::Settings, ""),
        None => (KeyFile::Sweep, path),
    };
    let mut text = "| key | type | default | meaning |\n|---|---|---|---|\n".to_owned();
    if path.is_empty() {
        rows(&super::settings::SETTINGS, "", ("", page), &mut text);
    } else if path == "top" {
        let name = super::sweep::SWEEP.key("name").expect("a name");
        row(name, "", &mut text);
    } else {
        let keys = list_keys(file);
        let found = keys.iter().find(|key| key.path == path).unwrap_or_else(|| panic!("no table `{path}`"));
        rows(found.key.kind.section().expect("a table"), "", (path, page), &mut text);
    }
    text
}

/// Rows of a table and of the tables in it that have none of their own on the page.
fn rows(section: &Section, prefix: &str, (path, page): (&str, &str), text: &mut String) {
    for key in section.keys.iter().chain(section.named) {
        row(key, prefix, text);
        let path = format!("{path}.{}", key.name);
        let has_own = page.contains(&format!("{MARK}{} -->", path.trim_start_matches('.')));
        // Steps have a table for all three keys, and components are in `gpus` as well.
        let is_again = key.name.starts_with("on_") || key.name == "components";
        if let Some(inner) = key.kind.section().filter(|inner| !has_own && !is_again && is_worth_rows(inner))
        {
            rows(inner, &format!("{prefix}{}.", key.name), (&path, page), text);
        }
    }
}

/// A table of plain values under names of the user's is said in its own row.
fn is_worth_rows(section: &Section) -> bool {
    section.named.is_none_or(|key| key.kind.section().is_some())
}

fn row(key: &Key, prefix: &str, text: &mut String) {
    let kind = key.kind.to_string().replace('|', "\\|");
    let (default, meaning) = (key.default, key.meaning.replace('|', "\\|"));
    let line = format!("| `{prefix}{}` | {kind} | {default} | {meaning} |", key.name);
    writeln!(text, "{}", line.replace("|  |", "| |")).expect("a string");
}

#[test]
fn the_tables_of_the_pages_are_made_of_the_keys() {
    for name in ["sweep.md", "dashboard.md"] {
        let text = std::fs::read_to_string(page(name)).expect("the page");
        assert!(text.contains(MARK), "docs/{name} has no table of keys");
        check_file(name, &with_tables(&text));
    }
}

#[test]
fn every_key_is_on_a_page() {
    let pages: String = ["sweep.md", "dashboard.md"]
        .map(|name| with_tables(&std::fs::read_to_string(page(name)).expect("the page")))
        .concat();
    for key in [KeyFile::Sweep, KeyFile::Settings].into_iter().flat_map(list_keys) {
        let named = key.path.contains('.');
        let lacks = !pages.lines().any(|line| line.starts_with("| ") && line.contains(key.key.meaning));
        let is_heading = !named && pages.contains(&format!("[{}", key.path));
        let of_names = key.section.named.is_some_and(|own| std::ptr::eq(own, key.key));
        assert!(!lacks || is_heading || of_names, "no page has {}", key.path);
    }
}

#[test]
fn the_committed_schemas_are_current() {
    let text = |schema: Value| format!("{}\n", serde_json::to_string_pretty(&schema).expect("JSON"));
    check_file("schemas/sweep.json", &text(schema::sweep_schema()));
    check_file("schemas/settings.json", &text(schema::settings_schema()));
}
