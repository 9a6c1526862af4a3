//! Evaluators that print `Episode 3/100 reward=12.3 length=200 success=1`.

use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use crate::progress::format::{Format, Look, Notes, Preset, Rank};
use crate::progress::number::{leading_f64, leading_u64};

/// `Episode 3/100`, with any of `reward=`, `length=` or `len=`, and `success=` behind it.
pub const PRESET: Preset = Preset {
    name: "episode",
    unit: "episodes",
    rank: Rank::Manner,
    needles: &["Episode ", "episode "],
    begin: || Box::new(Episodes::default()),
};

static EPISODE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)(?:^|[\s\]:|])[Ee]pisode\s+(?<done>\d+)\s*(?:/|of)\s*(?<total>\d+)(?:\D|$)")
        .expect("a constant pattern")
});

static VALUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)\b(?<name>reward|return|length|len|success)\s*[=:]\s*(?<value>[-+.\w]+)")
        .expect("a constant pattern")
});

#[derive(Debug, Default)]
struct Episodes {
    episodes: u64,
    successes: Mean,
    reward: Mean,
    length: Mean,
}

#[derive(Debug, Default, Clone, Copy)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Format for Episodes {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> Look {
        let Some(found) = EPISODE.captures(line) else { return Look::Foreign };
        let (Some((done, _)), Some((total, _))) = (leading_u64(&found["done"]), leading_u64(&found["total"]))
        else {
            return Look::Foreign;
        };
        self.episodes += 1;
        notes.progress(done, Some(total));
        notes.metric("episodes", self.episodes as f64);
        for value in VALUE.captures_iter(line) {
            self.value(&value, notes);
        }
        Look::Typical
    }
}

impl Episodes {
    fn value(&mut self, found: &Captures<'_>, notes: &mut Notes) {
        let Some(value) = truth_or_number(&found["value"]) else { return };
        match &found["name"] {
            b"reward" | b"return" => notes.metric("mean_reward", self.reward.take(value)),
            b"length" | b"len" => notes.metric("mean_length", self.length.take(value)),
            // A share such as `success=0.22` tells of many episodes, not of this one.
            _ if value != 0.0 && value != 1.0 => {}
            _ => {
                let rate = self.successes.take(value);
                notes.metric("successes", self.successes.sum);
                notes.metric("success_rate", rate);
            }
        }
    }
}

impl Mean {
    fn take(&mut self, value: f64) -> f64 {
        self.sum += value;
        self.count += 1;
        self.sum / self.count as f64
    }
}

fn truth_or_number(text: &[u8]) -> Option<f64> {
    match text {
        b"True" | b"true" | b"yes" => Some(1.0),
        b"False" | b"false" | b"no" => Some(0.0),
        number => leading_f64(number),
    }
}
