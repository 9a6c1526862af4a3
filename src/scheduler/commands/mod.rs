//! What users ask of a run.

pub mod asked;
pub mod growth;
pub mod verbs;
