//! Policies and runs that were evaluated on the same episodes, from the files and logs of real processes to every face.

use serde_json::Value;

use crate::harness::place::Place;

/// Forty episodes: the first policy fails in every fourth, the second also in every fifth and where `spoilt` says so.
const BY_FILE: &str = r#"
name = "p"
[matrix]
policy = ["good", "worse"]
env = ["lift", "push"]
[shard]
command = '''
for n in $(seq 1 40); do
  ok=true
  [ $((n % 4)) = 0 ] && ok=false
  [ {{ policy }} = worse ] && [ $((n % 5)) = 0 ] && ok=false
  [ -e spoilt ] && [ $((n % 7)) = 0 ] && ok=false
  echo "{\"episode\": $n, \"seed\": SEED, \"success\": $ok}" >> {{ out }}/episodes.jsonl
done
good=$(grep -c true {{ out }}/episodes.jsonl)
echo "{\"episodes\": 40, \"successes\": $good, \"complete\": true}" > {{ out }}/summary.json
'''
[results]
file = "{{ out }}/summary.json"
merge = "jsonl"
"#;

fn run(place: &Place, name: &str, sweep: &str) {
    place.write("sweep.toml", sweep);
    let ended = place.sweepdeck(&["run", "sweep.toml", "--headless", "--out", name]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

fn summary(place: &Place, name: &str) -> Value {
    let text = place.read(&format!("{name}/results/summary.json")).expect("a summary");
    serde_json::from_str(&text).expect("JSON")
}

fn of_policies(summary: &Value) -> Value {
    let all = summary["differences"].as_array().expect("a list");
    all.iter().find(|told| told["axis"] == "policy").expect("a difference").clone()
}

fn counts(design: &Value) -> [u64; 5] {
    ["pairs", "first_only", "second_only", "both", "neither"]
        .map(|name| design[name].as_u64().expect("a count"))
}

#[test]
fn policies_are_held_against_one_another_episode_by_episode_in_every_face() {
    let place = Place::new();
    run(&place, "r", &BY_FILE.replace("SEED", "7"));
    let told = of_policies(&summary(&place, "r"));
    assert_eq!(told["design"]["kind"], "paired", "{told}");
    // Of each 40 episodes 10 fail in both, and in the second policy alone 5, 10, 15, 25, 30 and 35.
    assert_eq!(counts(&told["design"]), [80, 0, 12, 48, 20], "worse less good: {told}");
    let sentence = "paired by 80 episodes: worse only 0, good only 12, both 48, neither 20";
    for file in ["r/results/report.html", "r/results/report.md"] {
        let text = place.read(file).expect("a report");
        assert!(text.contains(sentence), "{file}: {text}");
    }
    let again = place.sweepdeck(&["report", "r"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(of_policies(&summary(&place, "r")), told, "the journal alone tells it again");
}

#[test]
fn runs_are_held_against_one_another_by_seeds_and_say_where_these_differ() {
    let place = Place::new();
    run(&place, "r", &BY_FILE.replace("SEED", "7"));
    place.write("spoilt", "");
    run(&place, "s", &BY_FILE.replace("SEED", "7"));
    let text = place.sweepdeck(&["compare", "r", "s"]);
    assert!(text.stdout.contains("0 : 4 of 40") && text.stdout.contains("McNemar"), "{text:?}");
    let json = place.sweepdeck(&["compare", "r", "s", "--json"]);
    let document: Value = serde_json::from_str(&json.stdout).expect("JSON");
    let whole = &document["differences"][0];
    assert_eq!(whole["design"]["kind"], "paired", "{whole}");
    assert_eq!(whole["design"]["pairs"], 160);
    run(&place, "t", &BY_FILE.replace("SEED", "8"));
    let other = place.sweepdeck(&["compare", "r", "t", "--anyway"]);
    assert!(other.stdout.contains("unpaired, because the episodes had other seeds"), "{other:?}");
}

#[test]
fn a_log_tells_its_episodes_too() {
    let place = Place::new();
    let sweep = "name = \"l\"\n[matrix]\npolicy = [\"a\", \"b\"]\n[shard]\ncommand = \"\"\"\n\
        # --seed 3\n\
        for n in 1 2 3 4 5 6; do\n\
        echo Episode $n/6 reward=1.0 success=$(( {% if policy == 'a' %}n % 2{% else %}n % 3 == 1{% endif %} ))\n\
        done\"\"\"\n[progress]\npreset = \"episode\"\n";
    run(&place, "r", sweep);
    let told = of_policies(&summary(&place, "r"));
    // a: 1, 3, 5; b: 1, 4.
    assert_eq!(counts(&told["design"]), [6, 1, 2, 1, 2], "b less a: {told}");
    run(&place, "s", &sweep.replace("# --seed 3", "true"));
    assert_eq!(of_policies(&summary(&place, "s"))["design"]["why"], "seeds-unknown");
    run(
        &place,
        "t",
        &sweep
            .replace("# --seed 3", "true")
            .replace("[progress]", "[analysis]\npaired = \"by-number\"\n[progress]"),
    );
    assert_eq!(of_policies(&summary(&place, "t"))["design"]["kind"], "paired");
}

#[test]
fn training_seeds_are_clusters_by_their_name_or_by_the_word_of_the_sweep() {
    let place = Place::new();
    let sweep = "name = \"c\"\n[matrix]\nTRAINED = [16, 50, 84]\n[shard]\ncommand = \"\"\"\n\
        for n in $(seq 1 100); do echo Episode $n/100 success=$(( n <= {{ TRAINED }} )); done\"\"\"\n\
        [progress]\npreset = \"episode\"\n";
    run(&place, "r", &sweep.replace("TRAINED", "train_seed"));
    let told = summary(&place, "r");
    let clusters = &told["headline"]["clusters"];
    assert_eq!((&clusters["clusters"], &told["clusters"]["named_by"]), (&3.into(), &"name".into()), "{told}");
    assert!((clusters["deviation"].as_f64().expect("a spread") - 0.34).abs() < 1e-9, "{clusters}");
    let interval = &told["headline"]["interval_95"];
    assert_eq!((interval["low"].as_f64(), interval["high"].as_f64()), (Some(0.0), Some(1.0)), "{interval}");
    let report = place.read("r/results/report.md").expect("a report");
    assert!(report.contains("150/300 50.0 % [0.0, 100.0], 3 clusters from 16 to 84 %"), "{report}");
    assert!(report.contains("counts as repeated training by its name"), "{report}");
    run(&place, "s", &(sweep.replace("TRAINED", "ckpt") + "[analysis]\nclusters = [\"ckpt\"]\n"));
    assert_eq!(summary(&place, "s")["headline"]["clusters"]["clusters"], 3);
    run(&place, "t", &(sweep.replace("TRAINED", "train_seed") + "[analysis]\nclusters = []\n"));
    assert_eq!(summary(&place, "t")["headline"]["clusters"], Value::Null);
}
