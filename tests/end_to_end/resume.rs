//! An attempt that stops before it is done is continued by the next one, and no episode is run or counted twice.

use rustix::process::Signal;

use crate::harness::place::Place;
use crate::harness::processes;
use crate::harness::wait::until;

/// Ten episodes, each a row of `rows.jsonl`. The first attempt stops with the fourth episode, in the middle of a row.
const CONTINUED_ELSEWHERE: &str = r#"
name = "continued"
[matrix]
env = ["stairs"]
[shard]
id = "{{ env }}"
command = """
first={{ shard.first }}
{% if previous %}first=$(grep -c success {{ previous.out }}/rows.jsonl){% endif %}
echo "attempt {{ attempt }} after '{{ previous.attempt | default("none") }}' begins with $first" >> starts
left=$(( {{ shard.episodes }} - first ))
for done in $(seq 1 $left); do
  episode=$((first + done - 1))
  if [ {{ attempt }} = 1 ] && [ $episode = 4 ]; then
    printf '{"episode": 4, "suc' >> {{ out }}/rows.jsonl; exit 7
  fi
  echo $episode >> ran
  echo "{\\\"episode\\\": $episode, \\\"success\\\": true}" >> {{ out }}/rows.jsonl
  echo "Episode $done/$left success=1"
  if [ {{ attempt }} = 2 ]; then until [ -e go ]; do sleep 0.05; done; fi
done"""
[episodes]
total = 10
shards = 1
[progress]
done = 'Episode (?<done>\d+)/(?<total>\d+)'
[results]
file = "{{ out }}/rows.jsonl"
merge = "jsonl"
[schedule]
retries = 1
"#;

fn lines(place: &Place, name: &str) -> Vec<String> {
    place.read(name).unwrap_or_default().lines().map(str::to_owned).collect()
}

fn all_once() -> Vec<String> {
    (0..10).map(|episode: u32| episode.to_string()).collect()
}

#[test]
fn what_an_attempt_finished_counts_and_the_merge_takes_both_parts() {
    let place = Place::new();
    let run = place.start(CONTINUED_ELSEWHERE);
    until("the second attempt counts on", || run.shard("stairs_0of1")["progress"]["done"] == 5);
    assert_eq!(run.shard("stairs_0of1")["progress"]["total"], 10);
    // Whoever takes over knows what the first attempt had done.
    let supervisor = run.supervisor().expect("a supervisor");
    processes::signal(supervisor, Signal::KILL);
    until("another one has taken over", || run.supervisor().is_some_and(|new| new != supervisor));
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    let shard = run.shard("stairs_0of1");
    assert_eq!((&shard["phase"], &shard["attempt"]), (&"succeeded".into(), &2.into()), "{shard}");
    assert_eq!(shard["progress"]["done"], 10, "{shard}");
    assert_eq!(
        lines(&place, "starts"),
        ["attempt 1 after 'none' begins with 0", "attempt 2 after '1' begins with 4"]
    );
    assert_eq!(lines(&place, "ran"), all_once(), "no episode twice");
    let merged = lines(&place, "r/results/rows.jsonl");
    let expected: Vec<String> =
        (0..10).map(|episode| format!("{{\"episode\": {episode}, \"success\": true}}")).collect();
    assert_eq!(merged, expected);
    let record = place.read("r/results/merged.json").expect("a record");
    assert!(
        record.contains("attempt-01/out/rows.jsonl") && record.contains("attempt-02/out/rows.jsonl"),
        "{record}"
    );
    let table = place.read("r/results/combined_results.csv").expect("a table");
    let header: Vec<&str> = table.lines().next().expect("a header").split(',').collect();
    let row: Vec<&str> = table.lines().nth(1).expect("a row").split(',').collect();
    let cell = |name: &str| row[header.iter().position(|column| *column == name).expect("a column")];
    assert_eq!((cell("episodes"), cell("successes")), ("10", "10"), "{table}");
}

/// The program keeps its results in one folder and looks there for what is done.
const CONTINUED_IN_PLACE: &str = r#"
name = "in_place"
[shard]
id = "s"
resume = true
command = """
touch {{ out }}/rows.jsonl
done=$(wc -l < {{ out }}/rows.jsonl)
echo "{{ attempt }} begins with $done" >> starts
while [ $done -lt 10 ]; do
  echo $done >> ran
  echo "{\\\"episode\\\": $done, \\\"success\\\": true}" >> {{ out }}/rows.jsonl
  done=$((done + 1))
  echo "Episode $done/10"
  if [ $((done % 4)) = 0 ]; then STOP; fi
done"""
[progress]
done = 'Episode (?<done>\d+)/(?<total>\d+)'
[results]
file = "{{ out }}/rows.jsonl"
merge = "jsonl"
[schedule]
timeout = "4s"
resume_after = ["timeout", "cancelled"]
grace = { interrupt = "1s", terminate = "1s" }
"#;

/// What a cluster's scheduler writes when it takes the machine back.
const PREEMPTED: &str = "echo 'slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO PREEMPTION ***'; kill -TERM $$";

#[test]
fn what_is_preempted_continues_in_the_same_folder() {
    let place = Place::new();
    let (ended, run) =
        place.run_headless(&CONTINUED_IN_PLACE.replace("STOP", PREEMPTED).replace("\"4s\"", "\"10m\""));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("s continues where it stopped"), "{ended:?}");
    assert_eq!(lines(&place, "starts"), ["1 begins with 0", "2 begins with 4", "3 begins with 8"]);
    assert_eq!(lines(&place, "ran"), all_once(), "no episode twice");
    let shard = run.shard("s");
    assert_eq!((&shard["progress"]["done"], &shard["attempt"]), (&10.into(), &3.into()), "{shard}");
    assert_eq!(lines(&place, "r/results/rows.jsonl").len(), 10);
    assert!(!run.dir.join("shards/s/attempt-02/out").exists(), "the folder is that of the first attempt");
}

#[test]
fn a_timeout_continues_by_choice() {
    let place = Place::new();
    let (ended, run) = place.run_headless(&CONTINUED_IN_PLACE.replace("STOP", "sleep 600"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(lines(&place, "ran"), all_once(), "no episode twice");
    assert_eq!(run.shard("s")["progress"]["done"], 10);
}

#[test]
fn one_that_gets_no_further_is_not_continued_for_ever() {
    let place = Place::new();
    let sweep = CONTINUED_IN_PLACE
        .replace("STOP", PREEMPTED)
        .replace("echo $done >> ran", &format!("[ $done != 4 ] || {{ {PREEMPTED}; }}"));
    let (ended, run) = place.run_headless(&sweep);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let shard = run.shard("s");
    assert_eq!((&shard["reason"], &shard["attempt"]), (&"cancelled".into(), &2.into()), "{shard}");
}

#[test]
fn check_shows_the_first_attempt_and_refuses_what_it_does_not_know() {
    let place = Place::new();
    place.write(
        "good.toml",
        "[shard]\ncommand = 'eval {% if previous %}--from {{ previous.out }} {% endif %}--try {{ attempt }} \
         --skip {{ previous.done | default(0) }}'\n",
    );
    let check = place.sweepdeck(&["check", "good.toml"]);
    assert!(check.stdout.contains("eval --try 1 --skip 0"), "{check:?}");
    place.write("bad.toml", "[shard]\ncommand = 'eval --from {{ previous.out }}'\n");
    let check = place.sweepdeck(&["check", "bad.toml"]);
    assert_eq!(check.code, Some(2), "{check:?}");
    assert!(check.stderr.contains("the first attempt has no `previous`"), "{check:?}");
    place.write("idle.toml", "[shard]\ncommand = 'eval'\n[schedule]\nresume_after = ['timeout']\n");
    let check = place.sweepdeck(&["check", "idle.toml"]);
    assert!(check.stderr.contains("the sweep does not say how"), "{check:?}");
}
