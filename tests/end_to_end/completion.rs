//! Completion in a shell, asked as a shell asks, and the man pages.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::harness::place::{Ended, PROGRAM, Place};

const SWEEP: &str = "name = \"four\"\n[matrix]\npolicy = [\"flat\", \"rough\"]\nseed = [1, 2]\n[shard]\n\
    command = \"[ {{ policy }} = flat ]\"\n";

/// What bash offers for these words, of which the last is completed.
fn bash_offers(place: &Place, words: &[&str]) -> Vec<String> {
    let script = place.sweepdeck(&["completions", "bash"]).stdout;
    assert!(script.contains("complete -o bashdefault"), "{script}");
    let quoted: Vec<String> = words.iter().map(|word| shell_words::quote(word).into_owned()).collect();
    let line = format!(
        "{script}\nsweepdeck() {{ '{PROGRAM}' \"$@\"; }}\ncompopt() {{ :; }}\nCOMP_WORDS=({})\nCOMP_CWORD={}\n\
         _sweepdeck_complete\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        quoted.join(" "),
        words.len() - 1,
    );
    let mut command = in_place(place, "bash");
    command.args(["-c", &line]);
    let ended = Ended::of(&mut command);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended.stdout.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// A program in the folder and with the state of the place.
fn in_place(place: &Place, program: &str) -> Command {
    let template = place.command(&[]);
    let mut command = Command::new(program);
    command.current_dir(place.path());
    for (name, value) in template.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

#[test]
fn runs_shards_axes_and_values_are_looked_up_when_a_shell_asks() {
    let place = Place::new();
    place.write("sweep.toml", SWEEP);
    let offers = |words: &[&str]| bash_offers(&place, words);
    assert_eq!(offers(&["sweepdeck", "kill", ""]).iter().filter(|word| !word.starts_with('-')).count(), 0);
    place.sweepdeck(&["run", "sweep.toml", "--headless", "--out", "night"]);

    let runs = offers(&["sweepdeck", "attach", "four"]);
    assert!(matches!(&runs[..], [only] if only.starts_with("four-")), "{runs:?}");
    let run = runs[0].as_str();
    assert_eq!(offers(&["sweepdeck", "logs", "rough"]), ["rough_1", "rough_2"]);
    assert_eq!(offers(&["sweepdeck", "requeue", run, "flat_1", "flat"]), ["flat_2"], "no shard twice");
    assert_eq!(offers(&["sweepdeck", "requeue", "--run", run, "flat_2"]), ["flat_2"]);
    assert!(offers(&["sweepdeck", "pause", "flat"]).is_empty(), "none is running");

    assert_eq!(offers(&["sweepdeck", "run", "sweep.toml", "--only", "pol"]), ["policy="]);
    assert_eq!(
        offers(&["sweepdeck", "run", "sweep.toml", "--only", "policy", "="]),
        ["flat", "rough"],
        "bash keeps what is left of the equals sign"
    );
    assert_eq!(offers(&["sweepdeck", "run", "--only", "policy", "=", "flat,seed", "="]), ["1", "2"]);
    assert_eq!(offers(&["sweepdeck", "run", "--only", "policy", "=", "flat,se"]), ["flat,seed="]);
    assert_eq!(offers(&["sweepdeck", "run", "--only", "flat_1,r"]), ["flat_1,rough_1", "flat_1,rough_2"]);
    assert_eq!(offers(&["sweepdeck", "requeue", "flat_1", "--set", "seed", "=", "2"]), ["2"]);
    assert_eq!(offers(&["sweepdeck", "add", "see"]), ["seed="]);
    assert_eq!(offers(&["sweepdeck", "run", "swe"]), ["sweep.toml"]);
    assert_eq!(offers(&["sweepdeck", "scan", "--preset", "rsl"]), ["rsl-rl"]);
}

#[test]
fn internal_verbs_are_not_offered() {
    let place = Place::new();
    for (word, visible) in [("sup", false), ("ho", false), ("requ", true)] {
        let offered = bash_offers(&place, &["sweepdeck", word]);
        assert_eq!(!offered.is_empty(), visible, "{word}: {offered:?}");
    }
    let all: BTreeSet<String> = bash_offers(&place, &["sweepdeck", ""]).into_iter().collect();
    assert!(all.contains("run") && !all.contains("hold"), "{all:?}");
}

#[test]
fn scripts_of_the_other_shells_ask_the_program() {
    let place = Place::new();
    for shell in ["elvish", "fish", "powershell", "zsh"] {
        let script = place.sweepdeck(&["completions", shell]);
        assert_eq!(script.code, Some(0), "{script:?}");
        assert!(script.stdout.contains("SWEEPDECK_COMPLETE"), "{shell}: {}", script.stdout);
    }
    let mut fish = place.command(&["--", "sweepdeck", "requ"]);
    let answer = Ended::of(fish.env("SWEEPDECK_COMPLETE", "fish"));
    assert!(answer.stdout.starts_with("requeue\tPut ended shards back"), "{answer:?}");
}

#[test]
fn there_is_a_man_page_for_each_verb_of_the_help() {
    let place = Place::new();
    let written = place.sweepdeck(&["man", "pages/man1"]);
    assert_eq!(written.code, Some(0), "{written:?}");
    let entries = fs::read_dir(place.path().join("pages/man1")).expect("the folder of the pages");
    let pages: BTreeSet<String> =
        entries.map(|entry| entry.expect("a page").file_name().to_string_lossy().into_owned()).collect();
    let help = place.sweepdeck(&["--help"]).stdout;
    let verbs = help.split("Commands:").nth(1).and_then(|rest| rest.split("Options:").next());
    let verbs = verbs.expect("a list of verbs").lines().filter(|line| line.starts_with("  "));
    // Names are two columns in; descriptions that wrap are further in.
    let verbs =
        verbs.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    let expected: BTreeSet<String> = verbs.map(|verb| format!("sweepdeck-{verb}.1")).collect();
    assert!(expected.len() > 30, "{expected:?}");
    let missing: Vec<_> = expected.difference(&pages).collect();
    assert!(missing.is_empty(), "without a page: {missing:?}");
    assert!(pages.contains("sweepdeck.1"), "{pages:?}");
}
