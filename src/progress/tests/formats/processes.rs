//! Logs of processes that share the work between them and name themselves on each line.

use crate::progress::tests::any_cut::summary;

#[test]
fn an_environment_that_is_over_is_one_of_those_that_were_announced() {
    let environment = |rank: u64, n: u64| {
        format!(
            "[INFO] rank={rank}/8 ({n}/3) suite=ten env=sim/pot_{n}\n\
             Running collecting 1 episodes for sim/pot_{n} with 1 vec envs\nCollecting 1 episodes took 48.6 seconds\n\
             [RESULT] task=pot_{n} success=1/1 rate=100.0\n"
        )
    };
    let two = environment(0, 1) + &environment(0, 2);
    assert_eq!(summary(&two), ("groot".into(), Some(2), Some(3), "incomplete"));
    assert_eq!(summary(&(two.clone() + &environment(0, 3))).3, "succeeded");
    assert_ne!(summary(&(two + &environment(1, 3))).3, "succeeded", "the other rank is still at its second");
}
