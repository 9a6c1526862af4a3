//! Whether a line that has not ended is a question that waits for an answer.

use regex::bytes::Regex;
use std::sync::LazyLock;

/// Pattern for the very end of a question. Bare colons are left out: `Compiling kernels: ` does not wait for an answer.
static QUESTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)(?:",
        r"\?|",
        // `[y/N]`, `(yes/no)`, `y/n:`, `Ok to proceed? (y)`, `[y]es, [n]o, [A]ll`.
        r"[\[(]\s*\[?y(?:es)?\]?\s*[/|,]\s*\[?n(?:o)?\b[^\])]*[\])]\s*[?:>]?|",
        r"\by(?:es)?/no?\s*[?:>]?|",
        r"\?\s*\((?:y|yes)\):?|",
        r"\[y\]es\s*[/,]\s*\[n\]o\b.{0,40}[:?]|",
        // What is secret, who asks, and what a person decides. `Loading tokenizer:` is none of them.
        r"\b(?:password|passphrase|username|login|verification code|passcode|token|api key|",
        r"your (?:choice|selection|answer))\b.{0,90}:|",
        r"\b(?:press|hit)\s+(?:the )?[\[<']?(?:enter|return|any key)\b.{0,60}|",
        r"\b(?:enter|return|any key) to continue[:. ]*|",
        r"^\s*(?:wandb: )?(?:please )?(?:enter|type|choose|select)\b[^:]*:|",
        // Debuggers, interpreters and pagers.
        r"^\((?:pdb\+*|gdb|lldb|cuda-gdb)\)|^(?:ipdb|pudb)>|^>>>|^in \[\d+\]:|--more--|^--type <ret> for more.*",
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
        let questions = [
            "Do you accept the EULA? [y/N] ",
            "Do you accept the EULA? (Yes/No): ",
            "Accept NVIDIA CloudXR EULA? [y/N]: ",
            "Do you want to continue? (yes/no): ",
            "Do you want to specify a custom path for the dataset folder? (Y/N): ",
            "Would you like to download them now? [y/n]",
            "Add token as git credential? (Y/n) ",
            "Do you wish to run the custom code? [y/N] ",
            "I agree to not distribute these ROMs and wish to proceed: [Y/n]: ",
            "Continue y/n: ",
            "Ok to proceed? (y) ",
            "Proceed ([y]/n)? ",
            "replace mug.obj? [y]es, [n]o, [A]ll, [N]one, [r]ename: ",
            "Do you accept the license terms? [yes|no]",
            "Overwrite results.json?",
            "*** lab.conf (Y/I/N/O/D/Z) [default=N] ? ",
            "[sudo] password for anna: ",
            "anna@lab7's password: ",
            "Enter passphrase for key '/home/anna/.ssh/keys/of/the/lab/id_ed25519_evaluations': ",
            "Username for 'https://github.com': ",
            "Password for 'https://anna@github.com': ",
            "Verification code: ",
            "lab7 login: ",
            "wandb: Enter your choice: ",
            "wandb: Paste an API key from your profile and hit enter, or press ctrl+c to quit: ",
            "Enter your token (input will not be visible): ",
            "Token: ",
            "Choose a robot (enter a number from 0 to 9): ",
            "Your selection: ",
            "Press Enter to continue...",
            "Press [ENTER] to start the evaluation",
            "Hit <Enter> when the scene is ready ",
            "Press any key to continue . . . ",
            "(Pdb) ",
            "(Pdb++) ",
            "ipdb> ",
            "(gdb) ",
            "In [3]: ",
            ">>> ",
            "--More--(12%)--More--",
            "--Type <RET> for more, q to quit, c to continue without paging--",
            "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
        ];
        for question in questions {
            assert!(asks(question.as_bytes()), "{question}");
        }
        let others = [
            "",
            "Compiling kernels: ",
            "Loading checkpoint ... ",
            "Loading tokenizer: ",
            "Prompt tokens: ",
            "Downloading (1/3): ",
            "Success rate: ",
            "Entering the rollout: ",
            "Typed arguments: ",
            "Selected device: ",
            "Mean y/n ratio 0.5",
            "yes, now 3 of 5",
            " 12%|##     | 25/200 [00:01<00:03, 33.3it/s]",
            "  0%|       | 0/200 [00:00<?, ?it/s]",
            "Episode 3/100",
            "Episode 3/100: ",
            "Token 17/200 generated",
            "Pressing the button: ",
            "Impress returns: 0.5",
            "[INFO]: Starting the simulation. This may take a few seconds. Please wait...",
            "2026-11-21 10:00:00 [1,000ms] [Warning] [carb]: ",
            "(12) ",
            "task: put the mug on the plate, success: ",
        ];
        for other in others {
            assert!(!asks(other.as_bytes()), "{other}");
        }
    }
}
