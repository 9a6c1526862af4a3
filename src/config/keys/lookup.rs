//! Keys and variables found by what a user types: a path, the end of one, or something close to it.

use super::settings::SETTINGS;
use super::shape::{Key, Section};
use super::sweep::SWEEP;
use super::variables::{TEMPLATE_VARIABLES, TemplateVariable};

/// File that a key belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFile {
    /// A sweep.
    Sweep,
    /// The user's settings.
    Settings,
}

/// Key with its path.
#[derive(Debug, Clone)]
pub struct DescribedKey {
    /// File that may have it.
    pub file: KeyFile,
    /// Names of its tables and its own, with dots between them.
    pub path: String,
    /// Table that it belongs to.
    pub section: &'static Section,
    /// Its description.
    pub key: &'static Key,
}

/// Something that can be explained.
#[derive(Debug, Clone)]
pub enum Described {
    /// Key of a file.
    Key(DescribedKey),
    /// Variable of templates.
    Variable(&'static TemplateVariable),
}

impl Described {
    /// Its path, as it is typed.
    pub fn path(&self) -> &str {
        match self {
            Self::Key(key) => &key.path,
            Self::Variable(variable) => variable.name,
        }
    }
}

/// Lists every key of a file, each behind the table that it belongs to.
pub fn list_keys(file: KeyFile) -> Vec<DescribedKey> {
    let mut keys = Vec::new();
    match file {
        KeyFile::Sweep => collect(file, &SWEEP, "", &mut keys),
        KeyFile::Settings => collect(file, &SETTINGS, "", &mut keys),
    }
    keys
}

fn collect(file: KeyFile, section: &'static Section, path: &str, keys: &mut Vec<DescribedKey>) {
    for key in section.keys.iter().chain(section.named) {
        let path = if path.is_empty() { key.name.to_owned() } else { format!("{path}.{}", key.name) };
        keys.push(DescribedKey { file, path: path.clone(), section, key });
        if let Some(section) = key.kind.section() {
            collect(file, section, &path, keys);
        }
    }
}

/// Lists everything that can be explained.
pub fn list_all() -> Vec<Described> {
    let keys = [KeyFile::Sweep, KeyFile::Settings].into_iter().flat_map(list_keys).map(Described::Key);
    keys.chain(TEMPLATE_VARIABLES.iter().map(Described::Variable)).collect()
}

/// Finds what this is the path of, or else the end of the path of; empty if nothing is called like this.
pub fn find(typed: &str) -> Vec<Described> {
    let typed = clean(typed);
    let (exact, others): (Vec<_>, Vec<_>) =
        list_all().into_iter().partition(|described| described.path().eq_ignore_ascii_case(&typed));
    if !exact.is_empty() {
        return exact;
    }
    let end = format!(".{}", typed.to_lowercase());
    others.into_iter().filter(|described| described.path().to_lowercase().ends_with(&end)).collect()
}

/// Names the tables of a sweep that have a key of this name.
pub fn sections_with(name: &str) -> Vec<&'static str> {
    let own = |key: &DescribedKey| key.key.name == name && key.path.matches('.').count() == 1;
    list_keys(KeyFile::Sweep).into_iter().filter(own).map(|key| key.section.title).collect()
}

/// Returns the path in what may be written as a table's heading, an assignment or a template.
pub fn clean(typed: &str) -> String {
    let before = typed.split('=').next().unwrap_or_default();
    let words = before.replace(['[', ']'], " ").replace("{{", " ").replace("}}", " ");
    words.split_whitespace().collect::<Vec<_>>().join(".")
}
