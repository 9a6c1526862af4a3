//! Every sweep that ships with the project can be read.

use std::path::PathBuf;

use evaldeck::config::plan::{Origin, read};

#[test]
fn every_shipped_sweep_is_a_plan() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("configs");
    let mut read_sweeps = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let source = std::fs::read_to_string(&file).unwrap();
        let origin = Origin { file, home: Some("/home/robot".into()), cores: 4 };
        match read(&source, &origin) {
            Ok(plan) => assert!(!plan.shards.is_empty()),
            Err(problems) => panic!("{problems}"),
        }
        read_sweeps += 1;
    }
    assert!(read_sweeps > 0);
}

#[test]
fn the_isaac_sweep_is_the_eight_combos_of_the_evaluation() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("configs/isaac_4env.toml");
    let source = std::fs::read_to_string(&file).unwrap();
    let plan = read(&source, &Origin { file, home: Some("/home/robot".into()), cores: 4 }).unwrap();
    let ids: Vec<&str> = plan.shards.iter().map(|shard| shard.id.as_str()).collect();
    let environments = ["friction", "grass", "boulder", "stairs"];
    let expected: Vec<String> = ["flat", "rough"]
        .iter()
        .flat_map(|policy| environments.map(|env| format!("{env}_{policy}")))
        .collect();
    assert_eq!(ids, expected);
    assert_eq!(plan.shards[0].cwd, PathBuf::from("/home/robot/IsaacLab"));
    assert!(plan.shards[0].command.contains("--policy flat --env friction --output_dir {{ out }}"));
}
