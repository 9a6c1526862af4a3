//! What the last lines of a log say more than once: of each part, or in other words of the whole.

use super::behind_the_end::begins_work;
use super::closing_results::saves_results;
use super::closing_words::{OVER, closing_words, differ_in_name};
use crate::progress::text::log_tail::LastLine;
use crate::progress::text::word::is_one_of;

/// Behind the number of epochs that Ultralytics trained.
const EPOCHS_COMPLETED: [&str; 3] = ["epochs", "completed", "in"];

/// `Results saved -> eval.npz` before `Done.`: two lines say so in other words, and nothing else comes between them.
/// Ultralytics validates between `93 epochs completed in 10.3 hours` and `Results saved to runs/detect/train`.
pub fn is_said_twice(words: &[Vec<String>], place: usize) -> bool {
    let counts_epochs = |said: &Vec<String>| said.get(1..4).is_some_and(|said| *said == EPOCHS_COMPLETED);
    if saves_results(&words[place]) && words[..place].iter().any(counts_epochs) {
        return true;
    }
    let is_end = |said: &[String]| matches!(said, [word] if is_one_of(word, OVER));
    let says_saved = |said: &Vec<String>| said.iter().any(|word| word == "saved");
    let saves = words[..place].iter().rev().take_while(|said| says_saved(said));
    is_end(&words[place]) && saves.clone().any(|said| closing_words(said).is_some())
}

/// What is said again and again is said of each part, perhaps by its name. A line at which the log is torn may lack the end
/// of its words.
pub fn is_said_of_another(other: &[String], said: &[String], may_be_torn: bool) -> bool {
    let unnumbered = |words: &[String]| -> Vec<String> {
        words.iter().filter(|word| !word.bytes().any(|byte| byte.is_ascii_digit())).cloned().collect()
    };
    let (other, said) = (unnumbered(other), unnumbered(said));
    other == said
        || may_be_torn && other.join(" ").starts_with(&said.join(" "))
        || differ_in_name(&other, &said)
}

/// The line saves what belongs to one part: `file saved at dog.png` behind each of several bars.
pub fn is_saved_for_each(lines: &[LastLine], words: &[Vec<String>], place: usize) -> bool {
    let said_without_names = |line: &LastLine| {
        let words = line.text.split_whitespace().filter(|word| !word.contains(['/', '.', '=']));
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let said = said_without_names(&lines[place]);
    let is_same = |line: &LastLine| said.len() > 1 && said_without_names(line) == said;
    let is_work =
        |(line, words): (&LastLine, &Vec<String>)| !words.is_empty() && begins_work(&line.text, words);
    lines[..place]
        .iter()
        .rposition(is_same)
        .is_some_and(|earlier| lines[earlier + 1..place].iter().zip(&words[earlier + 1..place]).any(is_work))
}
