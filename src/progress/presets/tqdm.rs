//! Bars of tqdm and its kin: `Evaluating:  80%|████  | 4/5 [02:22<00:33, 33.92s/it]`.

use memchr::memmem;

use crate::progress::format::{Format, Look, Notes, Preset, Rank};
use crate::progress::number::leading_u64;

/// The bar that began first drives the progress; bars of downloads and loading do not.
pub const PRESET: Preset = Preset {
    name: "tqdm",
    unit: "steps",
    rank: Rank::Bar,
    needles: &["%|"],
    begin: || Box::new(Tqdm::default()),
};

/// What bars that only prepare the work are called; they reach 100 % before it begins.
const PREPARATIONS: [&[u8]; 10] = [
    b"Loading",
    b"Download",
    b"Fetching",
    b"Resolving",
    b"Generating",
    b"Map",
    b"Filter",
    b"Tokeniz",
    b"Uploading",
    b"Computing checksums",
];

#[derive(Debug, Default)]
struct Tqdm {
    main: Option<MainBar>,
}

#[derive(Debug)]
struct MainBar {
    name: Vec<u8>,
    done: u64,
    total: u64,
}

struct Bar<'a> {
    name: &'a [u8],
    done: u64,
    total: u64,
}

impl Format for Tqdm {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> Look {
        let Some(bar) = parse(line) else { return Look::Foreign };
        if PREPARATIONS.iter().any(|start| bar.name.starts_with(start)) {
            return Look::Foreign;
        }
        let nested = self.main.as_ref().is_some_and(|main| main.name != bar.name && main.done < main.total);
        if nested {
            return Look::Plausible;
        }
        notes.progress(bar.done, Some(bar.total));
        match &mut self.main {
            Some(main) if main.name == bar.name => (main.done, main.total) = (bar.done, bar.total),
            main => *main = Some(MainBar { name: bar.name.to_vec(), done: bar.done, total: bar.total }),
        }
        Look::Typical
    }
}

/// Reads `name: 80%|███ | 4/5 [`; by hand, because every update of a bar comes through here.
fn parse(line: &[u8]) -> Option<Bar<'_>> {
    let percent = memmem::find(line, b"%|")?;
    let (before, bar) = (&line[..percent], &line[percent + 2..]);
    let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    let counts = &bar[memchr::memchr(b'|', bar)? + 1..];
    let (done, rest) = scaled(counts.trim_ascii_start())?;
    let (total, rest) = scaled(rest.strip_prefix(b"/")?)?;
    rest.trim_ascii_start().starts_with(b"[").then_some(())?;
    let name = before[..before.len() - digits].trim_ascii();
    Some(Bar { name: steady_part(name), done, total })
}

/// The part of a name that stays the same while a bar is drawn: programs put losses and epochs behind it.
fn steady_part(name: &[u8]) -> &[u8] {
    let end = name.iter().position(|byte| byte.is_ascii_digit() || matches!(byte, b'(' | b'[' | b':' | b'='));
    name[..end.unwrap_or(name.len())].trim_ascii_end()
}

/// `4`, or with `unit_scale` `1.2k`.
fn scaled(text: &[u8]) -> Option<(u64, &[u8])> {
    let (whole, rest) = leading_u64(text)?;
    let digits =
        rest.strip_prefix(b".").map_or(0, |part| part.iter().take_while(|b| b.is_ascii_digit()).count());
    let fraction = if digits > 0 { std::str::from_utf8(&rest[..=digits]).ok()?.parse().ok()? } else { 0.0 };
    let rest = if digits > 0 { &rest[digits + 1..] } else { rest };
    let factor = match rest.first() {
        Some(b'k') => 1e3,
        Some(b'M') => 1e6,
        Some(b'G') => 1e9,
        Some(b'T') => 1e12,
        _ => return Some((whole, rest)),
    };
    Some((((whole as f64 + fraction) * factor) as u64, &rest[1..]))
}
