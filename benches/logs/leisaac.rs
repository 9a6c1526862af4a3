//! An evaluation with LeIsaac: three lines an episode.

/// One episode.
pub fn piece(log: &mut String, episode: u64) {
    let (number, successes) = (episode + 1, episode / 2);
    log.push_str(&format!(
        "[Evaluation] Evaluating episode {number}...\r\n[Evaluation] Episode {number} timed out!\r\n\
         [Evaluation] now success rate: 0.49  [{successes}/{number}]\r\n"
    ));
}
