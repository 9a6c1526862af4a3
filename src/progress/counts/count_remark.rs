//! Lines that count nothing and yet say something about a count: that all is done, or how many succeeded.

use super::printed::share::{Scope, share_on};
use super::printed::success_share::SuccessShare;
use super::text_count::tag_on;
use crate::progress::search::text_set::TextSet;
use crate::progress::text::find::find;

/// Means and rates are printed after every round too.
static ENDS: TextSet = TextSet::new(&[
    "valuation complete", "valuation finished", "valuation done", "inal results", "inal report",
    "ompleted all ", "inished all ",
]);

static HEADINGS: TextSet = TextSet::new(&["inal Results", "FINAL RESULTS", "inal Report", "FINAL REPORT"]);

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

impl CountRemark {
    /// Returns the remark that the line makes, if it makes one.
    pub fn on(line: &[u8]) -> Option<Self> {
        match share_on(line) {
            Some((Scope::Plain | Scope::Overall, share)) => return Some(Self::Share(share)),
            // The share so far.
            Some((Scope::Counted, _)) | None => {}
        }
        if HEADINGS.is_on(line) {
            return Some(if is_heading(line) { Self::IsFinal } else { Self::IsComplete });
        }
        let holds = |text: &str| find(line, text.as_bytes()).is_some();
        let says_so = ENDS.is_on(line) || holds("完成") && (holds("所有") || holds("全部"));
        says_so.then_some(Self::IsComplete)
    }
}

/// Recognises `=== FINAL RESULTS ===` and `[eval] Final Results:`: nothing else is on the line, and no number.
fn is_heading(line: &[u8]) -> bool {
    let line = tag_on(line).map_or(line, |tag| &line.trim_ascii_start()[tag.len()..]);
    let words = line.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.count() <= 3 && !line.iter().any(u8::is_ascii_digit)
}
