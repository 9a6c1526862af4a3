//! Values of a user in place of those of the sweep.

use super::*;
use crate::config::plan::{PlanOrigin, read_plan};

fn plan(source: &str) -> Plan {
    let origin =
        PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
    read_plan(source, &origin).unwrap_or_else(|problems| panic!("{problems}"))
}

fn wish(name: &str, value: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), value.to_owned())]
}

const SWEEP: &str = "[matrix]\nseed = [1, 2]\npolicy = ['flat']\n[shard]\nid = 's{{ seed }}'\n\
    command = 'run {{ seed }} {{ policy }} {{ out }}'\nenv = { LEVEL = '{{ seed }}' }\nsecret = ['TOKEN']\n";

#[test]
fn values_keep_the_type_of_the_sweep_and_only_what_differs_is_an_edit() {
    let plan = plan(SWEEP);
    let shard = &plan.shards[0];
    let one = build_edit(&plan, shard, &wish("seed", "7"), &wish("LEVEL", "{{ seed }}-x")).unwrap();
    assert_eq!(one.to_lines(), ["seed: 1 → 7", "$LEVEL: {{ seed }} → {{ seed }}-x"]);
    assert_eq!(one.variables[0].new, Value::Integer(7));
    assert_eq!(preview_command(&plan, shard, &one), "run 7 flat {{ out }}");
    assert_eq!(validate_edit(&plan, shard, &one), Ok(()));
    assert_eq!(is_of(&plan, shard, &one), Ok(()));
    let same = build_edit(&plan, shard, &wish("seed", "1"), &wish("LEVEL", "{{ seed }}")).unwrap();
    assert_eq!(validate_edit(&plan, shard, &same), Err(ShardEditError::Nothing));
}

#[test]
fn what_cannot_be_changed_is_refused_with_its_reason() {
    let plan = plan(SWEEP);
    let shard = &plan.shards[0];
    let refused = |variables: &Wishes, environment: &Wishes| {
        let edit = build_edit(&plan, shard, variables, environment);
        edit.and_then(|edit| validate_edit(&plan, shard, &edit)).unwrap_err().to_string()
    };
    assert_eq!(refused(&wish("sed", "1"), &[]), "the shard has no variable `sed`; it has `seed`, `policy`");
    assert_eq!(refused(&wish("seed", "many"), &[]), "`seed` is a number in the sweep, and `many` is none");
    assert!(refused(&[], &wish("TOKEN", "t")).contains("secret"));
    assert!(refused(&[], &wish("SWEEPDECK_RUN", "x")).contains("finds the processes"));
    assert!(refused(&[], &wish("A=B", "x")).contains("cannot be the name"));
    assert!(refused(&wish("policy", "a; rm -rf b"), &[]).contains("characters that a shell takes"));
    assert!(refused(&[], &wish("LEVEL", "{{ nothing }}")).contains("env"));
}

#[test]
fn a_file_of_another_shard_is_not_written_over() {
    let plan = plan(
        "[matrix]\nseed = [1, 2]\n[shard]\nid = 's{{ seed }}'\ncommand = 'run {{ seed }}'\n\
         artifacts = ['r/{{ seed }}.json']\n",
    );
    let change = |to: &str| {
        let edit = build_edit(&plan, &plan.shards[0], &wish("seed", to), &[]).unwrap();
        validate_edit(&plan, &plan.shards[0], &edit)
    };
    assert_eq!(change("3"), Ok(()));
    let (path, other) = ("/sweeps/r/2.json".to_owned(), "s2".to_owned());
    assert_eq!(change("2"), Err(ShardEditError::SharedFile { path, other }));
}

#[test]
fn every_file_that_the_sweep_keeps_apart_is_kept_apart() {
    for file in [
        "[[metric]]\nname = 'm'\nfile = 'r/{{ seed }}.json'\nkey = 'k'\n",
        "[progress]\nfile = 'r/{{ seed }}.json'\n",
        "[results]\nfile = 'r/{{ seed }}.json'\n",
    ] {
        let head = "[matrix]\nseed = [1, 2]\n[shard]\nid = 's{{ seed }}'\ncommand = 'run {{ seed }}'\n";
        let plan = plan(&format!("{head}{file}"));
        let edit = build_edit(&plan, &plan.shards[0], &wish("seed", "2"), &[]).unwrap();
        let refused = validate_edit(&plan, &plan.shards[0], &edit);
        assert!(matches!(refused, Err(ShardEditError::SharedFile { .. })), "{file}: {refused:?}");
    }
}

#[test]
fn a_shard_does_not_come_back_to_a_place_that_another_was_edited_into() {
    let mut plan = plan(
        "[matrix]\nseed = [1, 2]\n[shard]\nid = 's{{ seed }}'\ncommand = 'run {{ seed }}'\n\
         artifacts = ['r/{{ seed }}.json']\n",
    );
    for (position, to) in [(0, "3"), (1, "1")] {
        let edit = build_edit(&plan, &plan.shards[position], &wish("seed", to), &[]).unwrap();
        assert_eq!(validate_edit(&plan, &plan.shards[position], &edit), Ok(()));
        plan.shards[position].edit = edit;
    }
    let requeued = |positions: &[usize]| {
        let ids = positions.iter().map(|position| plan.shards[*position].id.clone()).collect();
        check_plain(&plan, &ids)
    };
    let shared = ShardEditError::SharedFile { path: "/sweeps/r/1.json".to_owned(), other: "s2".to_owned() };
    assert_eq!(requeued(&[0]), Err((plan.shards[0].id.clone(), shared)));
    assert_eq!(requeued(&[1]), Ok(()));
    assert_eq!(requeued(&[0, 1]), Ok(()), "both come back to their own places");
}
