//! The names in templates: which are known where, and what to say of the others.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;

use super::shard::{Field, Role};
use super::template::{Fault, environment, names};
use super::variables::{OWN_COMMAND_NAMES, PACK_MEMBERS, PREVIOUS_MEMBERS, SLICE_MEMBERS, START_NAMES};
use crate::config::document::problem::{Problem, did_you_mean, listed};
use crate::config::document::table::Sink;
use crate::model::needs::resources::{GpuNeed, Resources};
use crate::model::sweep::service::ServiceSpec;

/// Names templates may use, each with its members where it has some.
#[derive(Debug, Clone, Default)]
pub(in crate::config) struct Known {
    names: BTreeMap<String, Vec<String>>,
    packed: Vec<String>,
}

impl Known {
    /// Names of the shards of a sweep.
    pub(in crate::config) fn of_sweep(
        axes: &[String],
        sliced: bool,
        packed: &[String],
        resources: &Resources,
    ) -> Self {
        let mut known = Self { names: BTreeMap::new(), packed: packed.to_vec() };
        known.names.extend(axes.iter().map(|axis| (axis.clone(), Vec::new())));
        known.add("id", &[]);
        if sliced {
            known.add("shard", &SLICE_MEMBERS);
        }
        if !packed.is_empty() {
            let members: Vec<&str> =
                PACK_MEMBERS.into_iter().chain(packed.iter().map(String::as_str)).collect();
            known.add("pack", &members);
        }
        for name in START_NAMES.into_iter().filter(|name| *name != "service") {
            known.add(name, &[]);
        }
        known.add("previous", &PREVIOUS_MEMBERS);
        if let Some(GpuNeed::Components(components)) = &resources.gpus {
            let names: Vec<&str> = components.keys().map(String::as_str).collect();
            known.add("gpus", &names);
        }
        known
    }

    /// The same where there are services with these names.
    pub(in crate::config) fn and_services(mut self, services: &[ServiceSpec]) -> Self {
        let names: Vec<&str> = services.iter().map(|service| service.name.as_str()).collect();
        if !names.is_empty() {
            self.add("service", &names);
        }
        self
    }

    /// Names of an instance of a service that has these axes.
    pub(in crate::config) fn of_service(by: &[String]) -> Self {
        let mut known = Self::default();
        by.iter().for_each(|axis| known.add(axis, &[]));
        known.add("id", &[]);
        for name in START_NAMES.into_iter().filter(|name| *name != "service") {
            known.add(name, &[]);
        }
        known
    }

    /// Names the reporter may use.
    pub(in crate::config) fn reporter() -> Self {
        let mut known = Self::default();
        known.add("run_dir", &[]);
        known
    }

    /// Names commands of the user's own may use.
    pub(in crate::config) fn own_command() -> Self {
        let mut known = Self::default();
        OWN_COMMAND_NAMES.iter().for_each(|name| known.add(name, &[]));
        known
    }

    fn add(&mut self, name: &str, members: &[&str]) {
        self.names.insert(name.to_owned(), members.iter().map(|member| (*member).to_owned()).collect());
    }
}

/// Whether the template can be read and knows all its names; otherwise the sink has the reasons.
pub(in crate::config) fn check(field: &Field, known: &Known, document: &str, sink: &Sink) -> bool {
    let environment = environment(field.role.reader());
    let used = match names(&environment, field.text.get_ref()) {
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
        if let Some((message, hint)) = objection(base, member, field.role, known) {
            good = false;
            let place = place_of_name(document, &field.text, &name);
            sink.add(Problem::new(place, message).hint(hint));
        }
    }
    good
}

/// Returns the objection to a name, with a hint.
fn objection(base: &str, member: Option<&str>, role: Role, known: &Known) -> Option<(String, String)> {
    let early = role.is_early() && START_NAMES.contains(&base) || role == Role::Id && base == "id";
    if early {
        let when = if role == Role::Need { "before a shard starts" } else { "yet when the shards are named" };
        let message = format!("`{base}` is not known {when}");
        return Some((message, format!("use {}", known.offered(role))));
    }
    let Some(members) = known.names.get(base) else {
        return Some((format!("the variable `{base}` is not defined"), known.hint(base, role)));
    };
    let member = member.filter(|_| !members.is_empty())?;
    if members.iter().any(|known| known == member) {
        return None;
    }
    let names = members.iter().map(String::as_str);
    let hint = match did_you_mean(member, names.clone()) {
        Some(word) => format!("did you mean `{base}.{word}`?"),
        None => format!("it has {}", listed(names)),
    };
    Some((format!("`{base}` has no member `{member}`"), hint))
}

impl Known {
    fn hint(&self, name: &str, role: Role) -> String {
        if self.packed.iter().any(|axis| axis == name) {
            let member = if self.packed.len() == 1 { "values" } else { name };
            return format!("it is packed: write `{{{{ pack.{member} | join(\",\") }}}}`");
        }
        match name {
            "shard" => return "`shard` needs a table `[episodes]`".to_owned(),
            "service" => return "`service` needs a table `[[service]]`".to_owned(),
            "pack" => return "`pack` needs a table `[pack]`".to_owned(),
            _ => {}
        }
        match did_you_mean(name, self.names.keys().map(String::as_str)) {
            Some(word) => format!("did you mean `{word}`? known are {}", self.offered(role)),
            None => format!("known are {}", self.offered(role)),
        }
    }

    fn offered(&self, role: Role) -> String {
        let early = role.is_early();
        let names = self.names.keys().map(String::as_str);
        listed(names.filter(|name| !(early && (START_NAMES.contains(name) || *name == "id"))))
    }
}

/// A fault of the engine as a problem of the file.
pub(in crate::config) fn problem_of(fault: Fault, text: &Spanned<String>, document: &str) -> Problem {
    let span = fault.range.and_then(|range| place_in(document, text, range)).unwrap_or_else(|| text.span());
    Problem { span, message: fault.message, hint: fault.hint }
}

/// Bytes of the file for bytes of a text; none where escapes make the two differ.
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
