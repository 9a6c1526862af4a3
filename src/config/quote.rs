//! Words for a shell: which characters need no quotes, and how to quote the rest.

/// Whether every character stands for itself in any shell.
pub(super) fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c))
}

/// The text as one word of a shell.
pub(super) fn quoted(text: &str) -> String {
    if is_plain(text) && !text.is_empty() {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
