//! Tests that keep this machine where all others run on a node, each with the reason.

const PARTS: &str = "names parts of packs by their sequence, and nodes name them by their first values";

/// Beginnings of names of tests, with what they look at that a node has elsewhere.
const LOCAL: &[(&str, &str)] = &[
    (
        "admission::no_card_is_promised_twice",
        "asks that two shards of a tenth of a second meet on a card, of which a node has too few in hand",
    ),
    (
        "admission::two_runs_that_start_at_the_same_moment",
        "asks why the sixth shard waits: a node that has not begun has four in hand, and the others wait for it",
    ),
    (
        "answers::a_sweep_that_cannot_work",
        "another shard may be on its way to a node that gives back what fails",
    ),
    ("auto_packs::values_of_two_axes", PARTS),
    ("autotune::memory_that_is_free", "compares the copy of a sweep to which a node was added"),
    ("bills::a_lost_attempt", "changes files of the attempt while it runs, in the folder of the run itself"),
    ("bounds::", "the limits of the machine of the run are not those of its nodes"),
    ("clock::", "each machine goes by a clock of its own"),
    ("crash::", "kills and counts the processes that serve the run itself"),
    ("damage::", "damages the files of the run itself"),
    ("developer_log::", "reads what the processes of the run itself have logged"),
    ("gpu_choice::", "the GPUs of a node are those of `devices` in its `[[nodes]]`"),
    ("hooks::the_first_failure", "ends at a node are read once a second, so that two of them come together"),
    ("keepers::", "kills and counts the processes that serve the run itself"),
    ("merging::a_copied", "names files by the folder of the run, which are in that of the node"),
    ("messages::every_mistake_has", "names the machine that refuses, which is the node"),
    ("monitor::a_shard_and_a_stranger", "names the run of a process, which is that of the node"),
    ("neighbours::nothing_starts", "the budget of each GPU that `check` shows is that of this machine"),
    ("neighbours::what_other_users", "the budget of each GPU that `check` shows is that of this machine"),
    (
        "oom::shards_that_run_out_of_memory",
        "asks that eight shards of a second meet on a card, of which a node has four in hand",
    ),
    ("packs::a_pack_that_runs_out_of_memory", PARTS),
    ("packs::the_log_tells_each_value", PARTS),
    ("passing::", "takes descriptors away from the supervisor of the run itself"),
    ("private::an_order", "changes the order of an attempt in the folder of the run itself"),
    ("queueing::a_requeue_is_taken_back", "what was dealt may have started before it could be taken back"),
    ("replay::a_run_is_played", "plays a run of seconds, of which a node takes two to begin"),
    ("report::a_run_of_an_older", "removes the telemetry of the run itself"),
    ("report::files_of_shards", "names files by the folder of the run, which are in that of the node"),
    ("report::results_that_cannot", "writes to the folder of its run, which is that of the node"),
    ("salvage::", "damages the files of the run itself"),
    ("seeds::stress::", "writes to the folder of its run, which is that of the node"),
    ("slurm_jobs::", "the job is that of the machine of the run"),
    ("templates::every_attempt_knows", "names the folder of its run, which is that of the node"),
];

/// Why the test of that name runs on this machine; `None` for all that can run on a node.
pub fn reason_to_stay(test: &str) -> Option<&'static str> {
    LOCAL.iter().find(|(name, _)| test.starts_with(name)).map(|(_, reason)| *reason)
}
