//! Decisions: what happens next, as a pure function of policy, state, inputs and now.

pub mod admission;
pub mod budget;
pub mod commands;
pub mod comparison;
pub mod deadlines;
pub mod dealing;
pub mod decide;
pub mod effect;
pub mod elsewhere;
pub mod endings;
pub mod experience;
pub mod gates;
pub mod input;
pub mod learning;
pub mod machine;
pub mod memory;
pub mod policy;
pub mod readings;
pub mod run_end;
pub mod services;
pub mod silence;
pub mod starts;
pub mod stops;
pub mod turn;
pub mod visitors;
pub mod wall_clock;
