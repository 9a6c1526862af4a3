//! Sweeps in, plans or problems out.

use super::*;
use crate::model::needs::resources::{GpuNeed, VramNeed};
use crate::model::sweep::command_template::CommandTemplate;
use crate::model::sweep::plan::{MetricSource, MetricSpec, Parallel};
use crate::model::sweep::rule::{BuiltInRule, BuiltInRuleSpec, BuiltInVerdict, RuleSpec};
use crate::model::units::Bytes;
use crate::model::value::Value as Scalar;

fn origin() -> PlanOrigin {
    PlanOrigin {
        file: "/sweeps/eval.toml".into(),
        home: Some("/home/robot".into()),
        cores: 4,
        ..PlanOrigin::default()
    }
}

fn plan(source: &str) -> Plan {
    read_plan(source, &origin()).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Each problem as `line: message / hint`.
fn problems(source: &str) -> Vec<String> {
    let problems = read_plan(source, &origin()).expect_err("this sweep has problems");
    let shown = |problem: &Problem| {
        let hint = problem.hint.as_deref().unwrap_or("-");
        format!("{}: {} / {hint}", problems.line_number(problem), problem.message)
    };
    problems.list().iter().map(shown).collect()
}

fn one_problem(source: &str) -> String {
    let problems = problems(source);
    assert_eq!(problems.len(), 1, "{problems:#?}");
    problems.into_iter().next().unwrap()
}

fn ids(plan: &Plan) -> Vec<&str> {
    plan.shards.iter().map(|shard| shard.id.as_str()).collect()
}

fn with_command(rest: &str) -> String {
    format!("[shard]\ncommand = \"true\"\n{rest}")
}

#[test]
fn axes_can_have_other_values_than_the_file_gives_them() {
    let source = "[matrix]\nn = [1, 2]\np = ['a']\n[shard]\ncommand = 'true'";
    let origin =
        PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
    let given = read_axes(source, &[]);
    assert_eq!(given.iter().map(|axis| axis.name.as_str()).collect::<Vec<_>>(), ["n", "p"]);
    let other = AxisValues { values: vec![Scalar::Integer(2), Scalar::Integer(7)], ..given[0].clone() };
    let plan = read_with(source, &origin, 2, AxisOverrides { others: &[other], ..AxisOverrides::default() })
        .unwrap();
    let ids: Vec<&str> = plan.shards.iter().map(|shard| shard.id.as_str()).collect();
    assert_eq!(ids, ["2_a", "7_a"]);
}

#[test]
fn a_sweep_needs_only_a_command() {
    let plan = plan("[shard]\ncommand = 'echo hello'");
    assert_eq!((plan.name.as_str(), ids(&plan)), ("eval", vec!["eval"]));
    assert_eq!(plan.shards[0].cwd, PathBuf::from("/sweeps"));
    assert_eq!(plan.schedule.parallel, Parallel::Fixed(4));
    assert_eq!(plan.progress.preset, "auto");
    assert_eq!(plan.schedule.grace.interrupt.as_secs(), 10);
    assert_eq!(plan.schedule.linger.as_secs(), 5);
}

#[test]
fn a_plan_survives_its_file() {
    let plan = plan(
        "[matrix]\np = ['a', 1, 1.5, true]\n[episodes]\ntotal = 4\nshards = 2\n[shard]\ncommand = ['x', '{{ p }}']",
    );
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
}

#[test]
fn axes_expand_in_their_order_and_keep_their_types() {
    let plan = plan("[matrix]\nz = ['b', 'a']\na = [1, 2.5]\n[shard]\ncommand = 'echo {{ z }} {{ a * 2 }}'");
    assert_eq!(ids(&plan), ["b_1", "b_2.5", "a_1", "a_2.5"]);
    assert_eq!(plan.axes, ["z", "a"]);
    assert_eq!(plan.shards[1].vars.get("a"), Some(&Scalar::Float(2.5)));
    assert_eq!(plan.shards[0].command, "echo b 2");
    assert_eq!(plan.shards[1].command, "echo b 5.0");
}

#[test]
fn exclude_and_include_work_as_in_ci_matrices() {
    let source = "[matrix]\npolicy = ['flat', 'rough']\nenv = ['grass', 'stairs']\n\
                  exclude = [{ policy = 'flat', env = 'stairs' }]\n\
                  include = [{ env = 'stairs', policy = 'teacher' }, { policy = 'rough', seed = 3 }]\n\
                  [shard]\ncommand = 'x {{ policy }} {% if seed is defined %}{{ seed }}{% endif %}'";
    let plan = plan(source);
    assert_eq!(ids(&plan), ["flat_grass", "rough_grass_3", "rough_stairs_3", "teacher_stairs"]);
    assert_eq!(plan.axes, ["policy", "env", "seed"]);
    assert_eq!(plan.shards[1].command, "x rough 3");
}

#[test]
fn exclude_and_include_that_do_nothing_are_problems() {
    let matrix = "[matrix]\na = [1, 2]\nb = [1]\n";
    let message = |row: &str| one_problem(&format!("{matrix}{row}\n{}", with_command("")));
    assert!(message("exclude = [{ a = '1' }]").starts_with("4: this `exclude` matches no combo"));
    assert!(message("include = [{ a = 1, b = 1 }]").starts_with("4: this `include` changes nothing"));
    assert!(message("include = [{ a = 7, c = 1 }]").contains("says nothing of `b`"));
}

#[test]
fn slices_and_packs_get_names_of_their_own() {
    let sliced = "[matrix]\np = ['a']\n[episodes]\ntotal = 10\nshards = 2\nseed = 1000\n[shard]\n\
                  command = 'x {{ shard.index }}/{{ shard.count }} {{ shard.episodes }} {{ shard.first }} {{ shard.seed }} {{ shard.ids }}'";
    let plan = plan(sliced);
    assert_eq!(ids(&plan), ["a_0of2", "a_1of2"]);
    assert_eq!(plan.shards[1].command, "x 1/2 5 5 1005 5,6,7,8,9");

    let packed = "[matrix]\nr = [0, 1, 2]\n[pack]\naxis = 'r'\nsize = 2\n[shard]\n\
                  command = 'x {{ pack.values | join(\",\") }} {{ pack.count }} {{ pack.values }}'";
    let plan = self::plan(packed);
    assert_eq!(ids(&plan), ["eval_pack0", "eval_pack1"]);
    assert_eq!(plan.shards[0].command, "x 0,1 2 0,1");
    assert!(plan.axes.is_empty());
}

#[test]
fn an_id_that_names_its_slice_gets_no_suffix() {
    let source =
        "[episodes]\ntotal = 4\nshards = 'auto'\n[shard]\nid = 's{{ shard.first }}'\ncommand = 'true'";
    assert_eq!(ids(&plan(source)), ["s0", "s1", "s2", "s3"]);
}

#[test]
fn shell_text_passes_unharmed() {
    let text = r##"a=(1 2); echo ${#a[@]} ${a%x} ${a##*/} $((1 + 2)); awk '{print $1}' f; echo '{"k": {"n": 1}}' # {#"##;
    let plan = plan(&format!("[shard]\ncommand = '''{text}'''"));
    assert_eq!(plan.shards[0].command, text);
    let literal = plan_of_command("{% raw %}{{ x }}{% endraw %} {## a comment ##}end");
    assert_eq!(literal.shards[0].command, "{{ x }} end");
}

fn plan_of_command(command: &str) -> Plan {
    plan(&format!("[matrix]\nn = [1, 2, 3, 4]\n[shard]\ncommand = '''{command}'''"))
}

#[test]
fn arithmetic_on_numbers_is_shell_text() {
    assert_eq!(plan_of_command("sleep {{ 3 + n % 4 }}").shards[2].command, "sleep 6");
}

#[test]
fn what_only_the_start_knows_stands_as_it_is_written() {
    let source = "[matrix]\nn = ['a b']\n[shard]\nid = 'x'\n\
                  command = ['run', '--out', '{{ out }}/r', '--gpu', '{{ gpus | first }}', '{{ n }}', '{{ port + 1 }}', '']";
    assert_eq!(
        plan(source).shards[0].command,
        "run --out {{ out }}/r --gpu {{ gpus | first }} 'a b' {{ port + 1 }} ''"
    );
}

#[test]
fn later_attempts_may_differ() {
    let plan = plan_of_command("x{% if attempt > 1 %} --resume{% endif %} {{ out }}");
    assert_eq!(plan.shards[0].command, "x {{ out }}");
}

#[test]
fn values_with_shell_syntax_must_be_quoted_or_declared_safe() {
    let sweep = |print: &str| {
        format!(
            "[matrix]\nv = ['a', 'x; rm -rf y']\n[shard]\nid = '{{{{ loop_id }}}}'\ncommand = 'echo {print}'"
        )
        .replace("id = '{{ loop_id }}'\n", "id = \"{{ 'a' if v == 'a' else 'b' }}\"\n")
    };
    let problem = one_problem(&sweep("{{ v }}"));
    assert!(problem.starts_with("5: the value `x; rm -rf y` has characters"), "{problem}");
    assert!(problem.contains("(shard `b`)") && problem.contains("| q"), "{problem}");
    assert_eq!(plan(&sweep("{{ v | q }}")).shards[1].command, "echo 'x; rm -rf y'");
    assert_eq!(plan(&sweep("{{ v | safe }}")).shards[1].command, "echo x; rm -rf y");
    assert!(one_problem(&sweep("{{ [v] | join(\" \") }}")).contains("| q"));
    assert!(one_problem(&sweep("{{ v ~ v }}")).contains("| q"));
}

#[test]
fn a_list_command_takes_any_value() {
    let plan = plan("[matrix]\nv = ['$(x)']\n[shard]\nid = 'a'\ncommand = ['echo', '{{ v }}']");
    assert_eq!(plan.shards[0].command, "echo '$(x)'");
    assert!(matches!(plan.template.command, CommandTemplate::Arguments(_)));
}

#[test]
fn expected_durations_are_templates() {
    let source = "[matrix]\njob = ['a=4.6', 'b=120']\n[shard]\nid = \"{{ job | split('=') | first }}\"\n\
                  command = \"sleep {{ job | split('=') | last }}\"\nexpected = \"{{ job | split('=') | last }}s\"";
    let plan = plan(source);
    assert_eq!(ids(&plan), ["a", "b"]);
    assert_eq!(plan.shards[1].expected, Some(std::time::Duration::from_secs(120)));
    assert!(one_problem(&source.replace("}}s\"", "}} parsecs\"")).contains("is not a length of time"));
}

#[test]
fn resources_take_numbers_components_and_auto() {
    let resources = |text: &str| plan(&with_command(&format!("[resources]\n{text}"))).resources;
    assert_eq!(resources("gpus = 2\nvram = 'auto'\ncpus = 4\nram = '8 GiB'").vram, Some(VramNeed::Auto));
    assert_eq!(resources("vram = '2 GiB'").vram, Some(VramNeed::Fixed(Bytes(2 << 30))));
    for key in ["gpus", "components"] {
        let need = resources(&format!(
            "{key} = {{ env = {{ gpus = 2, vram = '6 GiB' }}, rollout = {{ gpus = 1 }} }}"
        ));
        let Some(GpuNeed::Components(components)) = need.gpus else { panic!("no components") };
        assert_eq!((components["env"].gpus, components["rollout"].vram), (2, None));
    }
}

#[test]
fn vram_may_be_a_share_of_the_card_and_components_may_share_gpus() {
    let resources = |text: &str| plan(&with_command(&format!("[resources]\n{text}"))).resources;
    assert_eq!(resources("vram = '25 %'").vram, Some(VramNeed::Percent(25.0)));
    let wrong = |text: &str| one_problem(&with_command(&format!("[resources]\n{text}")));
    for share in ["0 %", "120%", "many %"] {
        assert!(wrong(&format!("vram = '{share}'")).contains("is not a share such as `25 %`"), "{share}");
    }
    let both = "{ env = { gpus = 2, shared = true }, rollout = { gpus = 2, vram = 'auto', shared = true } }";
    let need = resources(&format!("exclusive = true\ngpus = {both}"));
    assert_eq!((need.exclusive, need.gpus.map(|need| need.gpu_count())), (true, Some(2)));
    assert!(
        wrong(&format!("gpus = {}", both.replacen(", shared = true", "", 1))).contains("only `rollout` is")
    );
    assert!(wrong("gpus = 5000").contains("no machine has more than 1024"));
}

#[test]
fn components_name_their_gpus() {
    let source = "[resources]\ngpus = { env = { gpus = 2 }, rollout = { gpus = 1 } }\n[shard]\ncommand = 'x {{ gpus.env }}'";
    assert_eq!(plan(source).shards[0].command, "x {{ gpus.env }}");
    assert!(one_problem(&source.replace("gpus.env", "gpus.env_")).contains("did you mean `gpus.env`?"));
}

#[test]
fn unknown_keys_are_found_everywhere_with_what_was_meant() {
    let source = with_command(
        "cmd = 'x'\n[schedule]\nparalel = 3\ngrace = { intterupt = '1s' }\n[resources]\nvran = '1 GiB'\n[[metric]]\n\
         name = 'm'\npattern = '(?<value>\\d)'\nunits = '%'\n[zzz]\n",
    );
    let problems = problems(&source);
    assert_eq!(
        problems,
        [
            "3: [shard] has no key `cmd` / did you mean `cwd`?",
            "5: [schedule] has no key `paralel` / did you mean `parallel`?",
            "6: [grace] has no key `intterupt` / did you mean `interrupt`?",
            "8: [resources] has no key `vran` / did you mean `vram`?",
            "12: [[metric]] has no key `units` / did you mean `unit`?",
            "13: the sweep has no key `zzz` / known are `name`, `matrix`, `shard`, `episodes`, `pack`, `service`, \
             `resources`, `schedule`, `progress`, `metric`, `rule`, `results`, `analysis`, `hooks`, `commands`, `nodes` and `engine`",
        ]
    );
}

#[test]
fn wrong_types_and_units_say_what_is_wanted() {
    let source = with_command(
        "[schedule]\nparallel = 'many'\nstagger = 5\ntimeout = '6 parsecs'\nwarmup = 'yes'\nretries = -1\n\
         order = 'longest'\n[resources]\nvram = 2\ncpus = 0\n[progress]\ntotal = 1.5",
    );
    let problems = problems(&source);
    assert_eq!(
        problems,
        [
            "4: `parallel` cannot be `many` / write a number, or `\"auto\"`",
            "5: `stagger` must be a string with a unit, such as \"30s\", not an integer / \
             say of what: `\"5s\"`, `\"5min\"` or `\"5h\"`",
            "6: `timeout`: `6 parsecs` is not a length of time such as `5s`, `30m` or `1h 30m` / \
             write the number and its unit, such as `30s`, `5min`, `2h` or `1d`",
            "7: `warmup` must be a boolean, not a string / write `true`",
            "8: `retries` must be an integer, at least 0, not -1 / -",
            "9: `order` cannot be `longest` / did you mean `longest-first`?",
            "11: `vram` must be a string with a unit, such as \"2 GiB\", not an integer / \
             say of what: `\"2 GiB\"` or `\"2 MiB\"`",
            "12: `cpus` must be an integer, at least 1, not 0 / -",
            "14: `total` must be an integer, at least 1, not a float / such as `total = 100`",
        ]
    );
}

#[test]
fn undefined_variables_are_found_in_every_template() {
    let source = "[matrix]\npolicy = ['a']\n[shard]\nid = '{{ polcy }}'\ncwd = '{{ dir }}'\n\
                  command = '''\nfirst {{ policy }}\nsecond {{ shard.index }} {{ out }}\n'''\nartifacts = ['{{ out }}/{{ pack.index }}']";
    let problems = problems(source);
    assert_eq!(problems.len(), 4, "{problems:#?}");
    assert_eq!(
        problems[0],
        "4: the variable `polcy` is not defined / did you mean `policy`? known are `policy`"
    );
    assert!(
        problems[1].starts_with("5: the variable `dir` is not defined / known are `attempt`, `gpus`, `id`")
    );
    assert_eq!(
        problems[2],
        "8: the variable `shard` is not defined / `shard` needs a table `[episodes]`, such as with `total = 100` and `shards = 4`"
    );
    assert_eq!(
        problems[3],
        "10: the variable `pack` is not defined / `pack` needs a table `[pack]`, such as with `axis = \"seed\"` and `size = 8`"
    );
}

#[test]
fn an_id_cannot_use_what_only_the_start_knows() {
    let problem = one_problem("[shard]\nid = 'a{{ attempt }}'\ncommand = 'true'");
    assert!(problem.starts_with("2: `attempt` is not known yet"), "{problem}");
}

#[test]
fn ids_that_clash_or_cannot_be_folders_are_refused() {
    let sweep =
        |id: &str| format!("[matrix]\nm = ['a/b', 'c']\nn = [1, 2]\n[shard]\nid = '{id}'\ncommand = 'true'");
    let clash = one_problem(&sweep("x{{ n }}"));
    assert_eq!(
        clash,
        "5: two shards have the id `x1`: m=a/b n=1 and m=c n=1 / let the id name what differs: `id = \"x{{ n }}_{{ m }}\"`"
    );
    let slash = one_problem(&sweep("{{ m }}{{ n }}"));
    assert!(slash.starts_with("5: the shard id `a/b1` contains `/`"), "{slash}");
    let default = one_problem(&sweep("").replace("id = ''\n", ""));
    assert!(default.starts_with("1: the shard id `a/b_1` contains `/`"), "{default}");
}

#[test]
fn shards_cannot_share_an_artifact() {
    let sweep = |artifact: &str| {
        format!("[matrix]\nn = [1, 2]\n[shard]\ncommand = 'true'\nartifacts = ['{artifact}']")
    };
    let problem = one_problem(&sweep("results/all.json"));
    assert!(
        problem.starts_with("5: the shards `1` and `2` share the artifact `results/all.json`"),
        "{problem}"
    );
    plan(&sweep("results/{{ n }}.json"));
    plan(&sweep("{{ out }}/*.json"));
}

#[test]
fn a_progress_file_is_a_template_of_each_shard() {
    let sweep =
        |progress: &str| format!("[matrix]\nn = [1, 2]\n[shard]\ncommand = 'true'\n[progress]\n{progress}");
    assert_eq!(
        plan(&sweep("file = '{{ out }}/*.progress'")).progress.file.as_deref(),
        Some("{{ out }}/*.progress")
    );
    let shared = one_problem(&sweep("file = 'eval.progress'"));
    assert!(
        shared.starts_with("6: the shards `1` and `2` share the progress file `eval.progress`"),
        "{shared}"
    );
    let unknown = one_problem(&sweep("file = '{{ outt }}/x'"));
    assert!(unknown.starts_with("6: ") && unknown.contains("outt"), "{unknown}");
    let both = one_problem(&sweep("file = '{{ out }}/x'\ndone = '(?<done>\\d)'"));
    assert!(both.starts_with("6: `file` and `done` both say"), "{both}");
    assert!(one_problem(&sweep("file = ''")).contains("the name of the progress file is empty"));
}

#[test]
fn a_pattern_with_doubled_backslashes_would_match_nothing() {
    let problems = problems(&with_command("[progress]\ndone = 'Episode (?<done>\\\\d+)'"));
    assert!(problems[0].starts_with("4: `done` looks for a backslash"), "{problems:#?}");
    plan(&with_command("[progress]\ndone = 'C:[\\\\]data (?<done>\\d+)'"));
}

#[test]
fn patterns_are_checked_for_sense_and_for_their_groups() {
    let metric = "[[metric]]\nname = 'episodes'\npattern = '(?<value>\\d+)'\n";
    let source = with_command(&format!(
        "[progress]\ndone = 'Episode (\\d+)'\nfinished = '('\npreset = 'issac-eval'\n{metric}{metric}[[rule]]\n\
         pattern = 'x'",
    ));
    let problems = problems(&source);
    assert_eq!(problems[0], "4: `done` has no group `done` / put `(?<done>` and `)` around the number");
    assert!(
        problems[1].starts_with("5: `finished` is no regular expression: unclosed group"),
        "{problems:#?}"
    );
    assert_eq!(problems[2], "6: there is no preset `issac-eval` / did you mean `isaac-eval`?");
    assert!(problems[3].starts_with("10: there is a metric `episodes` already"));
    assert!(problems[4].starts_with("13: [[rule]] needs `verdict`"), "{problems:#?}");
    assert_eq!(problems.len(), 5);
}

#[test]
fn values_of_packs_are_told_apart_by_patterns() {
    let pack = |rest: &str| {
        with_command(&format!("[matrix]\nreward = [1, 2]\n[pack]\naxis = 'reward'\nsize = 2\n{rest}\n"))
    };
    let told = plan(&pack("done = 'r(?<value>.) (?<done>.)'\nfailed = 'r(?<value>.) failed'")).value_log;
    assert!(told.expects_each() && told.finished.is_none() && told.failed.is_some());
    let problem = one_problem(&pack("done = 'r(?<value>.) (.)'"));
    assert!(problem.contains("`done` has no group `done`"), "{problem}");
    let problem = one_problem(&pack("finished = 'reward . finished'"));
    assert!(problem.contains("`finished` has no group `value`"), "{problem}");
}

#[test]
fn metrics_are_read_from_the_log_or_from_files() {
    let plan = plan(&with_command(
        "[results]\nfile = '{{ out }}/eval_info.json'\n[[metric]]\nname = 'falls'\npattern = 'FELL'\nreduce = 'count'\n\
         [[metric]]\nname = 'falls'\nfile = '{{ out }}/*.jsonl'\nkey = 'fall_detected'\nreduce = 'sum'\n\
         [[metric]]\nname = 'rate'\nfile = 'r.json'\nkey = 'overall.pc_success'\nscale = 0.01\nunit = '%'",
    ));
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
    assert_eq!(plan.results.file.as_deref(), Some("{{ out }}/eval_info.json"));
    assert_eq!(plan.metrics.len(), 3);
    let MetricSource::File { file, key } = &plan.metrics[2].source else { panic!("{:?}", plan.metrics[2]) };
    assert_eq!(
        (file.as_str(), key.as_str(), plan.metrics[2].scale),
        ("r.json", "overall.pc_success", Some(0.01))
    );
}

#[test]
fn metrics_of_older_plans_are_those_of_logs() {
    let text = r#"{"name": "m", "pattern": "(?<value>x)", "reduce": "last", "unit": null}"#;
    let metric: MetricSpec = serde_json::from_str(text).unwrap();
    assert_eq!(metric.source, MetricSource::Log { pattern: "(?<value>x)".to_owned() });
    assert_eq!(metric.scale, None);
}

#[test]
fn shards_cannot_share_a_result_file() {
    let sweep = |file: &str| {
        format!(
            "[matrix]\nn = [1, 2]\n[shard]\ncommand = 'true'\n[[metric]]\nname = 'm'\nkey = 'm'\nfile = '{file}'"
        )
    };
    let problem = one_problem(&sweep("all.json"));
    assert!(problem.starts_with("8: the shards `1` and `2` share the result file `all.json`"), "{problem}");
    assert!(one_problem(&sweep("{{ out }}/{{ m }}.json")).starts_with("8: the variable `m` is not defined"));
    assert!(one_problem(&sweep("")).starts_with("8: the name of the result file is empty"));
    plan(&sweep("{{ out }}/m.json"));
}

#[test]
fn mistakes_in_metrics_are_shown_with_what_to_write() {
    let source = with_command(
        "[results]\nfiles = '{{ out }}/e.json'\n\
         [[metric]]\nname = 'both'\npattern = '(?<value>x)'\nfile = '{{ out }}/e.json'\nkey = 'a'\n\
         [[metric]]\nname = 'neither'\n\
         [[metric]]\nname = 'no_key'\nfile = '{{ out }}/e.json'\n\
         [[metric]]\nname = 'many'\nfile = '{{ out }}/e.json'\nkey = 'per_task[].n'\n\
         [[metric]]\nname = 'log'\npattern = '(?<value>x)'\nkey = 'a'\nscale = 'percent'\n\
         [[metric]]\nname = 'dots'\nfile = '{{ out }}/e.json'\nkey = 'a..b'\nscale = 0\n\
         [[metric]]\nname = 'typo'\nflie = '{{ out }}/e.json'\nkey = 'a'\n\
         [[metric]]\nname = 'group'\npattern = 'reward=(.*)'\nreduce = 'mean'\n",
    );
    insta::assert_snapshot!(read_plan(&source, &origin()).unwrap_err().render(false));
}

#[test]
fn a_built_in_rule_can_be_given_another_meaning() {
    let rule = |text: &str| with_command(&format!("[[rule]]\n{text}"));
    let off = plan(&rule("name = 'physx-overflow'\nverdict = 'off'"));
    let (name, verdict) = (BuiltInRule::PhysxOverflow, BuiltInVerdict::Off);
    assert_eq!(off.rules, [RuleSpec::BuiltIn(BuiltInRuleSpec { name, verdict })]);
    let misspelt = one_problem(&rule("name = 'physx-overfow'\nverdict = 'off'"));
    assert!(misspelt.ends_with("did you mean `physx-overflow`?"), "{misspelt}");
    let both = one_problem(&rule("name = 'nan'\npattern = 'x'\nverdict = 'off'"));
    assert!(both.contains("pattern"), "{both}");
    assert!(one_problem(&rule("name = 'nan'")).contains("needs `verdict`"));
    let text = serde_json::to_string(&off).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&text).unwrap().rules, off.rules);
}

#[test]
fn what_is_not_built_yet_is_refused_honestly() {
    assert!(one_problem(&with_command("[engine]\nkind = 'slurm'")).contains("not available yet"));
}

#[test]
fn matrices_are_checked() {
    let matrix = |text: &str| one_problem(&format!("[matrix]\n{text}\n[shard]\ncommand = 'true'"));
    assert!(matrix("").starts_with("1: the matrix has no combo"));
    assert!(matrix("a = []").starts_with("2: the axis `a` has no values"));
    assert!(matrix("a = 'flat'").contains("must be an array, not a string / write `[\"flat\"]`"));
    assert!(matrix("a = [1, 1]").contains("has `1` twice"));
    assert!(matrix("a = [[1]]").contains("must be a string, a finite number or a boolean, not an array"));
    assert!(matrix("a = [nan]").contains("finite"));
    assert!(matrix("learning-rate = [1]").contains("cannot be the name of an axis"));
    assert!(matrix("out = [1]").contains("has a meaning of its own"));
    let wide =
        format!("a = {0}\nb = {0}\nc = {0}", serde_json::to_string(&(0..100).collect::<Vec<_>>()).unwrap());
    assert!(matrix(&wide).contains("more than 100000 combos"));
}

#[test]
fn episodes_and_packs_are_checked() {
    let rest = |text: &str| one_problem(&format!("[matrix]\nn = [1]\n{text}\n[shard]\ncommand = 'true'"));
    assert!(rest("[episodes]\ntotal = 3\nshards = 4").starts_with("5: 4 shards cannot share 3 episodes"));
    assert!(rest("[episodes]\nshards = 4").contains("needs `total`"));
    assert!(rest("[episodes]\ntotal = 0").contains("at least 1, not 0"));
    assert!(rest("[pack]\naxis = 'm'\nsize = 2").contains("no axis `m`"));
    assert!(rest("[pack]\naxis = 'n'").contains("needs `size`"));
}

#[test]
fn variables_of_the_environment_are_checked() {
    let env = |text: &str| one_problem(&with_command(text));
    assert!(env("env = { SWEEPDECK_SHARD = 'x' }").contains("is set for each attempt"));
    assert!(env("env = { A = [] }").contains("must be a string, not an array"));
    assert!(
        env("env = { TOKEN = 'x' }\nsecret = ['TOKEN']")
            .contains("the secret `TOKEN` has its value in `env`")
    );
    assert_eq!(plan(&with_command("env = { N = 3, F = true }")).template.env["N"], "3");
}

#[test]
fn every_syntax_error_is_reported() {
    let problems = problems("name = \n[matrix]\na = [1\n[shard]\ncommand = 'x'\nb == 2");
    assert!(problems.len() >= 2, "{problems:#?}");
    assert!(problems[0].starts_with("1: "), "{problems:#?}");
}

#[test]
fn a_template_that_cannot_be_read_is_shown_at_its_place() {
    let problem = one_problem("[shard]\ncommand = '''\necho\nprintf \"{%s}\" x\n'''");
    assert!(problem.starts_with("4: the template cannot be rendered"), "{problem}");
    assert!(problem.contains("{% raw %}"), "{problem}");
    assert!(one_problem("[shard]\ncommand = 'x {{ out | nonsense }}'").contains("nonsense"));
}

#[test]
fn a_report_names_file_line_source_and_hint_of_each_problem() {
    let source =
        "nam = \"x\"\n[matrix]\na = [\"1\"]\n[shard]\ncommand = \"echo {{ b }}\"\n[schedule]\nparalel = 3\n";
    let report = read_plan(source, &origin()).unwrap_err().render(false);
    insta::assert_snapshot!(report, @r#"
    error: the sweep has no key `nam`
     --> /sweeps/eval.toml:1:1
      |
    1 | nam = "x"
      | ^^^
      |
      = help: did you mean `name`?

    error: the variable `b` is not defined
     --> /sweeps/eval.toml:5:20
      |
    5 | command = "echo {{ b }}"
      |                    ^
      |
      = help: known are `a`, `attempt`, `gpus`, `id`, `out`, `port`, `previous` and `run_dir`

    error: [schedule] has no key `paralel`
     --> /sweeps/eval.toml:7:1
      |
    7 | paralel = 3
      | ^^^^^^^
      |
      = help: did you mean `parallel`?
    "#);
}

#[test]
fn a_sweep_of_nonsense_never_panics() {
    for source in [
        "",
        "\0",
        "[shard]\ncommand = ''",
        "[shard]\ncommand = []",
        "shard = 3",
        "matrix = 'x'",
        "[[shard]]",
        "é = 'é'\n[shard]\ncommand = 'é {{ é }}'",
    ] {
        let problems = read_plan(source, &origin()).unwrap_err();
        assert!(!problems.to_string().is_empty());
    }
}

const RICH: &str = include_str!("../../../configs/isaac_4env.toml");

proptest::proptest! {
    #[test]
    fn a_damaged_sweep_never_panics(at in 0..RICH.len(), length in 0..40_usize, with in "[\\PC\n\"'\\[\\]{}%#=\\\\]{0,6}") {
        let bounded = |mut at: usize| { while !RICH.is_char_boundary(at) { at -= 1 } at };
        let (start, end) = (bounded(at), bounded((at + length).min(RICH.len())));
        let source = format!("{}{with}{}", &RICH[..start], &RICH[end..]);
        if let Err(problems) = read_plan(&source, &origin()) {
            proptest::prop_assert!(problems.render(true).contains("eval.toml"));
        }
    }
}

#[test]
fn a_runner_gives_the_arguments_of_a_slice_where_the_command_wants_them() {
    let commands = |episodes: &str, command: &str| -> Vec<String> {
        let source = format!(
            "[episodes]\ntotal = 103\nshards = 5\nseed = 1000\n{episodes}\n[shard]\ncommand = {command}"
        );
        plan(&source).shards.into_iter().map(|shard| shard.command).collect()
    };
    let lerobot = commands("runner = 'lerobot-eval'", "'lerobot-eval --policy.path=p {{ shard.arguments }}'");
    let expected = "lerobot-eval --policy.path=p --eval.n_episodes=20 --seed=1083 --output_dir={{ out }}";
    assert_eq!(lerobot[4], expected);
    let list = commands("runner = 'lerobot-eval'", "['lerobot-eval', '{{shard.arguments}}', '--x']");
    assert_eq!(list[0], "lerobot-eval --eval.n_episodes=21 --seed=1000 --output_dir={{ out }} --x");
    let tasks = commands("runner = 'lerobot-eval'\nover = 'tasks'", "'lerobot-eval {{ shard.arguments }}'");
    assert!(tasks[1].contains("\"--env.task_ids=[21,22,"), "{}", tasks[1]);
    assert!(tasks[1].ends_with("41]\" --seed=1000 --output_dir={{ out }}"), "{}", tasks[1]);
    let dealt = commands("runner = 'vla-eval'", "'vla-eval run {{ shard.arguments }}'");
    assert_eq!(dealt[3], "vla-eval run --shard-id=3 --num-shards=5");
    let own = commands(
        "runner = 'vla-eval'\narguments = ['-s{{ shard.index }}']",
        "['x', '{{ shard.arguments }}']",
    );
    assert_eq!(own[3], "x -s3");
}

#[test]
fn what_a_runner_cannot_do_is_told() {
    let problem = |episodes: &str, command: &str| {
        one_problem(&format!("[episodes]\ntotal = 4\nshards = 2\n{episodes}\n[shard]\ncommand = '{command}'"))
    };
    let placed = "x {{ shard.arguments }}";
    let order = problem("runner = 'lerobot-eval'\norder = 'round-robin'", placed);
    assert!(order.contains("`lerobot-eval` counts up from the first episode"), "{order}");
    let nowhere = problem("runner = 'lerobot-eval'", "lerobot-eval");
    assert!(nowhere.contains("does not say where the arguments"), "{nowhere}");
    let misspelt = problem("runner = 'lerobot'", "x");
    assert!(misspelt.contains("did you mean `lerobot-eval`?"), "{misspelt}");
    let unsliced = problem("runner = 'openpi'", "x");
    assert!(unsliced.contains("`openpi` begins every task with its first episode"), "{unsliced}");
    let unasked = problem("", placed);
    assert!(unasked.contains("`shard` has no member `arguments`"), "{unasked}");
}

#[test]
fn a_path_is_one_shards_own_whatever_names_it() {
    let sweep = |cwd: &str, artifacts: &str| {
        format!("[matrix]\np = ['a', 'b']\n[shard]\ncommand = 'true'\ncwd = '{cwd}'\nartifacts = {artifacts}")
    };
    // Relative to folders of their own they are two files.
    plan(&sweep("{{ p }}", "['r.json']"));
    let crossed = one_problem(&sweep(".", "['{{ p }}.json', '{{ \"b\" if p == \"a\" else \"c\" }}.json']"));
    assert!(crossed.contains("the shards `b` and `a` share the artifact `b.json`"), "{crossed}");
    let dotted = one_problem(&sweep("{{ p }}", "['/x/./r.json', '{{ out }}/y']"));
    assert!(dotted.contains("share the artifact `/x/./r.json`"), "{dotted}");
    // A file may be the proof and the count of the same shard.
    plan(&(sweep(".", "['{{ out }}/r.json']") + "\n[results]\nfile = '{{ out }}/r.json'\nmerge = 'json'"));
}

#[test]
fn values_that_no_log_is_read_for_are_refused_where_it_is_to_tell_them() {
    let sweep = |value: &str, size: u32, patterns: &str| {
        format!(
            "[matrix]\nreward = ['{value}']\n[shard]\ncommand = 'true'\n[pack]\naxis = 'reward'\nsize = {size}\n{patterns}"
        )
    };
    let finished = "finished = '(?<value>x+) done'";
    let (long, fitting) = ("x".repeat(129), "x".repeat(128));
    let told = one_problem(&sweep(&long, 1, finished));
    assert!(told.starts_with("6: the value `xxxxxxxxxxxxxxxx…` has 129 bytes, and a log"), "{told}");
    let told = one_problem(&sweep("x", 4097, finished));
    assert!(told.starts_with("7: a log is read for 4096 values at most"), "{told}");
    assert!(!plan(&sweep(&fitting, 4096, finished)).value_log.is_empty());
    assert!(plan(&sweep(&long, 4097, "")).value_log.is_empty());
}
