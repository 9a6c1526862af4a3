//! Another value for a variable of one shard: what may be changed, and whether the sweep's templates take it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::needs;
use super::templates::preview::Preview;
use super::templates::render::{self, RenderError, StartValues};
use super::templates::shard::OWN_NAMES;
use super::templates::variables::of_shard;
use crate::model::ids::{AttemptNumber, GpuIndex, ShardId};
use crate::model::needs::resources::GpuNeed;
use crate::model::sweep::edit::{Edit, EnvironmentEdit, VariableEdit};
use crate::model::sweep::plan::{Plan, ShardSpec};
use crate::model::value::Value;

/// Names with their new values, as typed.
pub type Wishes = [(String, String)];

/// Why a shard cannot be edited so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShardEditError {
    /// The matrix gives the shard no such variable.
    #[error("the shard has no variable `{name}`; it has {known}")]
    UnknownVariable {
        /// Name of the variable that was asked for.
        name: String,
        /// Variables that the shard has, as a list in words.
        known: String,
    },
    /// The new value is of another type than the old one.
    #[error("`{name}` is {wanted} in the sweep, and `{text}` is none")]
    OtherType {
        /// Name of the variable that was set.
        name: String,
        /// Type that the sweep gives it, with its article.
        wanted: &'static str,
        /// New value as the user typed it.
        text: String,
    },
    /// A secret was to be edited, and its value would be written to the journal.
    #[error(
        "`{0}` is a secret of the sweep: its value may stand in no file; export it where you start the supervisor"
    )]
    Secret(String),
    /// No environment variable can have this name.
    #[error("`{0}` cannot be the name of an environment variable")]
    Name(String),
    /// The variable is set for each attempt by this program.
    #[error("`{0}` is set for each attempt: sweepdeck finds the processes of an attempt by it")]
    OwnName(String),
    /// Everything is as the sweep gives it.
    #[error("nothing is changed: the values are those of the sweep")]
    Nothing,
    /// The edit was made for another sweep than the run has.
    #[error("the values that are to be changed are not those of this run's sweep")]
    OtherSweep,
    /// A template does not take the new values.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A file of another shard would be written over.
    #[error("with these values it would write {path}, which is a file of `{other}`")]
    SharedFile {
        /// Path of the file, as rendered.
        path: String,
        /// Id of the shard whose file it is.
        other: String,
    },
}

/// The edit that gives these values to variables and to environment variables; values that are those of the sweep are
/// left out.
pub fn build_edit(
    plan: &Plan,
    shard: &ShardSpec,
    variables: &Wishes,
    environment: &Wishes,
) -> Result<Edit, ShardEditError> {
    let mut edit = Edit::default();
    for (name, text) in variables {
        let Some(old) = shard.vars.get(name) else {
            let known: Vec<String> = shard.vars.iter().map(|(name, _)| format!("`{name}`")).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(ShardEditError::UnknownVariable { name: name.clone(), known });
        };
        let new = value_like(name, old, text)?;
        if new != *old {
            edit.variables.push(VariableEdit { name: name.clone(), old: old.clone(), new });
        }
    }
    for (name, new) in environment {
        if plan.template.secret.contains(name) {
            return Err(ShardEditError::Secret(name.clone()));
        }
        if name.is_empty() || name.contains(['=', '\0']) || new.contains('\0') {
            return Err(ShardEditError::Name(name.clone()));
        }
        if OWN_NAMES.contains(&name.as_str()) {
            return Err(ShardEditError::OwnName(name.clone()));
        }
        let old = plan.template.env.get(name).cloned();
        if old.as_ref() != Some(new) {
            edit.environment.push(EnvironmentEdit { name: name.clone(), old, new: new.clone() });
        }
    }
    Ok(edit)
}

/// Names the new values that the matrix does not have, a line each: they are taken, and may be a slip.
pub fn values_outside_matrix(plan: &Plan, edit: &Edit) -> Vec<String> {
    let axes = plan.expansion.iter().flat_map(|expansion| &expansion.axes);
    let outside = |change: &VariableEdit| {
        let axis = axes.clone().find(|axis| axis.name == change.name)?;
        let known = axis.values.iter().map(ToString::to_string).take(8).collect::<Vec<_>>().join(", ");
        (!axis.values.contains(&change.new))
            .then(|| format!("`{}` is no value of `{}` in the matrix ({known})", change.new, change.name))
    };
    edit.variables.iter().filter_map(outside).collect()
}

/// Whether the shard can run so: its templates take the values, and it writes no file of another shard.
pub fn validate_edit(plan: &Plan, shard: &ShardSpec, edit: &Edit) -> Result<(), ShardEditError> {
    if edit.is_empty() {
        return Err(ShardEditError::Nothing);
    }
    let edited = ShardSpec { edit: edit.clone(), ..shard.clone() };
    let edited = ShardSpec { edit: with_needs(plan, &edited)?, ..edited };
    render::render_attempt(plan, &edited, &placeholder_start(plan, "edited"))?;
    if edit.variables.is_empty() { Ok(()) } else { keeps_apart(plan, &edited) }
}

/// The edit of a shard with what the templates of `[resources]` come to with it, where that is something else.
pub fn with_needs(plan: &Plan, shard: &ShardSpec) -> Result<Edit, RenderError> {
    let edit = Edit { needs: None, ..shard.edit.clone() };
    if edit.is_empty() || plan.template.needs.is_empty() {
        return Ok(edit);
    }
    let edited = needs::of_shard(plan, &ShardSpec { edit: edit.clone(), ..shard.clone() })?;
    Ok(Edit { needs: (edited != shard.needs).then(|| Box::new(edited)), ..edit })
}

/// Checks that these shards can run with the sweep's own values again: meanwhile another one may have been edited into
/// the place of one that was edited itself. The error names the shard that cannot.
pub fn check_plain(plan: &Plan, shards: &BTreeSet<ShardId>) -> Result<(), (ShardId, ShardEditError)> {
    let is_meant = |spec: &&ShardSpec| !spec.edit.variables.is_empty() && shards.contains(&spec.id);
    let plain = |spec: &ShardSpec| ShardSpec { edit: Edit::default(), ..spec.clone() };
    let changed: Vec<ShardSpec> = plan.shards.iter().filter(is_meant).map(plain).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let mut after = plan.clone();
    for spec in after.shards.iter_mut().filter(|spec| shards.contains(&spec.id)) {
        spec.edit = Edit::default();
    }
    changed.iter().try_for_each(|spec| keeps_apart(&after, spec).map_err(|error| (spec.id.clone(), error)))
}

/// Whether the shard writes no file of another one.
fn keeps_apart(plan: &Plan, shard: &ShardSpec) -> Result<(), ShardEditError> {
    let start = placeholder_start(plan, "edited");
    let own = render::own_files(plan, shard, &start)?;
    let elsewhere = |path: &&String| !Path::new(path).starts_with(&start.attempt_dir);
    let own: Vec<&String> = own.iter().filter(elsewhere).collect();
    if own.is_empty() {
        return Ok(());
    }
    let others = placeholder_start(plan, "other");
    for other in plan.shards.iter().filter(|other| other.id != shard.id) {
        let theirs = render::own_files(plan, other, &others)?;
        if let Some(path) = own.iter().find(|path| theirs.contains(path)) {
            return Err(ShardEditError::SharedFile { path: (**path).clone(), other: other.id.to_string() });
        }
    }
    Ok(())
}

/// Checks that the same edit, applied to this plan, has the same effect: its sender may know an older plan, or none.
pub fn is_of(plan: &Plan, shard: &ShardSpec, told: &Edit) -> Result<(), ShardEditError> {
    let variables: Vec<_> =
        told.variables.iter().map(|edit| (edit.name.clone(), edit.new.to_string())).collect();
    let environment: Vec<_> =
        told.environment.iter().map(|edit| (edit.name.clone(), edit.new.clone())).collect();
    let known = build_edit(plan, shard, &variables, &environment)?;
    let told = Edit { needs: None, ..told.clone() };
    if known != told { Err(ShardEditError::OtherSweep) } else { validate_edit(plan, shard, &told) }
}

/// The command as it will be run, with what only the start knows as `{{ out }}`.
pub fn preview_command(plan: &Plan, shard: &ShardSpec, edit: &Edit) -> String {
    let preview = Preview::new();
    let mut edited = ShardSpec { edit: edit.clone(), ..shard.clone() };
    // Resources that cannot be rendered are reported when the edit is checked.
    edited.edit = with_needs(plan, &edited).unwrap_or_else(|_| edit.clone());
    let mut context = of_shard(&edited.values_in_force(), shard.slice.as_ref(), shard.pack.as_ref());
    context.insert("id".to_owned(), shard.id.as_str().into());
    preview.render_command(&plan.template.command, &Preview::context(&context, &plan.resources_of(&edited)))
}

/// A text as a value of the type that the sweep gives to the variable; a whole number may become one with a point.
fn value_like(name: &str, old: &Value, text: &str) -> Result<Value, ShardEditError> {
    let other = |wanted| ShardEditError::OtherType { name: name.to_owned(), wanted, text: text.to_owned() };
    let number = |wanted| {
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        number.map(Value::Float).ok_or_else(|| other(wanted))
    };
    match old {
        Value::Boolean(_) => text.parse().map(Value::Boolean).map_err(|_| other("a boolean")),
        Value::Integer(_) => text.parse().map(Value::Integer).or_else(|_| number("a number")),
        Value::Float(_) => number("a number"),
        Value::String(_) => Ok(Value::String(text.to_owned())),
    }
}

/// A start that could be: what it cannot know does not matter here.
pub(super) fn placeholder_start(plan: &Plan, attempt: &str) -> StartValues {
    let gpus = plan.resources.gpus.as_ref().map_or(1, GpuNeed::gpu_count);
    let attempt_dir = PathBuf::from("/run").join(attempt);
    StartValues {
        run_dir: PathBuf::from("/run"),
        out: attempt_dir.join("out"),
        attempt_dir,
        attempt: AttemptNumber::FIRST,
        gpus: (0..gpus).map(GpuIndex).collect(),
        gpu_uuids: Vec::new(),
        port: render::wants_port(plan).then_some(1),
        previous: None,
        home: Some(PathBuf::from("/")),
        services: BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests;
