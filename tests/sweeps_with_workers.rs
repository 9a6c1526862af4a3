//! The sweeps that come with a worker of their own mean what that worker understands.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use sweepdeck::config::plan::{Origin, read};
use sweepdeck::demo::sweep::SWEEP;
use sweepdeck::demo::task::{Environment, Policy};
use sweepdeck::model::plan::Plan;

fn configs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("configs")
}

fn plan(file: PathBuf, source: &str) -> Plan {
    let origin = Origin { file, home: Some(PathBuf::from("/home/me")), cores: 8 };
    read(source, &origin).unwrap_or_else(|problems| panic!("{}", problems.render(false)))
}

fn plan_of(name: &str) -> Plan {
    let file = configs().join(name);
    let source = fs::read_to_string(&file).unwrap();
    plan(file, &source)
}

#[test]
fn the_demo_crosses_every_environment_with_every_policy() {
    let plan = plan(configs().join("demo.toml"), SWEEP);
    let shards: Vec<(Environment, Policy)> = plan
        .shards
        .iter()
        .map(|shard| {
            let value = |axis| shard.vars.get(axis).unwrap().to_string();
            (value("env").parse().unwrap(), value("policy").parse().unwrap())
        })
        .collect();
    assert_eq!(shards.len(), 8);
    for environment in Environment::ALL {
        for policy in Policy::ALL {
            assert!(shards.contains(&(environment, policy)), "{environment} {policy}");
        }
    }
}

#[test]
fn the_mujoco_sweep_runs_its_worker_in_the_folder_where_it_lies() {
    let plan = plan_of("mujoco.toml");
    assert_eq!(plan.shards.len(), 8);
    let worker = plan.shards[0].cwd.join("worker.py");
    assert!(worker.is_file(), "{}", worker.display());
    assert!(plan.shards[0].command.contains("worker.py --env Ant-v5 --policy feedback"));
}
