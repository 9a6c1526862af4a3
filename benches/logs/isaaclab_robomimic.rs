//! A policy of robomimic played in Isaac Lab: two lines a trial.

/// One trial.
pub fn piece(log: &mut String, trial: u64) {
    let outcome = if trial.is_multiple_of(3) { "False" } else { "True" };
    log.push_str(&format!("[INFO] Starting trial {trial}\r\n[INFO] Trial {trial}: {outcome}\r\n\r\n"));
}
