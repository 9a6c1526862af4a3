//! Resources that differ by combo.

use super::*;
use crate::model::needs::resources::{GpuNeed, VramNeed};
use crate::model::units::Bytes;

fn origin() -> PlanOrigin {
    PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 4, ..PlanOrigin::default() }
}

fn sweep(rest: &str) -> String {
    format!(
        "[matrix]\nenv = ['kitchen', 'flat']\nn = [1, 4]\n[shard]\ncommand = 'run {{{{ env }}}} {{{{ n }}}}'\n{rest}"
    )
}

fn plan(rest: &str) -> Plan {
    read_plan(&sweep(rest), &origin()).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The one problem, as its line and message.
fn problem(rest: &str) -> (usize, String) {
    let problems = read_plan(&sweep(rest), &origin()).expect_err("this sweep has a problem");
    let [problem] = problems.list() else { panic!("{problems}") };
    (problems.line_number(problem), problem.message.clone())
}

#[test]
fn each_shard_has_the_resources_of_its_combo() {
    let plan = plan(
        "[resources]\ngpus = '{{ n }}'\nvram = \"{{ 6 if env == 'kitchen' else 2 }} GiB\"\n\
         ram = '{{ n * 2 }} GiB'\ncpus = '{{ n / 1 }}'\nexclusive = '{{ n == 4 }}'\n\
         [schedule]\ntimeout = '{{ n }}h'",
    );
    let words: Vec<String> = plan.shards.iter().map(|shard| shard.needs.to_text()).collect();
    assert_eq!(words[0], "1 GPU, VRAM 6.0 GiB, RAM 2.0 GiB, 1 core, shared, at most 1h 00m");
    assert_eq!(words[3], "4 GPUs, VRAM 2.0 GiB, RAM 8.0 GiB, 4 cores, exclusive, at most 4h 00m");
    let last = plan.resources_of(&plan.shards[3]);
    assert_eq!(last.gpus, Some(GpuNeed::Count(4)));
    assert_eq!(last.vram, Some(VramNeed::Fixed(Bytes(2 << 30))));
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
}

#[test]
fn components_grow_with_the_combo() {
    let plan = plan(
        "[resources.components]\nenv = { gpus = '{{ n }}', vram = '6 GiB' }\n\
         rollout = { gpus = 2, vram = '{{ n * 4 }} GiB' }",
    );
    let slots = |at: usize| {
        let resources = plan.resources_of(&plan.shards[at]);
        resources.gpu_slots(8).iter().map(|slot| slot.unwrap().fixed.0 >> 30).collect::<Vec<_>>()
    };
    assert_eq!(slots(0), [6, 4, 4]);
    assert_eq!(slots(1), [6, 6, 6, 6, 16, 16]);
}

#[test]
fn what_is_no_value_is_told_once_with_key_combo_and_text() {
    let (line, message) = problem("[resources]\nvram = '{{ env }} GiB'");
    assert_eq!(line, 7);
    assert_eq!(
        message,
        "`vram` for env=kitchen n=1 comes to `kitchen GiB`, not a size such as `2 GiB` or `512 MiB` \
         (shard `kitchen_1` and 3 more)"
    );
    let (_, message) = problem("[resources]\ngpus = '{{ n - 2 }}'");
    assert!(message.starts_with("`gpus` for env=kitchen n=1 comes to `-1`, not an integer"), "{message}");
    let (_, message) = problem("[schedule]\ntimeout = '{{ n }}'");
    assert!(
        message.contains("`timeout` for env=kitchen n=1 comes to `1`, not a length of time"),
        "{message}"
    );
    let (_, message) = problem("[resources]\nexclusive = '{{ n }}'");
    assert!(message.contains("comes to `1`, not a boolean"), "{message}");
}

#[test]
fn names_of_the_start_are_not_known_yet() {
    let (_, message) = problem("[resources]\nvram = '{{ attempt }} GiB'");
    assert_eq!(message, "`attempt` is not known before a shard starts");
    let (_, message) = problem("[resources]\ncpus = '{{ m }}'");
    assert_eq!(message, "the variable `m` is not defined");
}
