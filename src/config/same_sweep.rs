//! Whether the file of a sweep is still the one that a run was given.

use toml::de::{DeTable, DeValue};

/// Reports whether two texts are the same sweep, apart from the values of its axes: a user who has typed the new value
/// into the file has not changed what the run was given.
pub fn is_same_sweep(given: &str, now: &str) -> bool {
    let (given, errors) = DeTable::parse_recoverable(given);
    let (now, more) = DeTable::parse_recoverable(now);
    errors.is_empty()
        && more.is_empty()
        && without_values(given.into_inner()) == without_values(now.into_inner())
}

/// The sweep as text without the values of its axes.
fn without_values(document: DeTable<'_>) -> String {
    let mut entries: Vec<String> = Vec::new();
    for (key, value) in document {
        let is_matrix = key.get_ref() == "matrix";
        match value.into_inner() {
            DeValue::Table(axes) if is_matrix => {
                for (name, value) in axes {
                    let is_rule = matches!(name.get_ref().as_ref(), "exclude" | "include");
                    let text = if is_rule { canonical_text(value.get_ref()) } else { String::new() };
                    entries.push(format!("matrix.{}: {text}", name.get_ref()));
                }
            }
            other => entries.push(format!("{}: {}", key.get_ref(), canonical_text(&other))),
        }
    }
    entries.sort_unstable();
    entries.join("\n")
}

/// A value without its place in the file.
fn canonical_text(value: &DeValue<'_>) -> String {
    match value {
        DeValue::Table(table) => {
            let mut entries: Vec<String> = table
                .iter()
                .map(|(key, value)| format!("{:?}={}", key.get_ref(), canonical_text(value.get_ref())))
                .collect();
            entries.sort_unstable();
            format!("{{{}}}", entries.join(","))
        }
        DeValue::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| canonical_text(item.get_ref())).collect();
            format!("[{}]", items.join(","))
        }
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(moment) => moment.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_values_of_axes_may_differ() {
        let given = "[matrix]\np = ['a']\nexclude = [{ p = 'z' }]\n[shard]\ncommand = 'run {{ p }}'\n";
        assert!(is_same_sweep(given, &format!("# a remark\n{}", given.replace("['a']", "['a', 'b']"))));
        assert!(is_same_sweep(
            given,
            "shard.command = 'run {{ p }}'\n[matrix]\nexclude = [{ p = 'z' }]\np = []"
        ));
        for other in ["run {{ p }} --fast'", "[{ p = 'y' }]"] {
            let place = if other.starts_with('[') { "[{ p = 'z' }]" } else { "run {{ p }}'" };
            assert!(!is_same_sweep(given, &given.replace(place, other)), "{other}");
        }
        assert!(!is_same_sweep(given, &given.replace("p = ['a']", "p = ['a']\nq = [1]")));
        assert!(!is_same_sweep(given, "not toml ["));
    }
}
