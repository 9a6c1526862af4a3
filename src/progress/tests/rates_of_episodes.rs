//! Lines about single episodes in many notations: the rate of success that comes of them is right, or there is none.

use super::any_cut::metrics;

/// Notations that give the outcome: `{i}` is the number of the episode, `{success}` its outcome as a word, `{True}` as an
/// answer, `{1}` as a number, `{all}` how many succeeded so far, `{lost}` how many did not.
const READ: [&str; 16] = [
    "Episode {i}/5: {success}",
    "Trial {i}: {success}",
    "Rollout {i}: success={1} steps=30",
    "Episode {i}/5 done. Success: {True}",
    "Episode {i}: reward 0.5, is_success {True}",
    "Episode {i}: success ({True})",
    "Episode {i}: success is {True}",
    "Episode {i}: task failed={0} success={1}",
    "{\"episode\": {i}, \"success\": {true}}",
    "episode {i}: {'success': {1}, 'spl': 0.5}",
    "Episode {i} success {all}/{i}",
    "Episode {i}: success: {all}/{i}",
    "Episode {i}/5: {success}, success {all}/{i}",
    "Episode {i}: {success}, total {all}/{i}",
    "Episode {i} done: success={1}, successes={all}",
    "Episode {i}/5 solved {all}/{i}",
];

/// Notations that a reader may take for outcomes, and that are none or not clear.
const UNCLEAR: [&str; 14] = [
    "Trial {i}: succeeded {all}/{i}",
    "Task {i}/5: {all}/{i} success",
    "Episode {i} done, success so far: {all}/{i}",
    "Episode {i}: success count {all}",
    "Episode {i}/5: successes: {all}",
    "Episode {i}/5: successes: {1}",
    "Episode {i}: success {all} fail {lost}",
    "Episode {i}: success: {all}, fail: {lost}",
    "Episode {i}/5: success={all} failed={lost}",
    "Episode {i}: {all} success, {lost} failure",
    "Episode {i}/5: {all} out of {i} succeeded",
    "Episode {i}: did not succeed",
    "Episode {i}/5: not successful",
    "Episode {i}/5: unsuccessful",
];

fn log_of(notation: &str, outcomes: &[bool]) -> String {
    let mut all = 0;
    let lines = outcomes.iter().zip(1..).map(|(is_success, number)| {
        all += u32::from(*is_success);
        let word = if *is_success { "success" } else { "failure" };
        let answer = if *is_success { "True" } else { "False" };
        notation
            .replace("{i}", &number.to_string())
            .replace("{success}", word)
            .replace("{True}", answer)
            .replace("{true}", &answer.to_lowercase())
            .replace("{1}", &u32::from(*is_success).to_string())
            .replace("{0}", &u32::from(!is_success).to_string())
            .replace("{all}", &all.to_string())
            .replace("{lost}", &(number - all).to_string())
            + "\n"
    });
    lines.collect()
}

#[test]
fn no_notation_gives_a_wrong_rate_of_success() {
    for outcomes in [
        [true, false, false, true, false],
        [true, false, false, false, false],
        [false, false, true, false, false],
        [false; 5],
        [true, true, true, true, false],
    ] {
        let rate = outcomes.iter().filter(|is_success| **is_success).count() as f64 / 5.0;
        for notation in READ {
            assert_eq!(
                metrics(&log_of(notation, &outcomes))["success_rate"],
                rate,
                "{notation}: {outcomes:?}"
            );
        }
        for notation in UNCLEAR {
            let read = metrics(&log_of(notation, &outcomes))["success_rate"].as_f64();
            assert!(read.is_none_or(|read| read == rate), "{notation}: {read:?} of {outcomes:?}");
        }
    }
}
