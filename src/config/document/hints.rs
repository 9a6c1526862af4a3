//! What to do about a key or a value of the wrong kind.

use toml::de::DeValue;

use super::problem::{join_quoted, word_hint};
use crate::config::keys::lookup;

/// The value in the type that is wanted, where quotes or brackets alone make the difference.
pub(super) fn retype_hint(found: &DeValue<'_>, wanted: &str) -> Option<String> {
    let wants = |kind: &str| wanted.starts_with(kind);
    let text = match found {
        DeValue::String(text) => text.trim(),
        DeValue::Integer(number) => {
            return wants("a string").then(|| retyped_string(number.as_str(), wanted));
        }
        DeValue::Float(number) => return wants("a string").then(|| retyped_string(number.as_str(), wanted)),
        DeValue::Array(_) if !wants("a table") => {
            return Some("write one value, without `[` and `]`".to_owned());
        }
        DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => return None,
    };
    if wants("an array") {
        return Some(format!("put it between `[` and `]`: `[\"{text}\"]`"));
    }
    let is_number = wants("an integer") && text.parse::<i64>().is_ok();
    let is_flag = wants("a boolean") && (text == "true" || text == "false");
    if is_number || is_flag {
        return Some(format!("write `{text}` without quotes"));
    }
    let flag = match text.to_lowercase().as_str() {
        "yes" | "on" | "true" => "true",
        "no" | "off" | "false" => "false",
        _ => return None,
    };
    wants("a boolean").then(|| format!("write `{flag}`"))
}

/// A number as a string: a length of time or a size also needs its unit.
fn retyped_string(number: &str, wanted: &str) -> String {
    match wanted {
        _ if wanted.contains("30s") => {
            format!("say of what: `\"{number}s\"`, `\"{number}min\"` or `\"{number}h\"`")
        }
        _ if wanted.contains("GiB") => format!("say of what: `\"{number} GiB\"` or `\"{number} MiB\"`"),
        _ => format!("put it between quotes: `\"{number}\"`"),
    }
}

/// What was probably meant: a key of this table, or one that has this name in another.
pub(super) fn unknown_key_hint(key: &str, known: &[&'static str]) -> String {
    match lookup::sections_with(key).as_slice() {
        [] => word_hint(key, known),
        [only] => format!("`{key}` belongs to `{only}`"),
        several => format!("`{key}` is a key of {}", join_quoted(several.iter().copied())),
    }
}
