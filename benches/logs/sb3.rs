//! A training with Stable-Baselines3: a table every few thousand timesteps.

/// One table.
pub fn piece(log: &mut String, number: u64) {
    let dashes = "-".repeat(41);
    log.push_str(&format!("{dashes}\r\n| rollout/                |             |\r\n"));
    let rows = [
        ("ep_len_mean", format!("{}", 100 + number % 400)),
        ("ep_rew_mean", format!("{}.5", number % 2000)),
        ("success_rate", format!("0.{}", number % 97)),
    ];
    rows.iter().for_each(|(name, value)| log.push_str(&format!("|    {name:<20} | {value:<11} |\r\n")));
    log.push_str("| time/                   |             |\r\n");
    let rows = [
        ("fps", format!("{}", 1000 + number % 300)),
        ("iterations", format!("{number}")),
        ("time_elapsed", format!("{}", 2 * number)),
        ("total_timesteps", format!("{}", 2048 * number)),
    ];
    rows.iter().for_each(|(name, value)| log.push_str(&format!("|    {name:<20} | {value:<11} |\r\n")));
    log.push_str("| train/                  |             |\r\n");
    let names = [
        "approx_kl", "clip_fraction", "clip_range", "entropy_loss", "explained_variance", "learning_rate",
        "loss", "n_updates", "policy_gradient_loss", "std", "value_loss",
    ];
    names.iter().for_each(|name| log.push_str(&format!("|    {name:<20} | 0.0{:<8} |\r\n", number % 1000)));
    log.push_str(&format!("{dashes}\r\n"));
}
