//! Runs whose shards are dealt to nodes: what waits, what is left, and what each node did.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use jiff::tz::TimeZone;
use serde_json::Value;

use super::exposition::exposition_text::Exposition;
use super::exposition::machine_series::add_machine;
use super::exposition::run_series::add_run;
use super::faces::markdown::render_markdown;
use super::faces::summary::build_summary;
use super::faces::table::build_table;
use super::findings::{Findings, Records};
use super::report::page::render_report;
use super::status::document::{RunWord, Status, build_status};
use super::status::nodes::list_nodes;
use super::status::plain_text::render_status_text;
use super::status::sources::{NodeGpus, Sources};
use super::status::status_tests::{plan, second};
use super::tests::{ended, facts, run};
use crate::model::claims::claim::Claim;
use crate::model::ids::{AttemptNumber, GpuIndex, RunId, ShardId};
use crate::model::machine::sample::{GpuCard, GpuInventory, GpuSample, HostSample, TelemetrySample};
use crate::model::nodes::node_event::NodeEvent;
use crate::model::nodes::node_phase::NodePhase;
use crate::model::nodes::order::{DealtShard, ORDER_VERSION, Order, OrderNumber, OrderTask};
use crate::model::outcome::Verdict;
use crate::model::priority::Priority;
use crate::model::state::fact::{Event, Fact, JOURNAL_VERSION};
use crate::model::state::run_state::RunState;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::node_spec::{DEFAULT_LEASE, NodeId, NodeReach, NodeSpec};
use crate::model::sweep::plan::Plan;
use crate::results::comparison::machines::MachineUse;

fn node(name: &str) -> NodeId {
    NodeId::new(name).unwrap()
}

/// Six shards of a hundred seconds each, and two nodes.
fn spread() -> Plan {
    let mut plan = plan(&["a", "b", "c", "d", "e", "f"]);
    plan.shards.iter_mut().for_each(|shard| shard.expected = Some(Duration::from_secs(100)));
    let spec = |name: &&str| NodeSpec {
        id: node(name),
        reach: NodeReach::Ssh { host: (*name).to_owned() },
        devices: Vec::new(),
        lease: DEFAULT_LEASE,
    };
    plan.nodes = ["gpu1", "gpu2"].iter().map(spec).collect();
    plan
}

fn of_nodes(event: NodeEvent) -> Event {
    Event::Node(Box::new(event))
}

fn stands(name: &str, standing: NodePhase) -> Event {
    of_nodes(NodeEvent::StandingChanged { node: node(name), standing })
}

fn deals(name: &str, shards: &[&str]) -> Event {
    let shard = |shard: &&str| DealtShard {
        shard: ShardId::new(*shard).unwrap(),
        attempt: None,
        edit: Edit::default(),
        priority: Priority::USUAL,
    };
    let shards = shards.iter().map(shard).collect();
    let task = OrderTask::Deal { shards, grown: Vec::new(), splits: Vec::new() };
    let order = Order { version: ORDER_VERSION, number: OrderNumber(1), task };
    of_nodes(NodeEvent::OrderGiven { node: node(name), order })
}

fn starts(shard: &str, gpu: u32) -> Vec<Event> {
    let shard = ShardId::new(shard).unwrap();
    let attempt = AttemptNumber::FIRST;
    let (gpus, claim) = (vec![GpuIndex(gpu)], Claim::default());
    vec![
        Event::AttemptStarting { shard: shard.clone(), attempt, gpus, claim, previous: None },
        Event::AttemptStarted { shard, attempt, pid: 7, started: second(0) },
    ]
}

fn ends(shard: &str, seconds: u64) -> Event {
    let mut outcome = ended(Verdict::Succeeded, None, &[]);
    outcome.elapsed = Some(Duration::from_secs(seconds));
    let [.., end] = facts(&ShardId::new(shard).unwrap(), outcome);
    end
}

/// The state of that run, with two places at each node.
fn state(plan: &Plan, events: Vec<Event>) -> RunState {
    let shards = plan.shards.iter().map(|shard| shard.id.clone()).collect();
    let created =
        Event::RunCreated { version: JOURNAL_VERSION, run: RunId("demo-1".into()), shards, parallel: 2 };
    let facts: Vec<Fact> =
        std::iter::once(created).chain(events).map(|event| Fact::new(second(0), event)).collect();
    RunState::fold_facts(&facts).unwrap()
}

fn status(plan: &Plan, state: &RunState) -> Status {
    status_with_gpus(plan, state, &[])
}

fn status_with_gpus(plan: &Plan, state: &RunState, node_gpus: &[NodeGpus]) -> Status {
    build_status(&Sources {
        dir: Path::new("/runs/spread"),
        info: &run().0,
        plan,
        state,
        supervised: true,
        place: None,
        readings: &HashMap::new(),
        health: &[],
        inventory: None,
        waiting: None,
        node_gpus,
        unwritten: &[],
        telemetry: &TelemetrySample::default(),
        now: second(0),
        zone: &TimeZone::UTC,
    })
}

#[test]
fn the_forecast_counts_the_places_of_nodes_that_are_up() {
    let plan = spread();
    let left = |events: Vec<Event>| {
        let run = status(&plan, &state(&plan, events)).run;
        (run.eta_s, run.forecast.slots)
    };
    let up = |name| stands(name, NodePhase::Up);
    assert_eq!(left(vec![]), (None, 0));
    assert_eq!(left(vec![up("gpu1")]), (Some(300.0), 2));
    assert_eq!(left(vec![up("gpu1"), up("gpu2")]), (Some(200.0), 4));
    assert_eq!(left(vec![up("gpu1"), up("gpu2"), stands("gpu2", NodePhase::Silent)]), (Some(300.0), 2));
    // Its memory has room for one shard: the other one that it has waits.
    let full = [vec![up("gpu1"), deals("gpu1", &["a", "b"])], starts("a", 0)].concat();
    assert_eq!(left(full), (Some(600.0), 1));
    // Without nodes it is as it was.
    let alone = Plan { nodes: Vec::new(), ..spread() };
    let run = status(&alone, &state(&alone, vec![])).run;
    assert_eq!((run.eta_s, run.forecast.slots), (Some(300.0), 2));
}

#[test]
fn without_a_node_the_forecast_says_what_it_waits_for() {
    let plan = spread();
    let down = stands("gpu1", NodePhase::Unreachable { reason: "Connection timed out".to_owned() });
    let status = status(&plan, &state(&plan, vec![down]));
    let text = render_status_text(&status);
    assert!(text.contains("makespan unknown, lower bound unknown on 0 slots; no node is up yet"), "{text}");
    assert!(text.contains("node gpu1  unreachable: Connection timed out, 0 running, 0 waiting"), "{text}");
    assert_eq!(status.run.forecast.in_words(), "no node is up yet");
}

#[test]
fn the_gpus_of_nodes_are_told_from_those_of_the_run_and_from_one_another() {
    let plan = spread();
    let state = half_used(&plan);
    let gpus = |name: &str, percent: f64| NodeGpus {
        node: node(name),
        inventory: Some(GpuInventory::Present {
            driver: "570.86".to_owned(),
            cards: vec![GpuCard::unknown(GpuIndex(0))],
        }),
        health: Vec::new(),
        samples: vec![GpuSample {
            utilization_percent: Some(percent),
            ..GpuSample::unknown(GpuIndex(0), second(0))
        }],
    };
    let status = status_with_gpus(&plan, &state, &[gpus("gpu1", 12.0), gpus("gpu2", 90.0)]);
    let document = serde_json::to_value(&status).unwrap();
    let told = |at: usize| (&document["gpus"][at]["node"], &document["gpus"][at]["utilization_percent"]);
    assert_eq!(told(0), (&"gpu1".into(), &12.0.into()));
    assert_eq!(told(1), (&"gpu2".into(), &90.0.into()));
    let mut exposition = Exposition::default();
    add_machine(&mut exposition, &[status]);
    let text = exposition.render();
    assert!(!text.contains("gpu_utilization"), "they are not of this machine: {text}");
}

/// A run in which `a` took half an hour at the first node, which was at work for an hour with two GPUs.
fn half_used(plan: &Plan) -> RunState {
    let work = [starts("a", 0), vec![ends("a", 1800)]].concat();
    state(plan, [vec![stands("gpu1", NodePhase::Up), deals("gpu1", &["a", "b"])], work].concat())
}

fn findings<'a>(
    info: &'a crate::model::state::run_info::RunInfo,
    plan: &'a Plan,
    state: &'a RunState,
) -> Findings<'a> {
    let records = Records::new(info, plan, state, RunWord::Running, second(3600));
    let mut findings = Findings::new(records, |fold| {
        fold.turn_to_node(&node("gpu1"));
        for read in 0..=3600 {
            fold.add_host_sample(&HostSample::unknown(second(read)));
        }
        // It ended for want of work, and came back a day later for a minute.
        for read in 0..=60 {
            fold.add_host_sample(&HostSample::unknown(second(90_000 + read)));
        }
    });
    let card = |index| GpuCard::unknown(GpuIndex(index));
    let withheld = GpuCard { withheld: Some("not chosen".to_owned()), ..card(2) };
    let cards = vec![card(0), card(1), withheld];
    let inventory = GpuInventory::Present { driver: "570.86".to_owned(), cards };
    findings.inventories.insert(Some(node("gpu1")), inventory);
    findings
}

#[test]
fn results_say_which_node_had_a_shard_and_what_its_gpus_did() {
    let plan = spread();
    let (info, state) = (run().0, half_used(&plan));
    let findings = findings(&info, &plan, &state);
    let table = build_table(&findings);
    assert_eq!(table.header.last().map(String::as_str), Some("node"));
    let nodes: Vec<&str> = table.rows.iter().map(|row| row.last().unwrap().as_str()).collect();
    assert_eq!(nodes, ["gpu1", "gpu1", "", "", "", ""]);
    let summary = build_summary(&findings);
    let [first, second] = summary["nodes"].as_array().unwrap().as_slice() else { panic!("{summary}") };
    assert_eq!((&first["seconds"], &first["gpus"]), (&Value::from(3660.0), &Value::from(2)));
    let hours = |key: &str| first[key].as_f64().unwrap();
    assert!((hours("gpu_hours_used") - 0.5).abs() < 1e-9, "{first}");
    assert!((hours("gpu_hours_idle") - (2.0 * 3660.0 / 3600.0 - 0.5)).abs() < 1e-9, "{first}");
    assert_eq!((&first["shards"], &first["attempts"]), (&Value::from(1), &Value::from(1)));
    assert!(second["gpu_hours_idle"].is_null() && second["seconds"].is_null(), "{second}");
    assert_eq!(
        (&summary["shards"][0]["node"], &summary["shards"][2]["node"]),
        (&"gpu1".into(), &Value::Null)
    );
    let page = render_report(&findings, &[]);
    assert!(page.contains("GPU-hours idle") && page.contains("<th scope=\"row\">gpu2</th>"), "{page}");
    assert!(render_markdown(&findings).contains("| a | gpu1 | succeeded |"));
    assert_eq!(MachineUse::from_findings(&findings).nodes, ["gpu1"]);
}

#[test]
fn the_time_in_the_queue_of_slurm_is_that_for_which_gpus_were_waited_for() {
    let mut plan = spread();
    plan.nodes[0].reach = NodeReach::Slurm { sbatch: Vec::new() };
    let waits = |reason: &str| stands("gpu1", NodePhase::Waiting { reason: reason.to_owned() });
    let mut state = state(&plan, Vec::new());
    for (at, event) in [(0, waits("asked")), (30, waits("Priority")), (1800, stands("gpu1", NodePhase::Up))] {
        state.apply_fact(&Fact::new(second(at), event)).unwrap();
    }
    let info = run().0;
    let findings = findings(&info, &plan, &state);
    let summary = build_summary(&findings);
    assert_eq!(summary["nodes"][0]["gpu_hours_waited"].as_f64(), Some(1.0), "two GPUs for half an hour");
    assert!(summary["nodes"][1]["gpu_hours_waited"].is_null(), "it is no job");
    assert_eq!(list_nodes(&plan, &state)[0].queue_wait_s, Some(1800));
}

#[test]
fn a_run_of_one_machine_has_no_word_of_nodes() {
    let (info, plan, state) = run();
    let findings = Findings::new(Records::new(&info, &plan, &state, RunWord::Running, second(0)), |_| ());
    assert!(!build_table(&findings).header.contains(&"node".to_owned()));
    assert!(build_summary(&findings).get("nodes").is_none());
    assert!(!render_report(&findings, &[]).contains("GPU-hours idle"));
    assert!(render_markdown(&findings).contains("| shard | verdict | attempts |"));
    let mut exposition = Exposition::default();
    add_run(&mut exposition, &status(&plan, &state));
    assert!(!exposition.render().contains("node"));
}

#[test]
fn scrapes_see_where_shards_are() {
    let plan = spread();
    let events = [vec![stands("gpu1", NodePhase::Up), deals("gpu1", &["a", "b"])], starts("a", 0)].concat();
    let mut exposition = Exposition::default();
    add_run(&mut exposition, &status(&plan, &state(&plan, events)));
    let text = exposition.render();
    for line in [
        "sweepdeck_node_up{run=\"demo-1\",node=\"gpu1\"} 1",
        "sweepdeck_node_up{run=\"demo-1\",node=\"gpu2\"} 0",
        "sweepdeck_node_shards{run=\"demo-1\",node=\"gpu1\",state=\"waiting\"} 1",
        "sweepdeck_shard_elapsed_seconds{run=\"demo-1\",shard=\"a\",node=\"gpu1\"} 0",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}
