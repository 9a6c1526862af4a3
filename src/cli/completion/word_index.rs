//! The position of the word that is completed, as the scripts of shells hand it over.

/// Set by the scripts of some shells; the others complete the last word.
pub const INDEX_VARIABLE: &str = "_CLAP_COMPLETE_INDEX";

/// Returns the position, `None` where the script gives none.
pub fn read_index() -> Option<usize> {
    std::env::var(INDEX_VARIABLE).ok()?.parse().ok()
}
