//! The names in templates: which are known where, and the errors about the others.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;

use super::shard::{TemplateField, TemplateRole};
use super::template::{TemplateFault, template_environment, undeclared_names};
use super::variables::{OWN_COMMAND_NAMES, PACK_MEMBERS, PREVIOUS_MEMBERS, SLICE_MEMBERS, START_NAMES};
use crate::config::document::problem::{Problem, did_you_mean, join_quoted};
use crate::config::document::table::Sink;
use crate::model::needs::resources::{GpuNeed, Resources};
use crate::model::sweep::service::ServiceSpec;

/// Names templates may use, each with its members where it has some.
#[derive(Debug, Clone, Default)]
pub(in crate::config) struct TemplateNames {
    names: BTreeMap<String, Vec<String>>,
    packed: Vec<String>,
}

impl TemplateNames {
    /// Names of the shards of a sweep.
    pub(in crate::config) fn of_sweep(
        axes: &[String],
        sliced: bool,
        packed: &[String],
        resources: &Resources,
    ) -> Self {
        let mut known = Self { names: BTreeMap::new(), packed: packed.to_vec() };
        known.names.extend(axes.iter().map(|axis| (axis.clone(), Vec::new())));
        known.add_name("id", &[]);
        if sliced {
            known.add_name("shard", &SLICE_MEMBERS);
        }
        if !packed.is_empty() {
            let members: Vec<&str> =
                PACK_MEMBERS.into_iter().chain(packed.iter().map(String::as_str)).collect();
            known.add_name("pack", &members);
        }
        for name in START_NAMES.into_iter().filter(|name| *name != "service") {
            known.add_name(name, &[]);
        }
        known.add_name("previous", &PREVIOUS_MEMBERS);
        if let Some(GpuNeed::Components(components)) = &resources.gpus {
            let names: Vec<&str> = components.keys().map(String::as_str).collect();
            known.add_name("gpus", &names);
        }
        known
    }

    /// The same where there are services with these names.
    pub(in crate::config) fn and_services(mut self, services: &[ServiceSpec]) -> Self {
        let names: Vec<&str> = services.iter().map(|service| service.name.as_str()).collect();
        if !names.is_empty() {
            self.add_name("service", &names);
        }
        self
    }

    /// Names of an instance of a service that has these axes.
    pub(in crate::config) fn of_service(by: &[String]) -> Self {
        let mut known = Self::default();
        by.iter().for_each(|axis| known.add_name(axis, &[]));
        known.add_name("id", &[]);
        for name in START_NAMES.into_iter().filter(|name| *name != "service") {
            known.add_name(name, &[]);
        }
        known
    }

    /// Names the reporter may use.
    pub(in crate::config) fn for_reporter() -> Self {
        let mut known = Self::default();
        known.add_name("run_dir", &[]);
        known
    }

    /// Names commands of the user's own may use.
    pub(in crate::config) fn own_command() -> Self {
        let mut known = Self::default();
        OWN_COMMAND_NAMES.iter().for_each(|name| known.add_name(name, &[]));
        known
    }

    /// Whether templates may use this name.
    pub(in crate::config) fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    fn add_name(&mut self, name: &str, members: &[&str]) {
        self.names.insert(name.to_owned(), members.iter().map(|member| (*member).to_owned()).collect());
    }
}

/// Whether the template can be read and knows all its names; otherwise the sink has the reasons.
pub(in crate::config) fn check_field(
    field: &TemplateField,
    known: &TemplateNames,
    document: &str,
    sink: &Sink,
) -> bool {
    let environment = template_environment(field.role.reader());
    let used = match undeclared_names(&environment, field.text.get_ref()) {
        Ok(used) => used,
        Err(fault) => {
            sink.add(problem_of(fault, &field.text, document));
            return false;
        }
    };
    let mut good = true;
    for name in used {
        let (base, member) =
            name.split_once('.').map_or((name.as_str(), None), |(base, rest)| (base, rest.split('.').next()));
        if environment.globals().any(|(global, _)| global == base) && !known.names.contains_key(base) {
            continue;
        }
        if let Some((message, hint)) = find_objection(base, member, field.role, known) {
            good = false;
            let place = place_of_name(document, &field.text, &name);
            sink.add(Problem::new(place, message).with_hint(hint));
        }
    }
    good
}

/// Returns the objection to a name, with a hint.
fn find_objection(
    base: &str,
    member: Option<&str>,
    role: TemplateRole,
    known: &TemplateNames,
) -> Option<(String, String)> {
    let early = role.is_early() && START_NAMES.contains(&base) || role == TemplateRole::Id && base == "id";
    if early {
        let when = if role == TemplateRole::Need {
            "before a shard starts"
        } else {
            "yet when the shards are named"
        };
        let message = format!("`{base}` is not known {when}");
        return Some((message, format!("use {}", known.list_known_names(role))));
    }
    let Some(members) = known.names.get(base) else {
        return Some((format!("the variable `{base}` is not defined"), known.hint_for(base, role)));
    };
    let member = member.filter(|_| !members.is_empty())?;
    if members.iter().any(|known| known == member) {
        return None;
    }
    let names = members.iter().map(String::as_str);
    let hint = match did_you_mean(member, names.clone()) {
        Some(word) => format!("did you mean `{base}.{word}`?"),
        None => format!("it has {}", join_quoted(names)),
    };
    Some((format!("`{base}` has no member `{member}`"), hint))
}

impl TemplateNames {
    fn hint_for(&self, name: &str, role: TemplateRole) -> String {
        if self.packed.iter().any(|axis| axis == name) {
            let member = if self.packed.len() == 1 { "values" } else { name };
            return format!("it is packed: write `{{{{ pack.{member} | join(\",\") }}}}`");
        }
        match name {
            "shard" => {
                return "`shard` needs a table `[episodes]`, such as with `total = 100` and `shards = 4`"
                    .to_owned();
            }
            "service" => return "`service` needs a table `[[service]]` with `name` and `command`".to_owned(),
            "pack" => {
                return "`pack` needs a table `[pack]`, such as with `axis = \"seed\"` and `size = 8`"
                    .to_owned();
            }
            _ => {}
        }
        match did_you_mean(name, self.names.keys().map(String::as_str)) {
            Some(word) => format!("did you mean `{word}`? known are {}", self.list_known_names(role)),
            None => format!("known are {}", self.list_known_names(role)),
        }
    }

    fn list_known_names(&self, role: TemplateRole) -> String {
        let early = role.is_early();
        let names = self.names.keys().map(String::as_str);
        join_quoted(names.filter(|name| !(early && (START_NAMES.contains(name) || *name == "id"))))
    }
}

/// A fault of the engine as a problem of the file.
pub(in crate::config) fn problem_of(fault: TemplateFault, text: &Spanned<String>, document: &str) -> Problem {
    let span = fault.range.and_then(|range| place_in(document, text, range)).unwrap_or_else(|| text.span());
    Problem { span, message: fault.message, hint: fault.hint, other: None }
}

/// Bytes of the file for bytes of a text; `None` if escapes make the two differ.
fn place_in(document: &str, text: &Spanned<String>, range: Range<usize>) -> Option<Range<usize>> {
    let raw = document.get(text.span())?;
    let start = text.span().start + raw.find(text.get_ref().as_str())?;
    (range.end <= text.get_ref().len() && !range.is_empty()).then(|| start + range.start..start + range.end)
}

/// Finds the first place of a name between the marks of a template.
fn place_of_name(document: &str, text: &Spanned<String>, name: &str) -> Range<usize> {
    let raw = document.get(text.span()).unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let found = raw.match_indices(name).find(|(at, _)| {
        let (before, after) = (&raw[..*at], &raw[at + name.len()..]);
        let opened = before.rfind("{{").max(before.rfind("{%"));
        let closed = before.rfind("}}").max(before.rfind("%}"));
        opened > closed && !before.ends_with(is_word) && !after.starts_with(is_word)
    });
    found.map_or(text.span(), |(at, _)| {
        let start = text.span().start + at;
        start..start + name.len()
    })
}
