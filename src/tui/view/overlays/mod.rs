//! What lies over a screen.

pub mod form;
pub mod help;
pub mod overlay;
pub(super) mod own_question;
pub mod palette;
pub mod question;
pub mod themes;
