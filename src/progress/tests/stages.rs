//! What a program is at, from its start to its end.

use std::sync::Arc;

use crate::model::logs::mark::MarkKind;
use crate::model::logs::stage::Stage;
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;

/// The stages in their order.
fn stages(log: &str) -> Vec<String> {
    let mut reader = LogReader::new(Arc::new(LogRules::preset("auto").unwrap()));
    let mut marks = Vec::new();
    reader.feed(log.as_bytes(), &mut marks);
    reader.finish(&mut marks);
    let stages: Vec<Stage> = marks
        .into_iter()
        .filter_map(|(_, kind)| if let MarkKind::Stage(stage) = kind { Some(stage) } else { None })
        .collect();
    assert_eq!(reader.reading().stage.as_ref(), stages.last());
    stages.iter().map(ToString::to_string).collect()
}

#[test]
fn stages_follow_one_another_until_the_work_begins_and_when_it_ends() {
    let log = "\
[2.0s] Simulation App Starting\n\
[9.1s] [ext: omni.a-1.0] startup\n\
[9.2s] [ext: omni.b-1.0] startup\n\
[9.3s] app ready\n\
Module a b046253 load on device 'cuda:0' took 168.19 ms  (compiled)\n\
Episode 1/3 success=1\n\
Loading checkpoint of the next opponent\n\
Episode 2/3 success=1\n\
Module c b046253 load on device 'cuda:0' took 168.19 ms  (compiled)\n\
Episode 3/3 success=1\n\
Exiting (skipping SimulationApp.close to avoid GPU hang).\n";
    assert_eq!(
        stages(log),
        [
            "starting: Isaac Sim",
            "starting: extensions of Isaac Sim",
            "starting: Isaac Sim ready",
            "compiling: Warp kernels",
            "running",
            "compiling: Warp kernels",
            "running",
            "closing: Isaac Sim",
        ]
    );
}

#[test]
fn a_bar_that_stands_at_nothing_does_not_hide_what_is_compiled_before_its_first_step() {
    let log = "Evaluating:   0%|    | 0/4 [00:00<?, ?it/s]\nCapturing CUDA graphs\n\
Evaluating:  25%|█   | 1/4 [00:09<00:27,  9.1s/it]\n";
    assert_eq!(stages(log), ["running", "compiling: CUDA graphs", "running"]);
}

#[test]
fn a_program_that_closes_one_simulator_may_start_another() {
    let log = "Episode 1/3 success=1\nSimulation App Shutting Down\nSimulation App Starting\n";
    assert_eq!(stages(log), ["running", "closing: Isaac Sim", "starting: Isaac Sim"]);
}
