//! Decisions: what happens next, as a pure function of policy, state, inputs and now.

pub mod budget;
pub mod decide;

pub mod answers;
pub mod attempts;
pub mod auto_packs;
pub mod commands;
pub mod comparison;
pub mod deadlines;
pub mod readings;
pub mod silence;
pub mod starts;

pub mod queue;

pub mod admission;
pub mod brake;
pub mod class;
pub mod foreign;
pub mod gate;
pub mod gpu_lost;
pub mod growth;
pub mod halves;
pub mod host_oom;
pub mod ladder;
pub mod ladder_answer;
pub mod ledger;
pub mod lessons;
pub mod looks;
pub mod need;
pub mod oom;
pub mod opening;
pub mod pack_families;
pub mod pack_room;
pub mod pack_size;
pub mod pinning;
pub mod placement;
pub mod repeats;
pub mod reservation;
pub mod retry;
pub mod run_end;
pub mod sole_tenant;
pub mod stops;
pub mod verbs;
pub mod visitors;

pub mod services;

pub mod turn;
pub mod wall_clock;

pub mod effect;
pub mod elsewhere;
pub mod experience;
pub mod footprint;
pub mod grant;
pub mod input;
pub mod kind;
pub mod knowledge;
pub mod machine;
pub mod memory;
pub mod policy;
pub mod precedence;
