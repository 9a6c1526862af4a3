//! The messages of the protocol, JSON-RPC with one message a line: which is answered how, and which calls a tool.

use serde_json::{Map, Value, json};

use super::arguments::{build_schema, command_line};
use super::tools::{TOOLS, Tool, ToolEffect, find_tool};

/// Versions that differ in nothing that is used here, newest first. A client of a later version that begins without
/// a handshake gets "unknown method", after which it begins with one.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const UNKNOWN_METHOD: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// What follows from a message.
#[derive(Debug, PartialEq)]
pub enum Answer {
    /// Nothing: it was a notification, or an answer to what was never asked.
    Silence,
    /// This message.
    Reply(Value),
    /// A tool is called, and its outcome is the answer.
    Call(ToolCall),
}

/// Call of a tool.
#[derive(Debug, PartialEq)]
pub struct ToolCall {
    id: Value,
    /// Words of the command line.
    pub words: Vec<String>,
}

/// What a tool brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutcome {
    /// Its data and its messages, each a text; empty ones are left out.
    pub texts: Vec<String>,
    /// It did not do what it was called for.
    pub has_failed: bool,
}

/// Returns what follows from a line; `may_act` offers the tools that change something.
pub fn answer(line: &[u8], may_act: bool) -> Answer {
    let message = match serde_json::from_slice::<Value>(line) {
        Ok(Value::Object(message)) => message,
        Ok(_) => return refuse(Value::Null, INVALID_REQUEST, "a message is one object"),
        Err(error) => return refuse(Value::Null, PARSE_ERROR, &format!("the line is not JSON: {error}")),
    };
    let Some(id) = message.get("id").filter(|id| !id.is_null()).cloned() else { return Answer::Silence };
    let Some(method) = message.get("method").and_then(Value::as_str) else {
        let is_answer = message.contains_key("result") || message.contains_key("error");
        return if is_answer {
            Answer::Silence
        } else {
            refuse(id, INVALID_REQUEST, "a request has a method")
        };
    };
    let no_params = Map::new();
    let params = message.get("params").and_then(Value::as_object).unwrap_or(&no_params);
    match method {
        "initialize" => reply(id, introduce(params, may_act)),
        "ping" => reply(id, json!({})),
        "tools/list" => reply(id, json!({"tools": offered(may_act).map(describe).collect::<Vec<_>>()})),
        "tools/call" => call_tool(id, params, may_act),
        other => refuse(id, UNKNOWN_METHOD, &format!("there is no method `{other}` here")),
    }
}

impl ToolCall {
    /// Builds the message with the outcome.
    pub fn reply(self, outcome: ToolOutcome) -> Value {
        success(self.id, tool_result(outcome))
    }
}

fn tool_result(outcome: ToolOutcome) -> Value {
    let texts = outcome.texts.into_iter().filter(|text| !text.trim().is_empty());
    let content: Vec<Value> = texts.map(|text| json!({"type": "text", "text": text})).collect();
    json!({"content": content, "isError": outcome.has_failed})
}

fn offered(may_act: bool) -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(move |tool| may_act || tool.effect == ToolEffect::Reads)
}

fn introduce(params: &Map<String, Value>, may_act: bool) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str);
    let version = VERSIONS.into_iter().find(|known| Some(*known) == asked).unwrap_or(VERSIONS[0]);
    let acting = if may_act {
        "Tools that are not read-only run or end programs of this user at once: say what will be done, and for which run \
         and shards, before you call one."
    } else {
        "All tools are read-only. For others the user starts `sweepdeck mcp --allow-acting`."
    };
    let instructions = format!(
        "Runs of sweepdeck: sweeps of robot-policy evaluations on this machine, cut into shards. Begin with `list_runs`; \
         a run left out is the newest one. Numbers that are null are not known. {acting}"
    );
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "sweepdeck", "version": env!("CARGO_PKG_VERSION")},
        "instructions": instructions,
    })
}

fn describe(tool: &Tool) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "inputSchema": build_schema(tool),
        "annotations": {
            "readOnlyHint": tool.effect == ToolEffect::Reads,
            "destructiveHint": tool.effect == ToolEffect::Destroys,
            "openWorldHint": false,
        },
    })
}

fn call_tool(id: Value, params: &Map<String, Value>, may_act: bool) -> Answer {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let Some(tool) = find_tool(name) else {
        let known: Vec<&str> = offered(may_act).map(|tool| tool.name).collect();
        let message = format!("there is no tool `{name}`; there are: {}", known.join(", "));
        return refuse(id, INVALID_PARAMS, &message);
    };
    let failed = |message: String| ToolOutcome { texts: vec![message], has_failed: true };
    if !may_act && tool.effect != ToolEffect::Reads {
        let message =
            format!("`{name}` acts, which this server may not: it was started without --allow-acting");
        return reply(id, tool_result(failed(message)));
    }
    let none = Map::new();
    let arguments = match params.get("arguments") {
        None | Some(Value::Null) => &none,
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return refuse(id, INVALID_PARAMS, "`arguments` is an object"),
    };
    match command_line(tool, arguments) {
        Ok(words) => Answer::Call(ToolCall { id, words }),
        // An assistant may read this and call again, which it may not do with an error of the protocol.
        Err(message) => reply(id, tool_result(failed(message))),
    }
}

fn reply(id: Value, result: Value) -> Answer {
    Answer::Reply(success(id, result))
}

fn success(id: Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

fn refuse(id: Value, code: i64, message: &str) -> Answer {
    Answer::Reply(json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(message: Value, may_act: bool) -> Answer {
        answer(message.to_string().as_bytes(), may_act)
    }

    fn replied(message: Value, may_act: bool) -> Value {
        match ask(message, may_act) {
            Answer::Reply(reply) => reply,
            other => panic!("{other:?}"),
        }
    }

    fn names(may_act: bool) -> Vec<String> {
        let listed = replied(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}), may_act);
        let tools = listed["result"]["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn the_version_of_the_client_is_kept_where_it_is_known() {
        for (asked, given) in [("2024-11-05", "2024-11-05"), ("2099-01-01", VERSIONS[0])] {
            let message = json!({"id": "a", "method": "initialize", "params": {"protocolVersion": asked}});
            let reply = replied(message, false);
            assert_eq!((&reply["id"], &reply["result"]["protocolVersion"]), (&json!("a"), &json!(given)));
        }
    }

    #[test]
    fn tools_that_act_are_neither_offered_nor_carried_out_unless_allowed() {
        assert!(names(false).iter().all(|name| find_tool(name).unwrap().effect == ToolEffect::Reads));
        assert_eq!(names(true).len(), TOOLS.len());
        let kill = json!({"id": 1, "method": "tools/call", "params": {"name": "kill", "arguments": {"shards": ["a"]}}});
        let refused = replied(kill.clone(), false);
        assert_eq!(refused["result"]["isError"], true, "{refused}");
        assert!(matches!(ask(kill, true), Answer::Call(call) if call.words == ["kill", "--", "a"]));
    }

    #[test]
    fn notifications_and_answers_get_no_answer() {
        assert_eq!(ask(json!({"method": "notifications/initialized"}), false), Answer::Silence);
        assert_eq!(ask(json!({"id": 3, "result": {}}), false), Answer::Silence);
    }

    #[test]
    fn messages_that_make_no_sense_get_the_codes_of_json_rpc() {
        let code = |answer| match answer {
            Answer::Reply(reply) => reply["error"]["code"].as_i64(),
            other => panic!("{other:?}"),
        };
        assert_eq!(code(answer(b"{", false)), Some(PARSE_ERROR));
        assert_eq!(code(answer(b"[]", false)), Some(INVALID_REQUEST));
        assert_eq!(code(ask(json!({"id": 1}), false)), Some(INVALID_REQUEST));
        assert_eq!(code(ask(json!({"id": 1, "method": "server/discover"}), false)), Some(UNKNOWN_METHOD));
        let call = json!({"id": 1, "method": "tools/call", "params": {"name": "nothing"}});
        assert_eq!(code(ask(call, false)), Some(INVALID_PARAMS));
    }
}
