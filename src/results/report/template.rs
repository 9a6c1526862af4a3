//! Templates of pages: text of a program cannot become markup in them, and what is unknown is a dash.

use std::sync::LazyLock;
use std::time::Duration;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, Output, State, UndefinedBehavior, Value};
use serde::Serialize;

use super::escape::{escape_markup, percent_encode};
use crate::model::units::{UNKNOWN, format_duration};
use crate::results::scale::{format_percent, format_short};

macro_rules! templates {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("templates/", $name, ".html")))),*] };
}

/// Builds the values of a template, each by its name: `values! { rows, more => 3 }`.
macro_rules! values {
    (@ $name:ident) => { minijinja::Value::from(minijinja::value::Serde(&$name)) };
    (@ $name:ident $value:expr) => { minijinja::Value::from(minijinja::value::Serde(&$value)) };
    ($($name:ident $(=> $value:expr)?),* $(,)?) => {
        minijinja::context! { $($name => $crate::results::report::template::values!(@ $name $($value)?)),* }
    };
}
pub(in crate::results) use values;

const TEMPLATES: [(&str, &str); 23] = templates![
    "by_value" "cards" "compared_combos" "compared_machines" "compared_runs" "compared_with_first" "curves"
    "differences" "failures" "header" "lead" "machine" "matrix" "merged" "nodes" "packs" "page" "posteriors" "rows" "scaling" "shards"
    "timeline" "vram"
];

type ShowFigure = fn(f64) -> String;

/// Filters that turn a figure into words.
const FIGURES: [(&str, ShowFigure); 4] = [
    ("duration", |seconds| format_duration(Duration::try_from_secs_f64(seconds).unwrap_or_default())),
    ("percent", format_percent),
    ("short", format_short),
    ("watt_hours", |joules| format!("{} Wh", format_short(joules / 3600.0))),
];

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    let syntax =
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("only white space differs from the usual syntax"));
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_formatter(print_value);
    environment.add_filter("address", |path: &str| percent_encode(path));
    for (name, show) in FIGURES {
        environment.add_filter(name, move |figure: Option<f64>| figure.map(show));
    }
    for (name, source) in TEMPLATES {
        environment
            .add_template(name, source)
            .expect("the templates are compiled in, and a test renders them");
    }
    environment
});

/// Part of a page with a title.
#[derive(Debug, Serialize)]
pub struct Section {
    title: String,
    /// Anchor for the contents.
    place: String,
    /// Markup below the title.
    pub body: String,
}

impl Section {
    /// Renders the section from the template of its body.
    pub fn new(title: impl Into<String>, template: &str, values: Value) -> Self {
        let title = title.into();
        let letters =
            title.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
        Self { place: letters.collect(), body: render_template(template, values), title }
    }
}

/// Renders a template by its name. An error takes its place: a page with a hole is better than none.
pub fn render_template(name: &str, values: Value) -> String {
    let page = ENVIRONMENT.get_template(name).and_then(|template| template.render(values));
    page.unwrap_or_else(|error| {
        debug_assert!(false, "the template `{name}` does not fit its values: {error:#}");
        format!("<p class=\"warn\">{}</p>", escape_markup(&error.to_string()))
    })
}

fn print_value(out: &mut Output, _: &mut State, value: &Value) -> Result<(), Error> {
    let printed = match value.as_str() {
        Some(text) if value.is_safe() => out.write_str(text),
        Some(text) => out.write_str(&escape_markup(text)),
        None if value.is_none() => out.write_str(UNKNOWN),
        None if value.is_undefined() => Ok(()),
        None => write!(out, "{value}"),
    };
    printed.map_err(Error::from)
}
