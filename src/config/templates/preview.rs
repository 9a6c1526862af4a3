//! Commands as they can be shown before any attempt: what only the start knows is written as `{{ out }}`.

use minijinja::{Environment, Value};

use super::program_path::ProgramPath;
use super::quote::{is_plain, shell_quote};
use super::template::{Context, RenderTarget, render_template, template_environment};
use super::variables::{FIRST_NAMES, START_NAMES, StartFacts, add_start};
use crate::config::trial::trial_gpus;
use crate::model::needs::resources::Resources;
use crate::model::sweep::command_template::CommandTemplate;

/// Makes previews for many shards.
pub(in crate::config) struct Preview {
    environment: Environment<'static>,
}

impl Preview {
    pub(in crate::config) fn new() -> Self {
        Self { environment: template_environment(RenderTarget::Direct) }
    }

    /// The values of a shard, with the names of those that are not known yet in their place.
    pub(in crate::config) fn context(shard: &Context, resources: &Resources) -> Context {
        let facts = StartFacts {
            attempt: 1,
            out: "{{ out }}".to_owned(),
            run_dir: "{{ run_dir }}".to_owned(),
            gpus: &trial_gpus(resources),
            port: None,
            previous: None,
        };
        let mut context = shard.clone();
        add_start(&mut context, &facts, resources);
        context.insert("port".to_owned(), Value::from_object(ProgramPath("{{ port }}".to_owned())));
        context
    }

    /// The template with everything filled in that is known; unchanged where that cannot be rendered.
    pub(in crate::config) fn render_text(&self, template: &str, context: &Context) -> String {
        let rest = self.keep_start_expressions(template);
        render_template(&self.environment, &rest, context).unwrap_or_else(|_| template.to_owned())
    }

    /// A command in one text; the arguments of a list as a shell would need them.
    pub(in crate::config) fn render_command(&self, command: &CommandTemplate, context: &Context) -> String {
        match command {
            CommandTemplate::Shell(text) => self.render_text(text, context),
            CommandTemplate::Arguments(arguments) => {
                let word = |argument: &String| quote_for_display(&self.render_text(argument, context));
                arguments.iter().map(word).collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// Marks `{{ ... }}` as literal text where it uses a name that only the start knows.
    fn keep_start_expressions(&self, template: &str) -> String {
        // Inside a literal part the marks would end it too early.
        if template.contains("raw") {
            return template.to_owned();
        }
        let mut kept = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((inside, after)) = after.split_once("}}") else { break };
            kept.push_str(before);
            let expression = format!("{{{{{inside}}}}}");
            if self.needs_start(inside) {
                kept.push_str(&format!("{{% raw %}}{expression}{{% endraw %}}"));
            } else {
                kept.push_str(&expression);
            }
            rest = after;
        }
        kept + rest
    }

    fn needs_start(&self, expression: &str) -> bool {
        let Ok(expression) = self.environment.compile_expression(expression) else { return false };
        let is_open = |name: &str| START_NAMES.contains(&name) && !FIRST_NAMES.contains(&name);
        expression.undeclared_variables(false).iter().any(|name| is_open(name))
    }
}

/// Quotes an argument for people, unless only an open `{{ ... }}` would need it.
fn quote_for_display(text: &str) -> String {
    let mut known = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        known.push_str(before);
        rest = after.split_once("}}").map_or("", |(_, after)| after);
    }
    known.push_str(rest);
    if is_plain(&known) && !text.is_empty() { text.to_owned() } else { shell_quote(text) }
}
