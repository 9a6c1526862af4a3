//! A training with a script of CleanRL: an episode's end a line, and now and then the speed.

/// Three episodes and the speed.
pub fn piece(log: &mut String, piece: u64) {
    for episode in 0..3 {
        let step = 1000 * piece + 300 * episode;
        log.push_str(&format!("global_step={step}, episodic_return=[{}.{}]\n", piece % 500, episode));
    }
    log.push_str(&format!("SPS: {}\n", 4000 + piece % 1000));
}
