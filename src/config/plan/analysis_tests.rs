//! Tests of what a sweep may set for its analysis.

use std::path::PathBuf;

use super::{PlanOrigin, read_plan};
use crate::model::analysis::StopRule;

fn plan(analysis: &str) -> Result<Option<StopRule>, String> {
    let sweep = format!("[matrix]\npolicy = [\"a\", \"b\"]\n[shard]\ncommand = \"true\"\n{analysis}");
    let origin =
        PlanOrigin { file: PathBuf::from("/tmp/sweep.toml"), home: None, cores: 2, ..PlanOrigin::default() };
    read_plan(&sweep, &origin).map(|plan| plan.analysis.stop).map_err(|problems| problems.to_string())
}

#[test]
fn a_comparison_may_end_when_it_is_decided() {
    let rule = |level| Some(StopRule { compare: "policy".to_owned(), level });
    assert_eq!(plan(""), Ok(None));
    assert_eq!(plan("[analysis]\nstop = { compare = \"policy\" }"), Ok(rule(0.05)));
    assert_eq!(plan("[analysis]\nstop = { compare = \"policy\", level = 0.01 }"), Ok(rule(0.01)));
}

#[test]
fn what_cannot_be_compared_is_named() {
    let told = |stop: &str| plan(&format!("[analysis]\nstop = {stop}")).unwrap_err();
    assert!(told("{ compare = \"polcy\" }").contains("did you mean `policy`"));
    assert!(told("{ level = 0.05 }").contains("needs `compare`"));
    assert!(told("{ compare = \"policy\", level = 5 }").contains("at most 0.5"));
    assert!(told("{ compare = \"policy\", level = \"5 %\" }").contains("must be a number"));
    assert!(told("{ compare = \"policy\", alpha = 0.1 }").contains("no key `alpha`"));
}
