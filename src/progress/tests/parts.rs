//! Parts of the work, such as folds: what is counted below the heading of one is only its own.

use super::any_cut::{read, summary};

#[test]
fn all_of_a_part_is_not_all_of_the_work() {
    const LOOPS: [(&str, fn(u32) -> String); 4] = [
        ("epochs", |i| format!("Epoch {i}/10 - loss: 0.{i}\n")),
        ("episodes", |i| format!("Episode {i}/10: reward {i}.5 success True\n")),
        ("iterations", |i| format!("Iteration {i}/10 reward={i}.1\n")),
        ("ML epochs", |i| format!("Epoch [{i}/10], Loss: 0.{i}\n")),
    ];
    for (name, line) in LOOPS {
        let part: String = (1..=10).map(line).collect();
        for heading in [
            "Trial 1/5",
            "Fold 1 of 5",
            "[1/5] Training seed 0",
            "Stage 1/2",
            "5-fold cross-validation\nFold 1",
        ] {
            let log = format!("Loading data\n{heading}\n{part}");
            assert_ne!(summary(&log).3, "succeeded", "{heading} of {name}");
            let said = format!("{log}Training complete\n");
            assert_ne!(summary(&said).3, "succeeded", "{heading} of {name}, with words");
        }
        let last = format!("Loading data\nFold 1/2\n{part}Fold 2/2\n{part}");
        assert_eq!(read(&last).open_part, None, "the last part of {name}");
    }
}
