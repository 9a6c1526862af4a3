//! The JSON schemas against sweeps that the program ships and against mistakes, by a validator of the words they use.

use serde_json::{Value, json};

use super::schema;

/// What is wrong with a value, each with its path.
fn violations(schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let fail = |what: &str| format!("{path}: {what}");
    if let Some(kinds) = schema["anyOf"].as_array()
        && !kinds.iter().any(|kind| violations(kind, value, path).is_empty())
    {
        wrong.push(fail("fits none"));
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        wrong.push(fail("is no such word"));
    }
    let fits = match schema["type"].as_str() {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some(other) => panic!("{other} is no type here"),
        None => true,
    };
    if !fits {
        return vec![fail("has another type")];
    }
    if let (Some(least), Some(number)) = (schema["minimum"].as_f64(), value.as_f64())
        && number < least
    {
        wrong.push(fail("is too small"));
    }
    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
        wrong.extend(violations(&schema["items"], item, &format!("{path}[{at}]")));
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        match schema["properties"].get(name).or(schema.get("additionalProperties")) {
            Some(Value::Bool(false)) => wrong.push(format!("{path}: is no key")),
            Some(schema) => wrong.extend(violations(schema, inner, &path)),
            None => {}
        }
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.is_object() && value.get(name).is_none() {
            wrong.push(fail(&format!("lacks {name}")));
        }
    }
    wrong
}

fn parse(toml: &str) -> Value {
    let table: toml::Table = toml.parse().unwrap_or_else(|error| panic!("{error}"));
    serde_json::to_value(table).expect("no dates")
}

#[test]
fn every_shipped_sweep_fits_the_schema() {
    let schema = schema::sweep_schema();
    let mut count = 0;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/configs");
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let file = entry.expect("an entry").path();
        if file.extension().is_some_and(|kind| kind == "toml") {
            let source = std::fs::read_to_string(&file).expect("the sweep");
            assert_eq!(violations(&schema, &parse(&source), ""), [""; 0], "{}", file.display());
            count += 1;
        }
    }
    assert!(count > 5, "{count} sweeps");
}

#[test]
fn every_sweep_of_the_documentation_fits_the_schema() {
    let page = include_str!("../../../docs/sweep.md");
    let blocks = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let schema = schema::sweep_schema();
    for block in blocks {
        assert_eq!(violations(&schema, &parse(block), ""), [""; 0], "{block}");
    }
}

#[test]
fn mistakes_do_not_fit() {
    let shard = "[shard]\ncommand = 'true'\n";
    let cases = [
        ("[schedule]\nparalel = 8\n", ".schedule.paralel: is no key"),
        ("[schedule]\nparallel = \"8\"\n", ".schedule.parallel: fits none"),
        ("[schedule]\nparallel = 0\n", ".schedule.parallel: fits none"),
        ("[schedule]\norder = \"shortest\"\n", ".schedule.order: is no such word"),
        ("[schedule]\non_fail = [\"split\"]\n", ".schedule.on_fail[0]: fits none"),
        ("[episodes]\nshards = 2\n", ".episodes: lacks total"),
        ("[[metric]]\npattern = 'x'\n", ".metric[0]: lacks name"),
    ];
    for (text, wanted) in cases {
        let found = violations(&schema::sweep_schema(), &parse(&format!("{shard}{text}")), "");
        assert_eq!(found, [wanted], "{text}");
    }
    assert_eq!(violations(&schema::sweep_schema(), &json!({}), ""), [": lacks shard"]);
    let settings = parse("slow = 1\n[notify]\nalarm = 'bel'\n[keys]\nkill = 'K'\n");
    let found = violations(&schema::settings_schema(), &settings, "");
    assert_eq!(found, [".notify.alarm: is no such word", ".slow: has another type"]);
}
