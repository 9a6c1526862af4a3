//! One progress bar taken apart: tqdm and its kin, ultralytics, rich, whole or torn.

use memchr::{memchr, memchr_iter};

use super::bar_tail::Tail;
use crate::progress::text::find::find;
use crate::progress::text::number::leading_grouped;
use crate::progress::text::number::leading_scaled;
use crate::progress::text::number::leading_u64;

/// A single drawing of a progress bar.
///
/// | drawn by | looks like |
/// |---|---|
/// | tqdm | `Evaluating:  80%\|████  \| 4/5 [02:22<00:33, 33.92s/it, success=17.5%]` |
/// | tqdm, `ncols=0` | `Evaluating:  80% 4/5 [02:22<00:33, 33.92s/it]` |
/// | tqdm without a total | `Steps: 12it [00:03, 4.1it/s]` |
/// | ultralytics | `1/100  6.15G  640: 9% ━─── 609/6848 2.7it/s 3:40<38:10` |
/// | rich | `Working ━━━╸━━ 45% 9/20 0:00:12` |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar<'a> {
    /// Text before the bar, without the colon; programs put numbers there that change with every drawing.
    pub name: &'a [u8],
    /// How far it is.
    pub extent: Extent,
    /// Time, speed and postfix behind it.
    pub tail: Tail<'a>,
    /// Whether the bar counts bytes, as downloads do.
    pub is_transfer: bool,
}

/// How far a bar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Steps done and in total: `4/5`.
    Of {
        /// Number of steps done so far.
        done: u64,
        /// Total number of steps, done or not.
        total: u64,
    },
    /// `12it`, with no total.
    Open {
        /// Number of steps done so far.
        done: u64,
    },
    /// `45%` alone, as rich draws it by default.
    Percent(u64),
}

/// Shorter runs of these glyphs occur in prose and tables.
const SHORTEST_RULE: usize = 5;

/// Text between the percentage of a bar and its drawing.
pub const START: &str = "%|";

/// Glyph that ruled bars are drawn with.
pub const RULE: &str = "━";

/// Texts of which every line with a bar contains at least one.
pub const NEEDLES: [&str; 6] = [START, RULE, "───", "it/s", "s/it", "it ["];

/// Three bytes each, of which the first two distinguish them well enough from other box-drawing characters.
const RULES: [&str; 4] = ["─", "━", "╸", "╺"];

impl<'a> Bar<'a> {
    /// Takes the bar on this line apart, if there is one.
    ///
    /// A bar that was cut off or that another message is glued to is read as far as it is certain: its count must
    /// end in the bracket of the times, or agree with the percentage.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        if let Some(bar) = piped(line) {
            return Some(bar);
        }
        match find(line, "━".as_bytes()).or_else(|| find(line, "───".as_bytes())) {
            Some(_) => ruled(line),
            None => bracketed(line),
        }
    }

    /// How many steps are done; of 100 where only a percentage is drawn.
    pub fn done(&self) -> u64 {
        match self.extent {
            Extent::Of { done, .. } | Extent::Open { done } | Extent::Percent(done) => done,
        }
    }

    /// How many steps there are, where the bar knows it; 100 where only a percentage is drawn.
    pub fn total(&self) -> Option<u64> {
        match self.extent {
            Extent::Of { total, .. } => Some(total),
            Extent::Open { .. } => None,
            Extent::Percent(_) => Some(100),
        }
    }

    /// The whole percentage, where the bar knows its total.
    pub fn percent(&self) -> Option<u64> {
        match self.extent {
            Extent::Of { done, total } => {
                (total > 0).then(|| (100.0 * done as f64 / total as f64).round() as u64)
            }
            Extent::Open { .. } => None,
            Extent::Percent(percent) => Some(percent),
        }
    }

    /// The bar goes by this name, whatever changes behind it.
    pub fn is_named(&self, name: &str) -> bool {
        self.steady_name() == name.as_bytes() || self.name == name.as_bytes()
    }

    /// Returns the part of the name that stays the same while the bar is drawn: a spinner may turn before it, and
    /// losses and epochs may follow it.
    pub fn steady_name(&self) -> &'a [u8] {
        let mut name = self.name;
        // Braille, arrows, boxes and dingbats, all of three bytes; letters of no script begin so.
        while let [0xe2, _, _, rest @ ..] = name {
            name = rest.trim_ascii_start();
        }
        let varies = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'(' | b'[' | b':' | b'=' | b'|');
        let end = name.iter().position(varies).unwrap_or(name.len());
        name[..end].trim_ascii()
    }
}

/// `name: 80%|███ | 4/5 [`: read first, because most bars look so.
fn piped(line: &[u8]) -> Option<Bar<'_>> {
    // Earlier ones belong to the name: `1/5 : 90.1%| 2/5 : 70%|:  33%|███   | 33/100 [`.
    memchr_iter(b'%', line).find_map(|at| {
        let behind = line[at + 1..].strip_prefix(b"|")?;
        let (name, percent) = percent_before(&line[..=at])?;
        let counts = behind[memchr(b'|', behind)? + 1..].trim_ascii_start();
        let (done, rest) = leading_scaled(counts)?;
        let (total, rest) = leading_scaled(rest.strip_prefix(b"/")?)?;
        let tail = Tail::in_brackets(rest);
        if tail == Tail::None && !agree(percent, done, total) {
            return None;
        }
        Some(Bar { name, extent: Extent::Of { done, total }, is_transfer: tail.counts_bytes(), tail })
    })
}

/// A count whose end was cut off differs from the percentage: `80%| | 4/5` of `4/50`.
fn agree(percent: u64, done: u64, total: u64) -> bool {
    total > 0 && (100.0 * done as f64 / total as f64 - percent as f64).abs() <= 1.0
}

/// `name 9% ━━── 609/6848 2.7it/s 3:40<38:10` or `name ━━── 45% 9/20 0:00:12`.
fn ruled(line: &[u8]) -> Option<Bar<'_>> {
    let is_rule = |glyph: &[u8]| RULES.iter().any(|rule| rule.as_bytes() == glyph);
    let first = RULES[0].as_bytes()[0];
    let start = memchr_iter(first, line).find(|at| line.get(*at..at + 3).is_some_and(is_rule))?;
    let glyphs = line[start..].chunks_exact(3).take_while(|glyph| is_rule(glyph));
    let end = start + 3 * glyphs.count();
    let (before, behind) = (line[..start].trim_ascii_end(), line[end..].trim_ascii_start());
    let (name, ahead) =
        percent_before(before).map_or((before, None), |(name, percent)| (name, Some(percent)));
    let (percent, behind) = match ahead {
        None => leading_percent(behind).map_or((None, behind), |(percent, rest)| (Some(percent), rest)),
        ahead => (ahead, behind),
    };
    let bar = |extent, rest, is_transfer| {
        let tail = Tail::plain(rest);
        Bar { name: name_of(name), extent, is_transfer: is_transfer || tail.counts_bytes(), tail }
    };
    let counted = count(behind.trim_ascii_start());
    // Where it draws no ground a bar that has just begun is short; its percentage agrees with its count.
    let is_long = end - start >= 3 * SHORTEST_RULE;
    let agrees = |extent| matches!((percent, extent), (Some(percent), Extent::Of { done, total }) if agree(percent, done, total));
    if !is_long && !counted.is_some_and(|(extent, ..)| agrees(extent)) {
        return None;
    }
    match counted {
        Some((extent, is_transfer, rest)) => Some(bar(extent, rest, is_transfer)),
        // A percentage ahead of a line may be a heading between two of them.
        None => {
            percent.filter(|_| ahead.is_none()).map(|percent| bar(Extent::Percent(percent), behind, false))
        }
    }
}

/// `9/20`, `5.4/5.4 MB`, `1,024/10,000`.
fn count(text: &[u8]) -> Option<(Extent, bool, &[u8])> {
    let (done, rest) = leading_grouped(text).or_else(|| leading_scaled(text))?;
    let rest = rest.strip_prefix(b"B").unwrap_or(rest).strip_prefix(b"/")?;
    let (total, rest) = leading_grouped(rest).or_else(|| leading_scaled(rest))?;
    let unit = rest.trim_ascii_start();
    let is_transfer = [&b"B"[..], b"kB", b"KB", b"MB", b"GB", b"KiB", b"MiB", b"GiB", b"bytes"]
        .iter()
        .any(|name| unit.starts_with(name));
    Some((Extent::Of { done, total }, is_transfer, rest))
}

/// `80% 4/5 [02:22<00:33, 33.92s/it]`, `50% Completed | 1/2 [`, `12it [00:03, 4.1it/s]`.
fn bracketed(line: &[u8]) -> Option<Bar<'_>> {
    memchr_iter(b'[', line).find_map(|at| {
        let tail = Tail::in_brackets(&line[at..]);
        if tail == Tail::None {
            return None;
        }
        let (before, last) = last_word(line[..at].trim_ascii_end());
        let (name, extent) = match memchr(b'/', last) {
            Some(slash) => {
                let (done, _) = whole(&last[..slash])?;
                let total = &last[slash + 1..];
                if total == b"?" {
                    (before, Extent::Open { done })
                } else {
                    let before = before.strip_suffix(b"Completed |").unwrap_or(before);
                    (percent_before(before.trim_ascii_end())?.0, Extent::Of { done, total: whole(total)?.0 })
                }
            }
            None => without_total(before, last)?,
        };
        Some(Bar { name: name_of(name), extent, is_transfer: tail.counts_bytes(), tail })
    })
}

/// `12it`, `1.20MB` or `12 episodes`.
fn without_total<'a>(before: &'a [u8], last: &'a [u8]) -> Option<(&'a [u8], Extent)> {
    if let Some((done, unit)) = leading_scaled(last) {
        return unit.iter().all(u8::is_ascii_alphabetic).then_some((before, Extent::Open { done }));
    }
    let (before, number) = last_word(before);
    let is_unit = !last.is_empty() && last.iter().all(u8::is_ascii_alphabetic);
    let (done, _) = whole(number).filter(|_| is_unit)?;
    Some((before, Extent::Open { done }))
}

/// A number with nothing behind it.
fn whole(text: &[u8]) -> Option<(u64, &[u8])> {
    leading_scaled(text).filter(|(_, rest)| rest.is_empty())
}

fn last_word(text: &[u8]) -> (&[u8], &[u8]) {
    let start = memchr::memrchr(b' ', text).map_or(0, |blank| blank + 1);
    let (before, word) = text.split_at(start);
    (before.trim_ascii_end(), word)
}

/// The name before a percentage at the end of the text, and the percentage.
fn percent_before(text: &[u8]) -> Option<(&[u8], u64)> {
    let text = text.strip_suffix(b"%")?;
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, number) = text.split_at(text.len() - digits);
    // `90.1%` is a value in the name: bars are drawn in whole percent.
    if digits == 0 || before.ends_with(b".") {
        return None;
    }
    Some((name_of(before), leading_u64(number)?.0))
}

fn leading_percent(text: &[u8]) -> Option<(u64, &[u8])> {
    let (percent, rest) = leading_u64(text)?;
    Some((percent, rest.strip_prefix(b"%")?))
}

fn name_of(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii();
    text.strip_suffix(b":").unwrap_or(text).trim_ascii_end()
}
