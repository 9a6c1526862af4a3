//! What stands in a command arrives in the shell as it was written.

use crate::harness::place::Place;

#[test]
fn shell_text_passes_the_templates_unharmed() {
    let place = Place::new();
    let (ended, _) = place.run_headless(
        r#"
name = "shell"
[matrix]
n = [1]
[shard]
command = '''
a=(one two three)
{
  echo "${#a[@]}"
  f=eval.py; echo "${f%.py}" "${f#eval}"
  printf '1 2\n3 4\n' | awk '{ s += $2 } END { print s }'
  echo '{"a": {"b": [1, 2]}}'
  echo {{ 3 + n % 4 }}
  echo '{% raw %}{{ n }}{% endraw %}'
} > shell-said
'''
"#,
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(
        place.read("shell-said").as_deref(),
        Some("3\neval .py\n6\n{\"a\": {\"b\": [1, 2]}}\n4\n{{ n }}\n")
    );
}

#[test]
fn a_list_runs_without_a_shell_so_no_value_can_inject() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "name = \"list\"\n[matrix]\nvalue = [\"$(touch injected); echo\"]\n[shard]\nid = \"only\"\n\
         command = [\"printf\", \"<%s>\", \"{{ value }}\"]\n",
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(run.log("only", 1), "<$(touch injected); echo>");
    assert_eq!(place.read("injected"), None);
}

#[test]
fn a_value_that_a_shell_would_take_apart_is_refused_with_a_way_out() {
    let place = Place::new();
    place.write(
        "sweep.toml",
        "name = \"s\"\n[matrix]\nvalue = [\"a b\"]\n[shard]\nid = \"only\"\ncommand = \"echo {{ value }}\"\n",
    );
    let checked = place.sweepdeck(&["check", "sweep.toml"]);
    assert_eq!(checked.code, Some(2), "{checked:?}");
    assert!(checked.stderr.contains("| q"), "{checked:?}");
}

#[test]
fn every_attempt_knows_its_run_its_shard_and_its_own_folder() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "name = \"env\"\n[resources]\ncpus = 3\n[shard]\nid = \"only\"\n\
         command = \"\"\"echo $SWEEPDECK_RUN $SWEEPDECK_SHARD $SWEEPDECK_ATTEMPT $OMP_NUM_THREADS > {{ out }}/env; tty\"\"\"\n",
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let env =
        std::fs::read_to_string(run.dir.join("shards/only/attempt-01/out/env")).expect("its own folder");
    assert_eq!(env, format!("{} only 1 3\n", run.dir.canonicalize().expect("it is there").display()));
    assert!(run.log("only", 1).contains("/dev/pts/"), "it runs on a terminal");
}

#[test]
fn loops_within_loops_end_and_are_refused() {
    let place = Place::new();
    let counts = "{% for a in range(10000) %}{% for b in range(10000) %}{% for c in range(10000) %}x\
                  {% endfor %}{% endfor %}{% endfor %}";
    place.write("sweep.toml", &format!("name = \"loops\"\n[shard]\ncommand = \"echo {counts}\"\n"));
    let refused = place.sweepdeck(&["check", "sweep.toml"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("takes too many steps"), "{refused:?}");
}
