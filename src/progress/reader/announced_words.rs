//! Totals in sentences: `Starting training for 2000000 timesteps`, `cloning 60 epochs`, `总迭代数: 182000`.

use crate::progress::text::find::find;
use crate::progress::text::number::leading_grouped;
use crate::progress::text::word::{is_name_byte, is_one_of};

/// Nouns with the units that formats count in.
const NOUNS: [(&str, &str); 12] = [
    ("episodes", "episodes"),
    ("epochs", "epochs"),
    ("epoch", "epochs"),
    ("iterations", "iterations"),
    ("iters", "iterations"),
    ("iter", "iterations"),
    ("updates", "updates"),
    ("generations", "generations"),
    ("games", "games"),
    ("trials", "trials"),
    ("timesteps", "steps"),
    ("steps", "steps"),
];

/// Words of sentences that announce all of the work: `Evaluating policy over 10 episodes.`
pub(super) const FOR_ALL: [&str; 6] = ["for ", "over ", "of ", "with ", "running ", "evaluating "];

/// Reads `2000000 timesteps` at the end of a sentence, before which no number may come: `3 of 10 episodes`.
pub(super) fn announced_in_a_sentence(before: &[u8], number: &[u8]) -> Option<(&'static str, u64)> {
    let (total, behind) = leading_grouped(number).or_else(|| whole(number))?;
    let behind = behind.trim_ascii_start();
    let length = behind.iter().take_while(|byte| is_name_byte(**byte)).count();
    let (name, unit) = noun(&behind[..length])?;
    let rest = behind[length..].trim_ascii();
    let ends = rest.len() == dots(rest) || rest == "…".as_bytes();
    let counts = before.iter().any(u8::is_ascii_digit);
    (name.ends_with('s') && ends && !counts && total > 1).then_some((unit, total))
}

/// Reads `30 epochs)` of `Start training (30 epochs)...`, and `10,000,000 total timesteps`.
pub(super) fn announced_of_training(before: &[u8], number: &[u8]) -> Option<(&'static str, u64)> {
    let (total, behind) = leading_grouped(number).or_else(|| whole(number))?;
    let of_all = behind.strip_prefix(b" total ");
    let word = of_all.or_else(|| behind.strip_prefix(b" ").filter(|_| before.ends_with(b"(")))?;
    let length = word.iter().take_while(|byte| is_name_byte(**byte)).count();
    let (name, unit) = noun(&word[..length])?;
    let ends = of_all.is_some() || matches!(word.get(length), Some(b')' | b','));
    let is_part = before.ends_with(b",") || before.ends_with(b".");
    (name.ends_with('s') && ends && !is_part && total > 1).then_some((unit, total))
}

/// `steps=50000000`: no rollout and no interval of anything is so long.
const FEWEST_NAMELESS: u64 = 1_000_000;

/// Reads a total that may be that of a part of the work.
pub(super) fn announced_of_part(line: &[u8], start: usize) -> Option<(&'static str, u64)> {
    let (before, rest) = line.split_at(start);
    if rest[0].is_ascii_digit() {
        return epochs_of(before, rest);
    }
    let (total, _) = whole(rest.strip_prefix(b"steps=").or_else(|| rest.strip_prefix(b"steps: "))?)?;
    // `LinearSchedule(init=3e-4, steps=1000000)`
    let is_argument = before.contains(&b'(');
    (total >= FEWEST_NAMELESS && !is_argument).then_some(("steps", total))
}

/// `cloning 60 epochs on 30,000 pairs ...`: what is done to a policy, and nothing before it.
fn epochs_of(before: &[u8], number: &[u8]) -> Option<(&'static str, u64)> {
    const DEEDS: [&str; 5] = ["training", "cloning", "fitting", "finetuning", "distilling"];
    if !is_one_of(before.trim_ascii(), &DEEDS) {
        return None;
    }
    let (total, behind) = whole(number)?;
    let rest = behind.strip_prefix(b" epochs")?.trim_ascii();
    let ends = rest.len() == dots(rest) || rest.starts_with(b"on ");
    (ends && total > 1).then_some(("epochs", total))
}

/// Reports whether the words begin the training, and none of several, nor one that only prepares another or goes on.
pub(super) fn begins_training(before: &[u8]) -> bool {
    const OTHERS: [&str; 10] =
        ["pretrain", "pre-train", "预训练", "resum", "load", "seed", "fold", "stage", "phase", "warm"];
    let holds = |words: &[&str]| words.iter().any(|word| find(before, word.as_bytes()).is_some());
    holds(&["start", "begin", "开始"]) && holds(&["training", "训练"]) && !holds(&OTHERS)
}

/// Names of totals in Chinese, with the units that they count.
const CHINESE: [(&str, &str); 5] = [
    ("总迭代数", "iterations"),
    ("迭代次数", "iterations"),
    ("总回合数", "episodes"),
    ("训练轮数", "epochs"),
    ("总步数", "steps"),
];

/// Reads `总迭代数: 182000`.
pub(super) fn announced_in_chinese(line: &[u8]) -> Option<(&'static str, u64)> {
    if line.is_ascii() {
        return None;
    }
    CHINESE.iter().find_map(|(name, unit)| {
        let behind = &line[find(line, name.as_bytes())? + name.len()..];
        let number = behind.strip_prefix(b":").or_else(|| behind.strip_prefix("：".as_bytes()))?;
        let (total, rest) = whole(number.trim_ascii_start())?;
        (total > 1 && rest.trim_ascii().is_empty()).then_some((*unit, total))
    })
}

pub(super) fn noun(word: &[u8]) -> Option<(&'static str, &'static str)> {
    NOUNS.iter().find(|(name, _)| name.as_bytes() == word).copied()
}

/// A whole number, as `2500`, `2_500` or `1e6`.
pub(super) fn whole(text: &[u8]) -> Option<(u64, &[u8])> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'_').count();
    let digits: Vec<u8> = text[..length].iter().copied().filter(u8::is_ascii_digit).collect();
    let number: u64 = std::str::from_utf8(&digits).ok()?.parse().ok()?;
    let behind = &text[length..];
    if let Some(power) = behind.strip_prefix(b"e") {
        let power = power.strip_prefix(b"+").unwrap_or(power);
        let length = power.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let exponent: u32 = std::str::from_utf8(&power[..length]).ok()?.parse().ok()?;
        return Some((number.checked_mul(10u64.checked_pow(exponent)?)?, &power[length..]));
    }
    Some((number, behind.strip_prefix(b".0").unwrap_or(behind)))
}

fn dots(text: &[u8]) -> usize {
    text.iter().take_while(|byte| b".!: ".contains(byte)).count()
}
