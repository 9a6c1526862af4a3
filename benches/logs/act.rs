//! Evaluations of ACT, one checkpoint after the other.

/// One rollout, the fiftieth of them the last of its checkpoint.
pub fn piece(log: &mut String, number: u64) {
    let of_checkpoint = number % 50;
    let reward = number % 5;
    log.push_str(&format!(
        "Rollout {of_checkpoint}\nepisode_return={}, episode_highest_reward={reward}, env_max_reward=4, Success: {}\n",
        reward * 70,
        if reward == 4 { "True" } else { "False" }
    ));
    if of_checkpoint == 49 {
        log.push_str("\nSuccess rate: 0.2\nAverage return: 140.0\n\n");
        for least in 0..5 {
            let reached = 50 - 10 * least;
            log.push_str(&format!("Reward >= {least}: {reached}/50 = {}.0%\n", 2 * reached));
        }
        log.push_str("\npolicy_best.ckpt: success_rate=0.2 avg_return=140.0\n");
    }
}
