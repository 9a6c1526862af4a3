//! Which key does what: the usual keys, those of the user in their place, and what the footer and the help say of them.

pub mod action;
pub mod binding;

pub mod home;
pub mod monitor;
pub mod own;
pub mod table;

pub mod choosing;
pub mod lookup;
pub mod search;
