//! Tests of the keys of `[analysis]`.

use super::*;
use crate::config::document::problem::Problems;
use crate::config::plan::{PlanOrigin, read_plan};

fn analysis(table: &str) -> Result<AnalysisSpec, Problems> {
    let origin =
        PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
    let sweep = "[matrix]\npolicy = [\"a\"]\ntrain_seed = [1, 2]\n[shard]\ncommand = \"run\"\n";
    read_plan(&format!("{sweep}{table}"), &origin).map(|plan| plan.analysis)
}

#[test]
fn what_is_not_said_is_left_to_the_names_of_the_axes() {
    assert!(analysis("").unwrap().is_default());
    let said = analysis("[analysis]\nclusters = [\"train_seed\"]\npaired = \"by-number\"\n").unwrap();
    assert_eq!(said.clusters.as_deref(), Some(&["train_seed".to_owned()][..]));
    assert_eq!(said.paired, Pairing::ByNumber);
    assert_eq!(analysis("[analysis]\nclusters = []\n").unwrap().clusters, Some(Vec::new()));
}

#[test]
fn an_axis_that_is_not_there_is_named_with_those_that_are() {
    let told = analysis("[analysis]\nclusters = [\"train_sed\"]\n").unwrap_err().to_string();
    assert!(told.contains("`clusters` names `train_sed`") && told.contains("train_seed"), "{told}");
    let told = analysis("[analysis]\npaired = \"no\"\n").unwrap_err().to_string();
    assert!(told.contains("`paired` cannot be `no`"), "{told}");
}
