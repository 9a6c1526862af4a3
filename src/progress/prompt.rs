//! Whether a line that has not ended is a question that waits for an answer.

use regex::bytes::Regex;
use std::sync::LazyLock;

/// What stands at the very end of a question. Bare colons are left out: `Compiling kernels: ` waits for nobody.
static QUESTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)(?:",
        r"\?|",
        r"[\[(]\s*(?:y|yes)\s*[/|,]\s*(?:n|no)\b[^\])]*[\])]\s*[?:>]?|",
        r"\b(?:password|passphrase|username|token|api key|your choice)[^:]{0,40}:|",
        r"\b(?:enter|return|any key) to continue[:. ]*|",
        r"^\s*(?:wandb: )?(?:please )?(?:enter|type|choose|select)\b[^:]*:|",
        r"^\(pdb\)|^ipdb>|^>>>",
        r")\s*$",
    ))
    .expect("a constant pattern")
});

/// True for `Do you accept the EULA? [y/N] ` and its like.
pub fn asks(unfinished: &[u8]) -> bool {
    QUESTION.is_match(unfinished)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_from_lines_that_only_take_long() {
        let questions: [&[u8]; 8] = [
            b"Do you accept the EULA? [y/N] ",
            b"Do you want to continue? (yes/no): ",
            b"Overwrite results.json?",
            b"[sudo] password for anna: ",
            b"wandb: Enter your choice: ",
            b"Press Enter to continue...",
            b"(Pdb) ",
            b"Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
        ];
        for question in questions {
            assert!(asks(question), "{}", question.escape_ascii());
        }
        let others: [&[u8]; 6] = [
            b"",
            b"Compiling kernels: ",
            b"Loading checkpoint ... ",
            b" 12%|##     | 25/200 [00:01<00:03, 33.3it/s]",
            b"Episode 3/100",
            b"Token 17/200 generated",
        ];
        for other in others {
            assert!(!asks(other), "{}", other.escape_ascii());
        }
    }
}
