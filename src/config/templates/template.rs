//! Templates of a sweep: the syntax, the filters, and the check that no value turns into shell syntax.

use std::collections::BTreeMap;
use std::ops::Range;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value};

use super::program_path::ProgramPath;
use super::quote::{is_plain, open_path, place_paths, shell_quote};

/// Steps that a template may take: a loop over a hundred thousand values takes a million. Loops within loops would keep
/// `check` busy for ever.
const FUEL: u64 = 20_000_000;

/// Names and values a template may use.
pub(in crate::config) type Context = BTreeMap<String, Value>;

/// Reader of the rendered text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::config) enum RenderTarget {
    /// `bash`: values must be plain, quoted or marked as safe.
    Shell,
    /// A program, a file system, a person: any value will do.
    Direct,
}

/// Why a template cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::config) struct TemplateFault {
    pub(in crate::config) message: String,
    pub(in crate::config) hint: Option<String>,
    /// Bytes of the template.
    pub(in crate::config) range: Option<Range<usize>>,
}

/// The engine for one kind of reader.
pub(in crate::config) fn template_environment(reader: RenderTarget) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_debug(true);
    environment.set_fuel(Some(FUEL));
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    // `${#array[@]}` must stay shell text, so a comment needs one more mark than usual.
    let syntax = SyntaxConfig::builder().comment_delimiters("{##", "##}").keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("the delimiters are constants, distinct and not empty"));
    environment.add_filter("q", quote_value);
    environment.set_formatter(match reader {
        RenderTarget::Shell => print_for_shell,
        RenderTarget::Direct => print_plainly,
    });
    environment
}

/// Renders one template with this context.
pub(in crate::config) fn render_template(
    environment: &Environment<'_>,
    source: &str,
    context: &Context,
) -> Result<String, TemplateFault> {
    environment
        .render_str(source, context)
        .map(|text| place_paths(&text))
        .map_err(|error| fault_from_error(&error))
}

/// The names a template uses without setting them, members written as `shard.index`.
pub(in crate::config) fn undeclared_names(
    environment: &Environment<'_>,
    source: &str,
) -> Result<Vec<String>, TemplateFault> {
    let template = environment.template_from_str(source).map_err(|error| fault_from_error(&error))?;
    let mut names: Vec<String> = template.undeclared_variables(true).into_iter().collect();
    names.sort();
    Ok(names)
}

/// A value printed where a shell would read more than one plain word.
#[derive(Debug, thiserror::Error)]
#[error("the value `{0}` has characters that a shell takes for its own")]
struct ShellSyntax(String);

fn print_plainly(out: &mut Output, _: &mut State, value: &Value) -> Result<(), Error> {
    write!(out, "{value}").map_err(Error::from)
}

fn print_for_shell(out: &mut Output, _: &mut State, value: &Value) -> Result<(), Error> {
    if let Some(path) = value.downcast_object_ref::<ProgramPath>() {
        return out.write_str(&open_path(path.as_str())).map_err(Error::from);
    }
    let text = value.to_string();
    let harmless = match value.kind() {
        ValueKind::Number | ValueKind::Bool => true,
        _ => value.is_safe() || is_plain(&text),
    };
    if harmless {
        return out.write_str(&text).map_err(Error::from);
    }
    Err(Error::new(ErrorKind::InvalidOperation, "unsafe in a shell").with_source(ShellSyntax(text)))
}

/// `| q`: one shell word, or one for each item of a list.
fn quote_value(value: &Value) -> Result<Value, Error> {
    let words = match value.kind() {
        ValueKind::Seq | ValueKind::Iterable => {
            value.try_iter()?.map(|item| shell_quote(&item.to_string())).collect::<Vec<_>>().join(" ")
        }
        _ => shell_quote(&value.to_string()),
    };
    Ok(Value::from_safe_string(words))
}

/// Turns the engine's error into words about the sweep.
pub(in crate::config) fn fault_from_error(error: &Error) -> TemplateFault {
    let range = error.range();
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<ShellSyntax>());
    if let Some(shell) = cause {
        let hint = "quote it with `| q`, such as `{{ name | q }}`; `| safe` hands it to the shell as it is";
        return TemplateFault { message: shell.to_string(), hint: Some(hint.to_owned()), range };
    }
    if error.kind() == ErrorKind::OutOfFuel {
        let message = "the template takes too many steps".to_owned();
        let hint =
            "loops within loops multiply: let the program count, or name the values in the sweep".to_owned();
        return TemplateFault { message, hint: Some(hint), range };
    }
    let detail = error.detail().map(str::to_owned).unwrap_or_else(|| error.kind().to_string());
    let hint = match error.kind() {
        ErrorKind::SyntaxError if detail.contains("expected end of variable block") => {
            Some("close the variable with `}}`; other text with `{{` belongs between `{% raw %}` and `{% endraw %}`".to_owned())
        }
        ErrorKind::SyntaxError => Some(
            "shell or JSON text with `{{` or `{%` belongs between `{% raw %}` and `{% endraw %}`".to_owned(),
        ),
        ErrorKind::UnknownFilter => {
            Some("`q` quotes for the shell; others are those of minijinja".to_owned())
        }
        _ => None,
    };
    TemplateFault { message: format!("the template cannot be rendered: {detail}"), hint, range }
}
