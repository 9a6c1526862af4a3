//! Tests of the keys of `[[service]]` that are accepted and refused.

use super::*;
use crate::config::plan::{PlanOrigin, read_plan};
use crate::model::sweep::plan::Plan;

fn origin() -> PlanOrigin {
    PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() }
}

fn sweep(service: &str, command: &str) -> String {
    format!(
        "[matrix]\npolicy = [\"a\", \"b\"]\nseed = [1, 2]\n[shard]\ncommand = '{command} {{{{ policy }}}} {{{{ seed }}}}'\n\
         [[service]]\nname = \"server\"\n{service}"
    )
}

fn plan(service: &str) -> Plan {
    let source = sweep(service, "eval --port {{ service.server.port }}");
    read_plan(&source, &origin()).unwrap_or_else(|problems| panic!("{problems}"))
}

fn problems(service: &str, command: &str) -> String {
    read_plan(&sweep(service, command), &origin()).expect_err("it has a problem").to_string()
}

#[test]
fn what_is_not_said_has_its_usual_value() {
    let plan = plan("command = \"serve --port {{ port }}\"");
    let [service] = &plan.services[..] else { panic!("{:?}", plan.services) };
    assert_eq!((service.per, &service.ready, service.serves), (ServicePer::Run, &ReadyCheck::Port, None));
    assert_eq!((service.ready_timeout, service.restarts), (READY_TIMEOUT, RESTARTS));
    assert!(service.by.is_empty());
    assert_eq!(plan.shards[0].command, "eval --port {{ service.server.port }} a 1");
}

#[test]
fn instances_differ_by_the_axes_that_their_templates_use() {
    let by = |service: &str| plan(service).services[0].by.clone();
    assert_eq!(by("per = \"combo\"\ncommand = \"serve {{ policy }} {{ port }}\""), ["policy"]);
    assert_eq!(by("per = \"gpu\"\ncommand = \"serve {{ policy }} {{ port }}\""), ["policy"]);
    assert_eq!(by("per = \"gpu\"\ncommand = \"serve {{ port }}\""), [""; 0]);
    assert_eq!(by("per = \"combo\"\ncommand = \"serve {{ port }}\""), ["policy", "seed"]);
    assert_eq!(by("per = \"combo\"\nby = [\"seed\"]\ncommand = \"serve {{ port }}\""), ["seed"]);
}

#[test]
fn every_way_to_be_ready_is_read() {
    let ready = |ready: &str| {
        plan(&format!("command = \"serve {{{{ port }}}}\"\nready = {ready}")).services[0].ready.clone()
    };
    assert_eq!(ready("{ port = true }"), ReadyCheck::Port);
    assert_eq!(ready("{ log = 'listening on \\d+' }"), ReadyCheck::Log("listening on \\d+".to_owned()));
    assert_eq!(ready("{ http = \"/healthz\" }"), ReadyCheck::Http("/healthz".to_owned()));
    assert_eq!(ready("{ file = \"{{ out }}/ok\" }"), ReadyCheck::File("{{ out }}/ok".to_owned()));
}

#[test]
fn resources_are_those_of_a_shard() {
    let service = "per = \"run\"\ngpus = 2\nvram = \"8 GiB\"\ncpus = 3\nram = \"1 GiB\"\ncommand = \"serve {{ port }}\"";
    let resources = plan(service).services[0].resources.clone();
    assert_eq!(resources.gpu_slots(4).len(), 2);
    assert_eq!((resources.cpus, resources.ram.map(|ram| ram.0)), (Some(3), Some(1 << 30)));
}

#[test]
fn what_cannot_work_is_refused_with_a_hint() {
    let port = "command = \"serve {{ port }}\"";
    let text = problems("command = \"serve {{ policy }} {{ port }}\"", "eval");
    assert!(text.contains("is one for the run, and `policy` differs"), "{text}");
    let text = problems("command = \"serve\"", "eval");
    assert!(text.contains("needs `ready`"), "{text}");
    let text = problems("command = \"serve\"\nready = { http = \"/ok\" }", "eval");
    assert!(text.contains("the service is told none"), "{text}");
    let text = problems(&format!("{port}\nready = {{ port = true, log = 'x' }}"), "eval");
    assert!(text.contains("names 2 ways"), "{text}");
    let text = problems(&format!("{port}\nper = \"gpu\"\ngpus = 2"), "eval");
    assert!(text.contains("has one GPU, not 2"), "{text}");
    let text = problems(&format!("{port}\nvram = \"auto\""), "eval");
    assert!(text.contains("is not measured"), "{text}");
    let text = problems(&format!("{port}\nper = \"combo\"\nport = 8000"), "eval");
    assert!(text.contains("cannot have the same `port`"), "{text}");
    let text = problems(&format!("{port}\nper = \"combo\"\nby = [\"speed\"]"), "eval");
    assert!(text.contains("which is no axis"), "{text}");
    let text = problems("command = \"serve {{ nothing }} {{ port }}\"", "eval");
    assert!(text.contains("`nothing` is not defined"), "{text}");
    let text = problems(port, "eval {{ service.sever.port }}");
    assert!(text.contains("did you mean `service.server`?"), "{text}");
    let text = problems(port, "eval {{ service.server.prt }}");
    assert!(text.contains("cannot be rendered"), "{text}");
}

#[test]
fn services_without_a_table_and_names_of_shards_are_told() {
    let text =
        read_plan("[shard]\ncommand = 'eval {{ service.server.port }}'", &origin()).unwrap_err().to_string();
    assert!(text.contains("needs a table `[[service]]`"), "{text}");
    let source = "[matrix]\nx = [\"server\"]\n[shard]\ncommand = 'eval {{ x }}'\n[[service]]\nname = \"server\"\n\
                  command = \"serve {{ port }}\"";
    let text = read_plan(source, &origin()).unwrap_err().to_string();
    assert!(text.contains("has a name of the service"), "{text}");
}
