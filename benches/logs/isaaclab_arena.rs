//! An evaluation with Isaac Lab-Arena: its announcement, then a bar of episodes and the metrics after each of them.

/// One episode.
pub fn piece(log: &mut String, episode: u64) {
    const EPISODES: u64 = 5_000_000;
    if episode == 0 {
        log.push_str("[Rank 0/1] Simulation length: 5000000 episodes\r\n[Rank 0/1] Starting rollout (5000000 episodes)\r\n");
    }
    let (percent, blocks) = (100 * episode / EPISODES, "█".repeat(10));
    log.push_str(&format!(
        "Resetting policy for terminated env_ids: tensor([0], device='cuda:0') and truncated env_ids: tensor([])\r\n\
         [Rank 0/1] Metrics: {{'success_rate': 0.{:02}, 'num_episodes': {}}}\r\n\
         \rEpisodes: {percent:>3}%|{blocks}| {}/{EPISODES} [00:41<12:59,  3.{}s/episode]",
        episode % 100,
        episode + 1,
        episode + 1,
        episode % 10
    ));
}
