//! Every key of sweep files and settings and every variable of templates, described once: the parser takes the permitted
//! keys from here, and so do suggestions, `explain`, the JSON schemas and the tables of the documentation.

pub mod example;
mod kinds;
pub mod lookup;
pub mod machine;
mod matrix;
mod results;
pub mod schema;
pub mod settings;
pub mod shape;
mod shard;
pub mod sweep;
pub mod variables;

#[cfg(test)]
mod docs_tests;

#[cfg(test)]
mod schema_tests;

#[cfg(test)]
mod tests;
