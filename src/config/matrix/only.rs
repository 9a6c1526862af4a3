//! `--only`: some shards of a plan, by an expression, by `axis=value` or by their ids.

use std::borrow::Cow;
use std::sync::LazyLock;

use minijinja::Value;
use regex::Regex;

use crate::config::document::problem::{did_you_mean, join_quoted};
use crate::config::templates::template::{RenderTarget, fault_from_error, template_environment};
use crate::config::templates::variables::of_shard;
use crate::model::sweep::plan::{Plan, ShardSpec};

/// Why an expression keeps nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OnlyError {
    /// The text is no expression.
    #[error("`{expression}` is no expression: {message}; {}", expression_hint(expression))]
    Syntax {
        /// Expression as the user gave it.
        expression: String,
        /// Message of the template engine.
        message: String,
    },
    /// A name that is neither a variable nor a shard.
    #[error("`{name}` is neither a variable nor a shard: {hint}")]
    UnknownName {
        /// Name as the user gave it.
        name: String,
        /// Suggestion of a close name, or the list of names there are.
        hint: String,
    },
    /// The expression makes no sense for a shard.
    #[error("`{expression}` cannot be decided for the shard `{shard}`: {message}")]
    Undecided {
        /// Expression as the user gave it.
        expression: String,
        /// The first such shard.
        shard: String,
        /// Message of the template engine.
        message: String,
    },
    /// No shard is left.
    #[error("`{expression}` matches none of the {shards} shards; `sweepdeck check` lists them")]
    NothingLeft {
        /// Expression as the user gave it.
        expression: String,
        /// How many there are.
        shards: usize,
    },
}

/// Removes the shards that the expression does not match; at least one must stay.
pub fn keep_matching(plan: &mut Plan, expression: &str) -> Result<(), OnlyError> {
    let keep = match Selector::parse(plan, expression) {
        Selector::Ids(ids) => plan.shards.iter().map(|shard| ids.contains(&shard.id.as_str())).collect(),
        Selector::Pairs(pairs) => by_pairs(plan, &pairs)?,
        Selector::Expression => by_expression(plan, expression)?,
    };
    let shards = plan.shards.len();
    if !keep.contains(&true) {
        return Err(OnlyError::NothingLeft { expression: expression.to_owned(), shards });
    }
    let mut keep = keep.into_iter();
    plan.shards.retain(|_| keep.next().unwrap_or(false));
    Ok(())
}

/// The three ways to choose.
enum Selector<'a> {
    /// Ids of shards: `friction_flat,stairs_rough`
    Ids(Vec<&'a str>),
    /// Values of axes: `policy=flat,env=stairs,env=grass`
    Pairs(Vec<(&'a str, &'a str)>),
    /// `policy == "flat" and env != "stairs"`
    Expression,
}

impl<'a> Selector<'a> {
    fn parse(plan: &Plan, text: &'a str) -> Self {
        let pieces: Vec<&str> = text.split(',').map(str::trim).filter(|piece| !piece.is_empty()).collect();
        let is_id = |piece: &&str| plan.shards.iter().any(|shard| shard.id.as_str() == *piece);
        if !pieces.is_empty() && pieces.iter().all(is_id) {
            return Self::Ids(pieces);
        }
        match pieces.into_iter().map(parse_pair).collect::<Option<Vec<_>>>() {
            Some(pairs) if !pairs.is_empty() => Self::Pairs(pairs),
            Some(_) | None => Self::Expression,
        }
    }
}

/// `name=value`, and nothing that looks like a comparison.
fn parse_pair(piece: &str) -> Option<(&str, &str)> {
    let (name, value) = piece.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    // A value in quotes belongs to an expression.
    (is_name && !value.starts_with(['=', '"', '\''])).then_some((name, value))
}

/// What was probably meant: a comparison is written with two `=`.
fn expression_hint(expression: &str) -> String {
    static ASSIGNMENT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"([^=!<>])=([^=])").expect("the pattern is a constant"));
    match ASSIGNMENT.replace_all(expression, "$1==$2") {
        Cow::Owned(meant) => format!("did you mean `{meant}`?"),
        Cow::Borrowed(_) => "write for example `policy == \"flat\"` or `policy=flat`".to_owned(),
    }
}

/// Values of one name are alternatives; all names must agree.
fn by_pairs(plan: &Plan, pairs: &[(&str, &str)]) -> Result<Vec<bool>, OnlyError> {
    for (name, _) in pairs {
        if *name != "id" && !plan.shards.iter().any(|shard| shard.vars.get(name).is_some()) {
            return Err(unknown_name(plan, name));
        }
    }
    let value_of = |shard: &ShardSpec, name: &str| match name {
        "id" => Some(shard.id.to_string()),
        name => shard.vars.get(name).map(ToString::to_string),
    };
    let matches = |shard: &ShardSpec| {
        pairs.iter().all(|(name, _)| {
            let value = value_of(shard, name);
            pairs.iter().any(|(other, wanted)| other == name && value.as_deref() == Some(wanted))
        })
    };
    Ok(plan.shards.iter().map(matches).collect())
}

fn by_expression(plan: &Plan, expression: &str) -> Result<Vec<bool>, OnlyError> {
    let environment = template_environment(RenderTarget::Direct);
    let compiled = environment.compile_expression(expression).map_err(|error| OnlyError::Syntax {
        expression: expression.to_owned(),
        message: fault_from_error(&error).message,
    })?;
    let contexts: Vec<Value> = plan.shards.iter().map(shard_context).collect();
    for name in compiled.undeclared_variables(false) {
        if !contexts.iter().any(|context| context.get_attr(&name).is_ok_and(|value| !value.is_undefined())) {
            return Err(unknown_name(plan, &name));
        }
    }
    let mut keep = Vec::new();
    for (shard, context) in plan.shards.iter().zip(contexts) {
        let value = compiled.eval(context).map_err(|error| OnlyError::Undecided {
            expression: expression.to_owned(),
            shard: shard.id.to_string(),
            message: fault_from_error(&error).message,
        })?;
        keep.push(value.is_true());
    }
    Ok(keep)
}

fn shard_context(shard: &ShardSpec) -> Value {
    let mut context = of_shard(&shard.vars, shard.slice.as_ref(), shard.pack.as_ref());
    context.insert("id".to_owned(), shard.id.as_str().into());
    Value::from(context)
}

fn unknown_name(plan: &Plan, name: &str) -> OnlyError {
    let ids = plan.shards.iter().map(|shard| shard.id.as_str());
    let variables = plan.axes.iter().map(String::as_str).chain(["id"]);
    let hint = match did_you_mean(name, variables.clone().chain(ids)) {
        Some(word) => format!("did you mean `{word}`?"),
        None => format!("the variables are {}", join_quoted(variables)),
    };
    OnlyError::UnknownName { name: name.to_owned(), hint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::plan::{PlanOrigin, read_plan};

    fn kept(expression: &str) -> Result<String, String> {
        let source = "[matrix]\npolicy = ['flat', 'rough']\nn = [1, 2]\n[shard]\ncommand = 'true'";
        let origin =
            PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
        let mut plan = read_plan(source, &origin).unwrap();
        keep_matching(&mut plan, expression).map_err(|error| error.to_string())?;
        let ids: Vec<&str> = plan.shards.iter().map(|shard| shard.id.as_str()).collect();
        Ok(ids.join(" "))
    }

    #[test]
    fn shards_are_chosen_by_expression_by_value_or_by_id() {
        let all = Ok("flat_1 flat_2 rough_1 rough_2".to_owned());
        assert_eq!(kept("policy == 'flat' and n != 2"), Ok("flat_1".to_owned()));
        assert_eq!(kept("policy=flat"), Ok("flat_1 flat_2".to_owned()));
        assert_eq!(kept("policy=flat, n=2"), Ok("flat_2".to_owned()));
        assert_eq!(kept("n=1,n=2"), all);
        assert_eq!(kept("rough_2, flat_1"), Ok("flat_1 rough_2".to_owned()));
        assert_eq!(kept("id in ['flat_1']"), Ok("flat_1".to_owned()));
        assert_eq!(kept("n <= 2"), all);
    }

    #[test]
    fn an_expression_that_keeps_nothing_says_why() {
        assert!(kept("policy=steep").unwrap_err().contains("matches none of the 4 shards"));
        assert!(kept("polcy=flat").unwrap_err().contains("did you mean `policy`?"));
        assert!(kept("flat_3").unwrap_err().contains("did you mean `flat_1`?"));
        let assigned = kept("policy = \"flat\" and n == 1").unwrap_err();
        assert!(assigned.contains("did you mean `policy == \"flat\" and n == 1`?"), "{assigned}");
        assert!(kept("policy ==").unwrap_err().contains("is no expression"));
        assert!(kept("").is_err());
    }
}
