//! Completion of the command line in a shell: verbs, options, and live names of runs, shards, axes and values.

pub mod answer;
pub mod bash;
pub mod choices;
pub mod completion_args;
pub mod lookups;
pub mod print_script;
pub mod sources;
pub mod typed_words;
pub mod word_index;
