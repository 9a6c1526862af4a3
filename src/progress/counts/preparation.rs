//! Bars that only prepare or wrap up the work: downloads, loading, caches, videos.

use std::time::Duration;

use super::bar::Bar;
use crate::progress::text::find::find;

/// A bar that has run for so long is the work itself, where its verb can be that.
const LONG_WORK: Duration = Duration::from_secs(300);

/// Reports whether the bar's progress is not that of the work: it reaches 100 % before the work begins, or after it.
pub fn is_preparation(bar: &Bar<'_>) -> bool {
    bar.is_transfer
        || is_file(bar.name)
        || is_phrase(bar.name)
        || is_verb_of_preparation(bar)
        || is_video(bar)
}

/// `model-00001-of-00002.safetensors`; a file behind another word is what the work is about.
fn is_file(name: &[u8]) -> bool {
    let Some(dot) = memchr::memrchr(b'.', name) else { return false };
    let ending = &name[dot + 1..];
    dot > 0
        && !name.contains(&b' ')
        && (1..=12).contains(&ending.len())
        && ending[0].is_ascii_alphabetic()
        && ending.iter().all(u8::is_ascii_alphanumeric)
}

/// Recognises whole phrases, because their verbs are also used for real work.
fn is_phrase(name: &[u8]) -> bool {
    let begins =
        ["Sanity Checking", "Computing checksums"].iter().any(|begin| name.starts_with(begin.as_bytes()));
    begins || name.starts_with(b"Generating ") && name.ends_with(b" split")
}

fn is_verb_of_preparation(bar: &Bar<'_>) -> bool {
    let word = first_word(without_speaker(bar.name));
    let mut lower = [0; "deserializing".len()];
    let Some(lower) = lower.get_mut(..word.len()) else { return false };
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    is_verb(lower) && !(may_be_work(lower) && bar.tail.elapsed().is_some_and(|elapsed| elapsed >= LONG_WORK))
}

/// The verb is also that of programs that do nothing else: `Quantizing layers`.
fn may_be_work(verb: &[u8]) -> bool {
    matches!(
        verb,
        b"compressing"
            | b"converting"
            | b"encoding"
            | b"exporting"
            | b"extracting"
            | b"filtering"
            | b"indexing"
            | b"merging"
            | b"preprocessing"
            | b"quantizing"
            | b"tokenizing"
    )
}

/// Reports whether bars that are not the work itself begin with this word, in lower case. Patterns are compared without
/// a call for each.
fn is_verb(word: &[u8]) -> bool {
    matches!(
        word,
        b"caching"
            | b"capturing"
            | b"casting"
            | b"compiling"
            | b"compressing"
            | b"converting"
            | b"copying"
            | b"creating"
            | b"decompressing"
            | b"deserializing"
            | b"download"
            | b"downloading"
            | b"encoding"
            | b"exporting"
            | b"extracting"
            | b"fetching"
            | b"filter"
            | b"filtering"
            | b"flattening"
            | b"hashing"
            | b"importing"
            | b"indexing"
            | b"initializing"
            | b"installing"
            | b"loading"
            | b"map"
            | b"mapping"
            | b"merging"
            | b"packing"
            | b"prefetching"
            | b"preloading"
            | b"preparing"
            | b"preprocessing"
            | b"quantizing"
            | b"reading"
            | b"resetting"
            | b"resolving"
            | b"restoring"
            | b"saving"
            | b"scanning"
            | b"setting"
            | b"spawning"
            | b"starting"
            | b"tokenizing"
            | b"unpacking"
            | b"uploading"
            | b"warming"
            | b"writing"
    )
}

/// The name without the process or the part of the data that speaks: `(EngineCore pid=7) Loading`, `train: Scanning`.
fn without_speaker(name: &[u8]) -> &[u8] {
    if name.starts_with(b"(")
        && let Some(end) = find(name, b") ")
    {
        return &name[end + 2..];
    }
    ["train: ", "val: ", "test: "]
        .iter()
        .find_map(|speaker| name.strip_prefix(speaker.as_bytes()))
        .unwrap_or(name)
}

fn first_word(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_start();
    &text[..text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()]
}

/// MoviePy draws `t:  45%|…, now=None]` for frames and `chunk:` for sound.
fn is_video(bar: &Bar<'_>) -> bool {
    matches!(bar.name, b"t" | b"chunk" | b"frame_index")
}
