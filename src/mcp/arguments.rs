//! Arguments of a tool: their schema, and the words of the command line that they become.

use serde_json::{Map, Value, json};

use super::parameter::{Parameter, ParameterKind};
use super::tools::Tool;

/// Returns the JSON schema of a tool's arguments.
pub fn build_schema(tool: &Tool) -> Value {
    let properties: Map<String, Value> =
        tool.parameters.iter().map(|one| (one.name.to_owned(), one.to_schema())).collect();
    let required: Vec<&str> =
        tool.parameters.iter().filter(|one| one.is_required).map(|one| one.name).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// Returns the words of the command line for a call, or what is wrong with its arguments. No argument can become an
/// option that the tool does not have: options hold their values by `=`, and words come behind `--`.
pub fn command_line(tool: &Tool, arguments: &Map<String, Value>) -> Result<Vec<String>, String> {
    let is_known = |name: &str| tool.parameters.iter().any(|one| one.name == name);
    if let Some(unknown) = arguments.keys().find(|name| !is_known(name)) {
        let known: Vec<&str> = tool.parameters.iter().map(|one| one.name).collect();
        return Err(format!(
            "`{}` has no argument `{unknown}`; it takes: {}",
            tool.name,
            if known.is_empty() { "none".to_owned() } else { known.join(", ") }
        ));
    }
    let mut options: Vec<String> = tool.words.iter().map(|word| (*word).to_owned()).collect();
    let mut words = Vec::new();
    for parameter in tool.parameters {
        let given = arguments.get(parameter.name).filter(|value| !value.is_null());
        if given.is_none() && parameter.is_required {
            return Err(format!("`{}` needs `{}`: {}", tool.name, parameter.name, parameter.help));
        }
        add_words(parameter, given, (&mut options, &mut words))
            .ok_or_else(|| wrong_value(parameter, given.unwrap_or(&Value::Null)))?;
    }
    if !words.is_empty() {
        options.push("--".to_owned());
    }
    Ok(options.into_iter().chain(words).collect())
}

/// Returns `None` for a value of another type.
fn add_words(
    parameter: &Parameter,
    given: Option<&Value>,
    (options, words): (&mut Vec<String>, &mut Vec<String>),
) -> Option<()> {
    match (parameter.kind, given) {
        (ParameterKind::Number(option, Some(usual)), None) => options.push(format!("{option}={usual}")),
        (_, None) => {}
        (ParameterKind::Option(option), Some(value)) => options.push(format!("{option}={}", value.as_str()?)),
        (ParameterKind::Number(option, _), Some(value)) => {
            options.push(format!("{option}={}", value.as_u64().filter(|number| *number > 0)?));
        }
        (ParameterKind::Flag(option), Some(value)) => {
            options.extend(value.as_bool()?.then(|| option.to_owned()));
        }
        (ParameterKind::Word, Some(value)) => words.push(value.as_str()?.to_owned()),
        (ParameterKind::Words, Some(value)) => {
            for word in value.as_array().filter(|all| !all.is_empty())? {
                words.push(word.as_str()?.to_owned());
            }
        }
    }
    Some(())
}

fn wrong_value(parameter: &Parameter, value: &Value) -> String {
    let wanted = match parameter.kind {
        ParameterKind::Option(_) | ParameterKind::Word => "a string",
        ParameterKind::Number(..) => "a whole number, at least 1",
        ParameterKind::Flag(_) => "true or false",
        ParameterKind::Words => "an array of strings, at least one",
    };
    format!("`{}` is {wanted}, not {value}", parameter.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tools::{TOOLS, find_tool};

    fn line(tool: &str, arguments: Value) -> Result<Vec<String>, String> {
        command_line(find_tool(tool).unwrap(), arguments.as_object().unwrap())
    }

    #[test]
    fn arguments_become_words_and_none_of_them_an_option() {
        assert_eq!(
            line("kill", json!({"run": "--all", "shards": ["--all", "a b"]})).unwrap(),
            ["kill", "--run=--all", "--", "--all", "a b"]
        );
        assert_eq!(line("stop", json!({"now": true})).unwrap(), ["stop", "--now"]);
        assert_eq!(line("stop", json!({"now": false, "run": null})).unwrap(), ["stop"]);
        let logs = line("logs", json!({"shard": "s", "attempt": 2})).unwrap();
        assert_eq!(logs, ["logs", "--attempt=2", "--tail=100", "--", "s"]);
    }

    #[test]
    fn missing_wrong_and_unknown_arguments_are_refused() {
        for (tool, arguments, wanted) in [
            ("kill", json!({}), "`kill` needs `shards`"),
            ("kill", json!({"shards": []}), "`shards` is an array of strings, at least one, not []"),
            ("kill", json!({"shards": "a"}), "`shards` is an array of strings"),
            ("kill", json!({"shards": [1]}), "`shards` is an array of strings"),
            ("status", json!({"runs": "r"}), "`status` has no argument `runs`; it takes: run"),
            ("list_runs", json!({"run": "r"}), "it takes: none"),
            ("logs", json!({"shard": "s", "lines": 0}), "`lines` is a whole number, at least 1, not 0"),
        ] {
            let refused = line(tool, arguments).unwrap_err();
            assert!(refused.starts_with(wanted) || refused.ends_with(wanted), "{refused}");
        }
    }

    #[test]
    fn each_tool_has_its_own_name_and_a_schema_of_all_its_parameters() {
        for tool in TOOLS {
            assert_eq!(find_tool(tool.name), Some(tool), "{}", tool.name);
            let schema = build_schema(tool);
            assert_eq!(schema["properties"].as_object().map(Map::len), Some(tool.parameters.len()));
        }
    }
}
