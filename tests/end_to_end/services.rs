//! Services that shards share: started before their first shard, ended with their last, and what their death means.

use std::fs;

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::place::{Place, Run};
use crate::harness::processes;
use crate::harness::wait::{until, until_or, until_some};

/// A server of one line per connection, in what every Debian has. It waits for a file before it listens.
const SERVER: &str = r#"
use IO::Socket::INET; use Time::HiRes qw(sleep); $| = 1; $SIG{PIPE} = 'IGNORE';
my ($port, $answer) = @ARGV;
print "loading\n"; sleep 0.02 until -e "open";
my $server = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port, Listen => 16, ReuseAddr => 1) or die "$!";
print "listening on $port\n";
while (1) {
    my $client = $server->accept or next;
    # Clients stay connected as those of a policy server do, so each has a process of its own.
    next if fork;
    if ($answer eq "http") { <$client>; print $client "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nOK\n"; exit }
    while (<$client>) { print $client "answer $_" }
    exit;
}
"#;

/// Connects, says that it is there, and stays until it may end or the server is gone.
const CLIENT: &str = "exec 3<>/dev/tcp/127.0.0.1/{{ service.server.port }} || exit 5\n\
    echo 'hello' >&3; read -r line <&3 || exit 6; echo \"$line from {{ service.server.id }}\"\n\
    touch connected-{{ id }}\n\
    until [ -e go-{{ id }} ] || [ -e go ]; do echo 'hello' >&3; read -r -t 5 line <&3 || exit 7; sleep 0.05; done";

fn place_with_server() -> Place {
    let place = Place::new();
    place.write("server.pl", SERVER);
    place
}

/// A sweep of so many clients.
fn sweep(service: &str, shards: usize, schedule: &str) -> String {
    let numbers: Vec<String> = (1..=shards).map(|number| number.to_string()).collect();
    format!(
        "[matrix]\nn = [{}]\n[shard]\nid = 'c{{{{ n }}}}'\ncommand = '''\n{CLIENT}\n'''\n\
         [[service]]\nname = 'server'\n{service}\n\
         [schedule]\n{schedule}\n[schedule.grace]\ninterrupt = '1s'\nterminate = '1s'\n",
        numbers.join(", ")
    )
}

const LISTENS: &str = "command = ['perl', 'server.pl', '{{ port }}', 'echo']";

/// The part of the status about one instance.
pub fn service(run: &Run<'_>, id: &str) -> Option<Value> {
    run.status()["services"].as_array()?.iter().find(|service| service["id"] == id).cloned()
}

fn phase(run: &Run<'_>, id: &str) -> String {
    service(run, id).and_then(|service| Some(service["phase"].as_str()?.to_owned())).unwrap_or_default()
}

fn until_service(run: &Run<'_>, id: &str, wanted: &str) {
    until_or(&format!("{id} is {wanted}"), || phase(run, id) == wanted, || run.status().to_string());
}

pub fn pid(run: &Run<'_>, id: &str) -> u32 {
    until_some("the service has a process", || {
        service(run, id)?["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok())
    })
}

fn is_connected(place: &Place, id: &str) -> bool {
    place.path().join(format!("connected-{id}")).exists()
}

fn starts_with_a_gate(command: &str, ready: &str) {
    let place = place_with_server();
    let run = place.start(&sweep(&format!("{command}\nready = {ready}"), 2, "parallel = 2"));
    until_service(&run, "server", "starting");
    until("shards wait for it", || {
        run.shard("c1")["waiting"].as_str().is_some_and(|why| why == "waits until server is ready")
    });
    assert_eq!(run.count("queued"), 2, "{}", run.status());
    let server = pid(&run, "server");
    place.write("go", "");
    place.write("open", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(run.count("succeeded"), 2);
    assert_eq!(phase(&run, "server"), "ended");
    until("the server has ended with its last shard", || processes::state(server).is_none());
    assert!(run.status()["shards"].as_array().is_some_and(|shards| shards.len() == 2), "it is no shard");
}

#[test]
fn a_service_is_ready_when_somebody_listens_on_its_port() {
    starts_with_a_gate(LISTENS, "{ port = true }");
}

#[test]
fn a_service_is_ready_when_its_log_says_so() {
    starts_with_a_gate(LISTENS, r"{ log = 'listening on \d+' }");
}

#[test]
fn a_service_is_ready_when_a_request_succeeds() {
    let http = "command = ['perl', 'server.pl', '{{ port }}', 'http']";
    let place = place_with_server();
    let client = "command = 'echo {{ service.server.address }}'";
    let run = place.start(&format!(
        "[shard]\nid = 'one'\n{client}\n[[service]]\nname = 'server'\n{http}\nready = {{ http = '/healthz' }}\n"
    ));
    until_service(&run, "server", "starting");
    place.write("open", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert!(run.log("one", 1).contains("127.0.0.1:"), "{}", run.log("one", 1));
}

#[test]
fn a_service_is_ready_when_its_file_is_there() {
    let command = "command = 'perl server.pl {{ port }} echo & \
                   until (exec 3<>/dev/tcp/127.0.0.1/{{ port }}) 2>/dev/null; do sleep 0.05; done; \
                   touch {{ out }}/ready; wait'";
    starts_with_a_gate(command, "{ file = '{{ out }}/ready' }");
}

#[test]
fn the_death_of_a_service_ends_its_shards_with_that_reason_and_requeues_them() {
    let place = place_with_server();
    place.write("open", "");
    let run = place.start(&sweep(LISTENS, 2, "parallel = 2\nretries = 0"));
    until("both are connected", || is_connected(&place, "c1") && is_connected(&place, "c2"));
    let first = pid(&run, "server");
    let users = || service(&run, "server").map(|service| service["shards"].clone());
    until("it serves both", || users() == Some(serde_json::json!(["c1", "c2"])));
    place.write("go-c1", "");
    run.until_phase("c1", "succeeded");
    processes::signal(first, Signal::KILL);
    until("another server runs", || phase(&run, "server") == "ready" && pid(&run, "server") != first);
    let lost = until_some("the first attempt is judged", || {
        let journal = fs::read_to_string(run.dir.join("journal.jsonl")).ok()?;
        journal
            .lines()
            .find(|line| line.contains("service-lost") && line.contains("attempt-ended"))
            .map(str::to_owned)
    });
    assert!(lost.contains("\"shard\":\"c2\"") && lost.contains("its service server ended"), "{lost}");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(run.shard("c2")["attempt"], 2);
    assert_eq!(run.shard("c1")["attempt"], 1, "what had succeeded is not touched");
}

#[test]
fn a_service_that_is_never_ready_fails_and_can_be_restarted() {
    let place = place_with_server();
    let patience = format!("{LISTENS}\nready_timeout = '1s'\nrestarts = 1");
    let run = place.start(&sweep(&patience, 1, "parallel = 1"));
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    let failed = service(&run, "server").expect("it was started");
    assert_eq!((failed["phase"].as_str(), failed["attempt"].as_u64()), (Some("failed"), Some(2)), "{failed}");
    assert_eq!(failed["message"], "not ready within 1s");
    assert_eq!(run.count("queued"), 1, "its shard was never started");
    let text = run.does("status", &[]).stdout;
    assert!(text.contains("SERVICE") && text.contains("not ready within 1s"), "{text}");
    place.write("open", "");
    place.write("go", "");
    run.does("restart", &["server"]);
    assert_eq!(run.wait(), Some(0), "{}", run.status());
}

#[test]
fn a_shard_that_fails_by_itself_is_not_blamed_on_its_service() {
    let place = place_with_server();
    place.write("open", "");
    let failing = sweep(LISTENS, 1, "parallel = 1").replace("touch connected-{{ id }}", "exit 3");
    let run = place.start(&failing);
    assert_eq!(run.wait(), Some(1));
    assert_eq!(run.shard("c1")["reason"], "exit-code", "{}", run.status());
    assert_eq!(phase(&run, "server"), "ended");
}

#[test]
fn a_killed_supervisor_finds_its_services_again_with_their_ports() {
    let place = place_with_server();
    place.write("open", "");
    let run = place.start(&sweep(LISTENS, 3, "parallel = 2"));
    until("two are connected", || is_connected(&place, "c1") && is_connected(&place, "c2"));
    until_service(&run, "server", "ready");
    let (server, port) =
        (pid(&run, "server"), service(&run, "server").map(|service| service["port"].clone()));
    let supervisor = run.supervisor().expect("it lives");
    processes::signal(supervisor, Signal::KILL);
    until("another one supervises", || run.supervisor().is_some_and(|pid| pid != supervisor));
    until_service(&run, "server", "ready");
    assert_eq!(
        (pid(&run, "server"), service(&run, "server").map(|service| service["port"].clone())),
        (server, port)
    );
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    for shard in ["c1", "c2", "c3"] {
        assert_eq!(run.shard(shard)["attempt"], 1, "{shard} ran once");
    }
    until("the server has ended", || processes::state(server).is_none());
}

#[test]
fn a_supervisor_that_was_killed_while_a_service_started_waits_for_it() {
    let place = place_with_server();
    let run = place.start(&sweep(&format!("{LISTENS}\nready = {{ log = 'listening' }}"), 1, "parallel = 1"));
    until_service(&run, "server", "starting");
    let server = pid(&run, "server");
    let supervisor = run.supervisor().expect("it lives");
    processes::signal(supervisor, Signal::KILL);
    until("another one supervises", || run.supervisor().is_some_and(|pid| pid != supervisor));
    place.write("go", "");
    place.write("open", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(service(&run, "server").map(|service| service["attempt"].clone()), Some(1.into()));
    until("the server has ended", || processes::state(server).is_none());
}

#[test]
fn each_gpu_has_a_server_that_serves_three_clients() {
    let place = Place::with_gpus("gpu 0\n total 40 GiB\ngpu 1\n total 40 GiB\n");
    place.write("server.pl", SERVER);
    place.write("open", "");
    let service_text = format!("{LISTENS}\nper = 'gpu'\nserves = 3\nvram = '10 GiB'");
    let text = sweep(&service_text, 8, "parallel = 8") + "[resources]\ngpus = 1\nvram = '2 GiB'\n";
    let run = place.start(&text);
    until_or(
        "six are connected",
        || (1..=8).filter(|n| is_connected(&place, &format!("c{n}"))).count() == 6,
        || run.status().to_string(),
    );
    let users = |id: &str| service(&run, id).and_then(|service| service["shards"].as_array().map(Vec::len));
    until_or(
        "each serves three",
        || (users("server@gpu0"), users("server@gpu1")) == (Some(3), Some(3)),
        || run.status().to_string(),
    );
    let status = run.status();
    for shard in status["shards"].as_array().into_iter().flatten().filter(|shard| shard["phase"] == "running")
    {
        let id = shard["id"].as_str().expect("an id");
        let gpu = shard["gpus"][0].as_u64().expect("a GPU");
        assert!(run.log(id, 1).contains(&format!("from server@gpu{gpu}")), "{id} uses the server of its GPU");
    }
    let waits = |id: &str| run.shard(id)["waiting"].as_str().map(str::to_owned);
    let waiting = (1..=8).find_map(|n| waits(&format!("c{n}"))).unwrap_or_default();
    assert!(waiting.contains("serves 3 shards at a time"), "{waiting}");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(run.status()["services"].as_array().map(Vec::len), Some(2));
}

#[test]
fn shards_with_the_same_values_share_an_instance() {
    let place = place_with_server();
    place.write("open", "");
    place.write("go", "");
    let text = "[matrix]\npolicy = ['flat', 'rough']\nseed = [1, 2]\n[shard]\nid = '{{ policy }}{{ seed }}'\n\
                command = 'echo \"{{ service.server.id }}\"'\n\
                [[service]]\nname = 'server'\nper = 'combo'\ncommand = ['perl', 'server.pl', '{{ port }}', '{{ policy }}']\n";
    let (ended, run) = place.run_headless(text);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for (shard, server) in [("flat1", "flat"), ("flat2", "flat"), ("rough1", "rough"), ("rough2", "rough")] {
        assert!(run.log(shard, 1).contains(&format!("server@{server}")), "{}", run.log(shard, 1));
    }
    assert_eq!(run.status()["services"].as_array().map(Vec::len), Some(2), "{}", run.status());
    let csv = place.read("r/results/combined_results.csv").expect("results");
    assert!(csv.lines().count() == 5 && !csv.contains("server"), "services are no shards: {csv}");
}

#[test]
fn stopping_the_run_leaves_no_service() {
    let place = place_with_server();
    place.write("open", "");
    let run = place.start(&sweep(LISTENS, 2, "parallel = 2"));
    until("both are connected", || is_connected(&place, "c1") && is_connected(&place, "c2"));
    let server = pid(&run, "server");
    run.does("stop", &["--now"]);
    assert_eq!(run.wait(), Some(1));
    until("the server is gone", || processes::state(server).is_none());
    until("nothing is left", || {
        processes::with_command("server.pl").iter().all(|pid| !processes::of(place.path()).contains(pid))
    });
    // What the stop cut short goes on, with a server of its own.
    place.write("go", "");
    run.does("recover", &[]);
    assert_eq!(run.wait(), Some(0), "{}", run.status());
}

#[test]
fn verbs_know_a_service_by_its_name() {
    let place = place_with_server();
    place.write("open", "");
    let run = place.start(&sweep(LISTENS, 1, "parallel = 1"));
    until("it is connected", || is_connected(&place, "c1"));
    assert!(run.does("logs", &["server"]).stdout.contains("listening on"));
    let first = pid(&run, "server");
    run.does("restart", &["server"]);
    until("another server runs", || phase(&run, "server") == "ready" && pid(&run, "server") != first);
    until("its shard runs again", || {
        run.shard("c1")["attempt"] == 2 && run.shard("c1")["phase"] == "running"
    });
    run.does("kill", &["server"]);
    assert_eq!(run.wait(), Some(1), "nothing goes on without it: {}", run.status());
    assert_eq!(phase(&run, "server"), "failed");
    assert_eq!(run.count("queued"), 1);
    let refused = run.sweepdeck("restart", &["c1"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    place.write("go", "");
    run.does("restart", &["--failed"]);
    assert_eq!(run.wait(), Some(0), "{}", run.status());
}

#[test]
fn check_shows_services() {
    let place = Place::new();
    place.write("sweep.toml", &sweep(&format!("{LISTENS}\nper = 'gpu'\nserves = 3"), 1, ""));
    let checked = place.sweepdeck(&["check", "sweep.toml"]);
    let line = "service server: one per GPU, serves 3 shards at a time, ready when its port is open: \
                perl server.pl {{ port }} echo\n";
    assert!(checked.stdout.contains(line), "{checked:?}");
    let document: Value =
        serde_json::from_str(&place.sweepdeck(&["check", "sweep.toml", "--json"]).stdout).expect("JSON");
    assert_eq!(document["services"][0]["per"], "gpu");
}
