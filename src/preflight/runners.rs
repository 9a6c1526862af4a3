//! Programs of which it is known that they give wrong results in the way they are called here.

use std::collections::HashMap;
use std::path::Path;

use super::finding::{Finding, FindingSeverity};
use crate::model::sweep::plan::{Plan, ShardSpec, SliceUnit};

/// Looks at the commands, one finding of each kind at most.
pub(super) fn inspect(plan: &Plan) -> Vec<Finding> {
    let parallel_tasks = plan.shards.iter().find_map(parallel_tasks);
    let replayed = plan.shards.iter().filter(|shard| is_slice(shard)).find_map(replayed_starts);
    parallel_tasks.into_iter().chain(replayed).chain(same_work(plan)).chain(same_output(plan)).collect()
}

/// Reports whether the shard has one of several slices of episodes.
fn is_slice(shard: &ShardSpec) -> bool {
    shard.slice.as_ref().is_some_and(|slice| slice.count > 1 && slice.unit == SliceUnit::Episodes)
}

/// The value of an option, after `=` or a blank.
fn option_value<'a>(command: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = command.split_once(name)?;
    let value = rest.strip_prefix(['=', ' '])?.trim_start();
    let value = value.trim_start_matches(['\'', '"']);
    Some(&value[..value.find(|c: char| c.is_whitespace() || c == '\'' || c == '"').unwrap_or(value.len())])
}

fn parallel_tasks(shard: &ShardSpec) -> Option<Finding> {
    let tasks: u64 = option_value(&shard.command, "max_parallel_tasks")?.parse().ok()?;
    let message = format!(
        "with max_parallel_tasks={tasks} the threads of lerobot-eval share one policy: it may tell 0 % success and exit with 0"
    );
    let hint = "leave it at 1, and run tasks side by side with `over = \"tasks\"` in `[episodes]`";
    (tasks > 1).then(|| Finding::new(FindingSeverity::Warning, "runner", message).with_hint(hint))
}

/// Each process takes its first states from the start of the task's list.
fn replayed_starts(shard: &ShardSpec) -> Option<Finding> {
    let command = &shard.command;
    let of_libero = option_value(command, "env.type") == Some("libero");
    let lerobot = of_libero && (command.contains("lerobot-eval") || command.contains("lerobot_eval"));
    let (who, hint) = if lerobot {
        let hint = "cut over tasks: `over = \"tasks\"` in `[episodes]`, with `total` the number of tasks";
        ("lerobot-eval takes LIBERO's starts", hint)
    } else if command.contains("run_libero_eval.py") {
        ("run_libero_eval.py takes its starts", "make suites or tasks an axis of `[matrix]`")
    } else {
        return None;
    };
    let message = format!(
        "{who} by the number of the environment, from 0 in every process: the shards repeat one another"
    );
    Some(Finding::new(FindingSeverity::Warning, "runner", message).with_hint(hint))
}

/// Slices that are started alike do alike, unless they look at their id.
fn same_work(plan: &Plan) -> Option<Finding> {
    if plan.template.env.values().any(|value| value.contains("shard.")) {
        return None;
    }
    let mut seen: HashMap<&str, &ShardSpec> = HashMap::new();
    for shard in plan.shards.iter().filter(|shard| shard.slice.as_ref().is_some_and(|slice| slice.count > 1))
    {
        let twin = seen.insert(&shard.command, shard).filter(|twin| twin.vars == shard.vars);
        if let Some(twin) = twin.filter(|_| !shard.command.contains("SWEEPDECK_SHARD")) {
            let message = format!(
                "`{}` and `{}` run the same command: nothing tells them which episodes are theirs",
                twin.id, shard.id
            );
            let hint = "use `{{ shard.episodes }}` and `{{ shard.seed }}`, or a `runner` in `[episodes]`";
            return Some(Finding::new(FindingSeverity::Warning, "episodes", message).with_hint(hint));
        }
    }
    None
}

/// Options that set where evaluations write.
const OUTPUT_OPTIONS: [&str; 4] = ["--output_dir", "--output-dir", "--video_dir", "--video-out-path"];

/// Two shards that write to one folder overwrite one another's videos and results.
fn same_output(plan: &Plan) -> Option<Finding> {
    let mut seen: HashMap<(&Path, &str), &ShardSpec> = HashMap::new();
    for shard in &plan.shards {
        for name in OUTPUT_OPTIONS {
            let Some(folder) = option_value(&shard.command, name) else { continue };
            // What only the start knows is each attempt's own.
            if folder.is_empty() || folder.contains(['{', '$']) {
                continue;
            }
            let twin = seen.insert((&shard.cwd, folder), shard).filter(|twin| twin.id != shard.id);
            if let Some(twin) = twin {
                let message = format!("`{}` and `{}` both write to {folder}", twin.id, shard.id);
                let hint = format!("use `{name} {{{{ out }}}}`, the own folder of each attempt");
                return Some(Finding::new(FindingSeverity::Warning, "output", message).with_hint(hint));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::plan::{PlanOrigin, read_plan};

    fn told(command: &str, episodes: &str) -> Vec<String> {
        let source =
            format!("[episodes]\ntotal = 4\nshards = 2\n{episodes}\n[shard]\ncommand = '{command}'\n");
        let origin =
            PlanOrigin { file: "/s/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
        let plan = read_plan(&source, &origin).unwrap_or_else(|problems| panic!("{problems}"));
        inspect(&plan).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn what_is_known_to_go_wrong_is_told() {
        let lerobot = "lerobot-eval --env.type=libero {{ shard.arguments }}";
        let runner = "runner = \"lerobot-eval\"";
        let repeated = told(lerobot, runner);
        assert!(repeated[0].starts_with("lerobot-eval takes LIBERO's starts"), "{repeated:?}");
        assert_eq!(told(lerobot, "runner = \"lerobot-eval\"\nover = \"tasks\""), Vec::<String>::new());
        let pusht = "lerobot-eval --env.type=pusht {{ shard.arguments }}";
        assert_eq!(told(pusht, runner), Vec::<String>::new());
        let threads = told(&format!("{pusht} --env.max_parallel_tasks=4"), runner);
        assert!(threads[0].starts_with("with max_parallel_tasks=4"), "{threads:?}");
        assert_eq!(told(&format!("{pusht} --env.max_parallel_tasks 1"), runner), Vec::<String>::new());
        let openvla = told("python run_libero_eval.py --seed {{ shard.seed }}", "");
        assert!(openvla[0].starts_with("run_libero_eval.py takes its starts"), "{openvla:?}");
        let output = told("eval --seed {{ shard.seed }} --output_dir results", "");
        assert_eq!(output, ["`eval_0of2` and `eval_1of2` both write to results"]);
        let own = told("eval --seed {{ shard.seed }} --output_dir {{ out }}/x", "");
        assert_eq!(own, Vec::<String>::new());
        let same = told("python eval.py", "");
        assert!(same[0].ends_with("nothing tells them which episodes are theirs"), "{same:?}");
    }
}
