//! Lines that count nothing and yet say something about a count: that all is done, or how many succeeded.

use memchr::memmem;

use super::spoken_count::tag_on;
use super::spoken_result::SuccessShare;
use super::spoken_result::is_ornament;
use super::spoken_result::share;

/// The statement that such a line makes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CountRemark {
    /// So many succeeded, of all.
    Share(SuccessShare),
    /// All is done: such a line comes after the last one.
    IsComplete,
    /// The heading of the results of all.
    IsFinal,
}

/// Words that may come before `success rate` if it is that of all.
const OF_ALL: [&str; 9] =
    ["overall", "final", "total", "average", "mean", "eval", "evaluation", "the", "current"];

impl CountRemark {
    /// Returns the remark that the line makes, if it makes one.
    pub fn on(line: &[u8]) -> Option<Self> {
        if let Some(share) = rate_on(line).or_else(|| successes_on(line)) {
            return Some(Self::Share(share));
        }
        // Means and rates are printed after every round too.
        const ENDS: [&str; 5] =
            ["valuation complete", "valuation finished", "valuation done", "inal results", "inal report"];
        const HEADINGS: [&str; 4] = ["inal Results", "FINAL RESULTS", "inal Report", "FINAL REPORT"];
        let holds = |text: &str| memmem::find(line, text.as_bytes()).is_some();
        if HEADINGS.iter().any(|text| holds(text)) {
            return Some(if is_heading(line) { Self::IsFinal } else { Self::IsComplete });
        }
        let says_so = ENDS.iter().any(|text| holds(text));
        (says_so || holds("完成") && (holds("所有") || holds("全部"))).then_some(Self::IsComplete)
    }
}

/// Recognises `=== FINAL RESULTS ===` and `[eval] Final Results:`: nothing else is on the line, and no number.
fn is_heading(line: &[u8]) -> bool {
    let line = tag_on(line).map_or(line, |tag| &line.trim_ascii_start()[tag.len()..]);
    let words = line.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.count() <= 3 && !line.iter().any(u8::is_ascii_digit)
}

/// `Success rate: 12/50 (24.0%)`, `Overall success rate = 24%`.
fn rate_on(line: &[u8]) -> Option<SuccessShare> {
    let at = ["uccess rate", "uccess Rate", "uccess_rate", "UCCESS RATE"]
        .iter()
        .find_map(|text| memmem::find(line, text.as_bytes()))?;
    let before = line[..at.checked_sub(1)?].trim_ascii_end();
    value(before, &line[at + "uccess rate".len()..])
}

/// `Success: 12/50`; a single number would be that of one episode.
fn successes_on(line: &[u8]) -> Option<SuccessShare> {
    let at = ["uccess: ", "uccesses: ", "uccessful trials: ", "uccessful episodes: ", "uccessful rollouts: "]
        .iter()
        .find_map(|text| Some((memmem::find(line, text.as_bytes())?, text.len())))?;
    let (at, length) = at;
    let found = value(line[..at.checked_sub(1)?].trim_ascii_end(), &line[at + length - 2..])?;
    matches!(found, SuccessShare::Counted { .. }).then_some(found)
}

fn value(before: &[u8], behind: &[u8]) -> Option<SuccessShare> {
    let words = before.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let mut words = words.map(|word| OF_ALL.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes())));
    if !words.all(|is_of_all| is_of_all) || before.iter().any(u8::is_ascii_digit) {
        return None;
    }
    let sign = behind.iter().position(|byte| b":=".contains(byte))?;
    // `(%)` and the like may come in between.
    let between = &behind[..sign];
    let is_near = is_ornament(between);
    let found = share(&behind[sign + 1..]).filter(|_| is_near)?;
    let is_percentage = between.contains(&b'%');
    (!is_percentage).then_some(found)
}
