//! Steps of a whole training next to another count: `Iter 12 | Steps 96000 | reward 3.1`. Settings give their total more
//! often than that of the iterations.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::progress::text::number::{leading_grouped, leading_u64};
use crate::progress::text::word::{is_name_byte, is_one_of};

/// Both `step` and `Step`.
static WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("tep"));

/// Words that may come before it, or be joined with it: they say that all steps are counted.
const OF_ALL: [&str; 7] = ["total", "env", "environment", "global", "num", "train", "training"];

/// Steps that grow with the lines.
#[derive(Debug, Clone, Copy, Default)]
pub struct StepsBeside {
    newest: Option<u64>,
    grown: u32,
    stride: u64,
    /// They fell once: they count something smaller.
    is_other: bool,
}

/// How many steps are done, and at most how many more come with the next line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepsDone {
    /// As the line says.
    pub done: u64,
    /// The most between two lines.
    pub stride: u64,
}

impl StepsBeside {
    /// Takes the text behind another count, and returns the steps on it once they have grown with it.
    pub fn take(&mut self, behind: &[u8]) -> Option<StepsDone> {
        let done = steps_on(behind).filter(|_| !self.is_other)?;
        match self.newest.replace(done) {
            Some(before) if done > before => {
                (self.grown, self.stride) = (self.grown + 1, self.stride.max(done - before));
            }
            Some(before) => self.is_other = done < before,
            None => {}
        }
        (self.grown > 1 && !self.is_other).then_some(StepsDone { done, stride: self.stride })
    }
}

/// Returns the number behind such a word.
fn steps_on(text: &[u8]) -> Option<u64> {
    WORD.find_iter(text).find_map(|at| {
        let start = text[..at].iter().rposition(|byte| !is_name_byte(*byte)).map_or(0, |before| before + 1);
        let length = text[start..].iter().take_while(|byte| is_name_byte(**byte)).count();
        let (name, behind) = text[start..].split_at(length);
        let mut parts = name.split(|byte| *byte == b'_');
        let is_step = |part: &[u8]| is_one_of(part, &["step", "steps", "timestep", "timesteps"]);
        let counts_all = parts.all(|part| is_step(part) || is_one_of(part, &OF_ALL));
        let stands_alone = || {
            let before = text[..start].trim_ascii_end();
            let letters = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
            letters == 0 || is_one_of(&before[before.len() - letters..], &OF_ALL)
        };
        let signs = behind.iter().take_while(|byte| b" \t:=".contains(byte)).count();
        let value = &behind[signs..];
        let (number, rest) = leading_grouped(value).or_else(|| leading_u64(value))?;
        let ends = rest.first().is_none_or(|byte| b" ,;|)]\t".contains(byte));
        let has_total = rest.trim_ascii_start().starts_with(b"/");
        ((1..=12).contains(&signs) && counts_all && stands_alone() && ends && !has_total).then_some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_all_are_told_from_others() {
        for (line, steps) in [
            (" | Steps 10368000 | Pools h=30", Some(10_368_000)),
            (", timesteps=96,000, reward 3", Some(96_000)),
            (" total_steps: 4096", Some(4096)),
            (" env steps 300", Some(300)),
            (" episode steps 300", None),
            (" steps per second: 300", None),
            (" eval_steps: 300", None),
            (" step 3/100", None),
            (" steps 1.5M", None),
        ] {
            assert_eq!(steps_on(line.as_bytes()), steps, "{line}");
        }
    }

    #[test]
    fn steps_that_fall_or_stay_are_settings_or_lengths() {
        let newest = |all: &[u64]| {
            let mut steps = StepsBeside::default();
            all.iter()
                .map(|steps| format!(" steps {steps}"))
                .fold(None, |_, line| steps.take(line.as_bytes()))
        };
        assert_eq!(newest(&[100, 200, 350]), Some(StepsDone { done: 350, stride: 150 }));
        assert_eq!((newest(&[100, 200]), newest(&[64, 64, 64])), (None, None));
        assert_eq!(newest(&[100, 200, 350, 120, 400, 500]), None);
    }
}
