//! The scheduler against a fake clock: scenarios as plain text with the decisions beside them, and properties.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod admission;
#[path = "../chaos/chance.rs"]
mod chance;
mod clock;
mod experience;
mod faulty;
mod forecast;
mod machine;
mod opening;
mod precedence;
mod print;
mod properties;
mod script;
mod simulation;
mod world;

use std::fmt::Write;
use std::path::Path;

use sweepdeck::model::state::fact::Event;
use sweepdeck::scheduler::run_end;

use crate::script::Step;

/// Plays a scenario and returns its lines with what was decided below each.
fn play(text: &str) -> String {
    let (mut world, lines) = script::set_up(text);
    let mut story = String::new();
    let mut shown = String::new();
    for line in lines {
        writeln!(story, "{line}").unwrap();
        match script::step(&mut world, line) {
            Step::Crash => world.crash(),
            Step::ResultsWritten => {
                if let Some(finished) = run_end::pending_end(&world.scheduler.policy, &world.state) {
                    let ended = Event::RunEnded { finished };
                    writeln!(story, "    fact  {}", print::event(&ended)).unwrap();
                    world.record(ended);
                }
            }
            Step::Decide(inputs) => {
                let decision = world.decide(&inputs);
                story += &print::decision(&decision);
                story += &print::waiting(&decision, &world.state);
            }
        }
        let state = print::state(&world.state);
        if state != shown {
            story += &state;
            shown = state;
        }
    }
    story
}

/// One test for each file `scenarios/NAME.txt`, compared with `scenarios/NAME.snap`.
macro_rules! scenarios {
    ($($name:ident)*) => {
        const SCENARIOS: &[&str] = &[$(stringify!($name)),*];
        $(#[test]
        fn $name() {
            let story = play(include_str!(concat!(stringify!($name), ".txt")));
            let mut settings = insta::Settings::clone_current();
            settings.set_snapshot_path(".");
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            settings.bind(|| insta::assert_snapshot!(stringify!($name), story));
        })*
    };
}

scenarios! {
    order order_failed parallel stagger cooldown warmup gpus
    learned
    vram vram_grows vram_untold vram_share components exclusive pack measured cores ram kept other_runs faults
    oom oom_alone oom_larger oom_unclaimed oom_foreign oom_host oom_without_gpu gpu_lost hold_combo hold_shard hold_run hold_unproven hold_proven hold_lifted hold_cancelled
    hold_codes
    pack_split pack_sizes pack_groups pack_auto pack_auto_grows
    retries lost unstarted timeout stall stall_shown compiling compiling_long asking
    pause kill requeue edit edit_vram undo undo_stopped priority reserve stop drain
    late crash end refusals decided allocation allocation_longer allocation_terminated
}

#[test]
fn every_scenario_file_is_played() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(SCENARIOS.contains(&name), "{name}.txt is not in the list of scenarios");
        }
    }
}
