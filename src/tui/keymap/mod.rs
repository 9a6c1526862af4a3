//! Keys and their actions: the usual keys, those of the user in their place, and their words in footer and
//! help.

pub mod action;
pub mod binding;

pub mod home;
pub mod monitor;
pub mod own;
pub mod table;

pub mod choosing;
pub mod lookup;
pub mod search;
