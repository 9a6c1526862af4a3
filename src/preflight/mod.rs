//! What can be known before a run: missing programs, folders, space, drivers.
//!
//! [`inspect::inspect_machine`] asks every file of this folder about one concern; each answers with findings. What
//! cannot be known for sure (a shell may define anything) is a warning or nothing, never a refusal.

pub mod axis_values;
pub mod doctor;
pub mod finding;
pub mod inspect;
pub mod node_findings;
pub mod node_probe;
pub mod nodes;
pub mod surroundings;

mod cwd;
mod gpu_faults;
mod gpu_tenants;
mod gpus;
mod host;
mod line_ends;
mod logout;
mod output;
mod program;
mod runners;
mod setup;
mod shell_syntax;
mod shell_text;
mod template_use;
