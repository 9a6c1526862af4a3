//! Rollouts of GR00T: the bar of the episodes, one environment after the other.

/// One episode, the fiftieth of them the last of its environment.
pub fn piece(log: &mut String, number: u64) {
    let (environment, done) = (number / 50, number % 50 + 1);
    if done == 1 {
        log.push_str(&format!(
            "Running collecting 50 episodes for gr1_unified/Task{environment}_Env with 8 vec envs\n"
        ));
    }
    log.push_str(&format!(
        "\rEpisodes: {:>3}%|{:<10}| {done}/50 [{:02}:{:02}<13:02, 16.2s/it]",
        2 * done,
        "█".repeat(done as usize / 5),
        done / 4,
        done % 60
    ));
    if done == 50 {
        let list = "True, False, ".repeat(24) + "True, False";
        log.push_str(&format!(
            "\nCollecting 50 episodes took 812.4 seconds\nresults:  ('gr1_unified/Task{environment}_Env', [{list}], {{}})\n\
             success rate:  0.5\n"
        ));
    }
}
