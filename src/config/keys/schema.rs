//! JSON schemas of sweep files and settings, for editors and validators.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

use super::settings::SETTINGS;
use super::shape::{Key, Kind, REQUIRED, Section};
use super::sweep::SWEEP;

/// JSON schema of sweep files.
pub fn sweep_schema() -> Value {
    file_schema("Sweep file of sweepdeck", &SWEEP)
}

/// JSON schema of the user's settings.
pub fn settings_schema() -> Value {
    file_schema("Settings of sweepdeck: config.toml", &SETTINGS)
}

fn file_schema(title: &str, section: &Section) -> Value {
    let mut schema = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "title": title });
    merge(&mut schema, table_schema(section));
    schema
}

fn table_schema(section: &Section) -> Value {
    let properties: Map<String, Value> =
        section.keys.iter().map(|key| (key.name.to_owned(), key_schema(key))).collect();
    let mut schema =
        json!({ "type": "object", "additionalProperties": section.named.map_or(json!(false), key_schema) });
    if !properties.is_empty() {
        schema["properties"] = properties.into();
    }
    // What is required only beside other keys is checked by the program alone.
    let required: Vec<&str> =
        section.keys.iter().filter(|key| is_always_required(section, key)).map(|key| key.name).collect();
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}

/// A built-in rule has a name in place of a pattern.
fn is_always_required(section: &Section, key: &Key) -> bool {
    key.default == REQUIRED && !(section.title == "[[rule]]" && key.name == "pattern")
}

fn key_schema(key: &Key) -> Value {
    let mut schema = kind_schema(&key.kind);
    schema["description"] = plain_text(&describe(key)).into();
    if let Some(default) =
        literal(key.default.strip_prefix('`').and_then(|text| text.strip_suffix('`')).unwrap_or(""))
    {
        schema["default"] = default;
    }
    if let Some(example) = literal(key.example) {
        schema["examples"] = json!([example]);
    }
    schema
}

fn describe(key: &Key) -> String {
    let meaning = key.meaning;
    match key.default {
        "" => format!("{meaning} ({})", key.kind),
        REQUIRED => format!("{meaning} ({}; required)", key.kind),
        default => format!("{meaning} ({}; default: {default})", key.kind),
    }
}

/// A value of TOML as JSON.
fn literal(text: &str) -> Option<Value> {
    let table: toml::Table = format!("value = {text}").parse().ok()?;
    serde_json::to_value(table.get("value")?).ok()
}

fn kind_schema(kind: &Kind) -> Value {
    match kind {
        Kind::Text(..) => json!({ "type": "string" }),
        Kind::Integer(least, most) => {
            let mut schema = json!({ "type": "integer" });
            if *least != i64::MIN {
                schema["minimum"] = (*least).into();
            }
            if *most != i64::MAX {
                schema["maximum"] = (*most).into();
            }
            schema
        }
        Kind::Number(above, most) => {
            let mut schema = json!({ "type": "number" });
            if above.is_finite() {
                schema["exclusiveMinimum"] = (*above).into();
            }
            if most.is_finite() {
                schema["maximum"] = (*most).into();
            }
            schema
        }
        Kind::Boolean => json!({ "type": "boolean" }),
        Kind::Words(words) => json!({ "enum": words }),
        Kind::WordsOf(words, ..) => json!({ "enum": words() }),
        Kind::Array(kind) => json!({ "type": "array", "items": kind_schema(kind) }),
        Kind::Table(section) => table_schema(section),
        Kind::Tables(section) => json!({ "type": "array", "items": table_schema(section) }),
        Kind::Called(_, _, kind) => kind_schema(kind),
        Kind::Either(kinds) => json!({ "anyOf": kinds.iter().map(kind_schema).collect::<Vec<_>>() }),
    }
}

fn merge(schema: &mut Value, other: Value) {
    if let (Some(schema), Value::Object(other)) = (schema.as_object_mut(), other) {
        schema.extend(other);
    }
}

/// Markdown without links and marks of code.
pub fn plain_text(markdown: &str) -> String {
    static LINK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\[((?:`[^`]*`|[^\[\]`])*)\]\([^)]*\)").expect("the pattern is a constant")
    });
    LINK.replace_all(markdown, "$1").replace('`', "")
}
