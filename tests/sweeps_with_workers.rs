//! The sweeps that come with a worker of their own mean what that worker understands.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use sweepdeck::config::plan::{PlanOrigin, read_plan};
use sweepdeck::config::templates::template_use;
use sweepdeck::demo::sweep::SWEEP;
use sweepdeck::demo::task::{DemoPolicy, Environment};
use sweepdeck::model::sweep::plan::Plan;

fn configs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("configs")
}

fn plan(file: PathBuf, source: &str) -> Plan {
    let origin =
        PlanOrigin { file, home: Some(PathBuf::from("/home/me")), cores: 8, ..PlanOrigin::default() };
    read_plan(source, &origin).unwrap_or_else(|problems| panic!("{}", problems.render(false)))
}

fn plan_of(name: &str) -> Plan {
    let file = configs().join(name);
    let source = fs::read_to_string(&file).unwrap();
    plan(file, &source)
}

#[test]
fn the_demo_crosses_every_environment_with_every_policy() {
    let plan = plan(configs().join("demo.toml"), SWEEP);
    let shards: Vec<(Environment, DemoPolicy)> = plan
        .shards
        .iter()
        .map(|shard| {
            let value = |axis| shard.vars.get(axis).unwrap().to_string();
            (value("env").parse().unwrap(), value("policy").parse().unwrap())
        })
        .collect();
    assert_eq!(shards.len(), 8);
    for environment in Environment::ALL {
        for policy in DemoPolicy::ALL {
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

#[test]
fn every_sweep_of_the_folder_is_a_plan_whose_axes_all_matter() {
    let mut seen = 0;
    for entry in fs::read_dir(configs()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "toml") {
            continue;
        }
        let plan = plan_of(path.file_name().unwrap().to_str().unwrap());
        let doubts = template_use::find_doubts(&plan);
        assert!(doubts.is_empty(), "{}: {doubts:?}", path.display());
        seen += 1;
    }
    assert!(seen >= 8, "{seen} sweeps");
}

/// The blocks of a page that are sweeps, or parts of them.
fn toml_blocks(page: &str) -> Vec<String> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(page)).unwrap();
    page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_steps_away_from_screen_are_sweeps_and_end_at_the_one_in_the_folder() {
    let blocks = toml_blocks("from-screen.md");
    let [first, second, room, end] = &blocks[..] else { panic!("{} blocks", blocks.len()) };
    for step in [first.clone(), second.clone(), format!("{second}\n{room}")] {
        assert_eq!(plan(configs().join("step.toml"), &step).shards.len(), 8);
    }
    let mut last = plan(configs().join("step.toml"), &format!("{second}\n{room}\n{end}"));
    let ours = plan_of("isaac_4env.toml");
    // That one also asks for the files, and has a rule.
    last.template.artifacts.clone_from(&ours.template.artifacts);
    last.rules.clone_from(&ours.rules);
    assert_eq!(
        serde_json::to_value(&last).unwrap(),
        serde_json::to_value(&ours).unwrap(),
        "the steps lead to configs/isaac_4env.toml"
    );
}

#[test]
fn the_policy_server_sweep_has_a_server_for_each_policy() {
    let plan = plan_of("policy_server.toml");
    assert_eq!((plan.shards.len(), plan.services.len()), (6, 1));
    assert_eq!(
        (plan.services[0].by.as_slice(), plan.services[0].serves),
        (&["policy".to_owned()][..], Some(3))
    );
    let folder = &plan.shards[0].cwd;
    for worker in ["serve.py", "client.py", "wire.py"] {
        assert!(folder.join(worker).is_file(), "{worker}");
    }
}
