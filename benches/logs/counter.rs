//! Tasks that are counted at the start of a line, with their outcome, and four lines of their steps between two of them.

/// One task.
pub fn piece(log: &mut String, task: u64) {
    for step in (30..=120).step_by(30) {
        log.push_str(&format!(
            "  step  {step:>3}  reward -0.{:03}  distance 0.{:03} m  gripper open\r\n",
            (task * 7 + step) % 1000,
            (task * 13 + step) % 1000
        ));
    }
    let outcome = if task.is_multiple_of(3) { "FAIL" } else { "OK" };
    log.push_str(&format!("[{:>7}/5000000] stack_cubes_{}: {outcome}\r\n", task + 1, task % 40));
}
