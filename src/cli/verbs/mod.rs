//! Verbs that change a run: pause, kill, requeue, add, wait and their kin.

pub mod act;
pub mod act_args;
pub mod add;
pub mod recover;
pub mod recover_args;
pub mod wait;
