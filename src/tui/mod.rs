//! The dashboard, one screen over one run directory, and the home screen, one over all runs and sweeps,
//! and the monitor, one over the machine alone.
//!
//! `app` takes keys, files and signals, lets `update` change the model, and draws it with `view`; `once`,
//! `plain`, `svg` and `film` show the same model as one frame, as lines, as a picture and as an animated one:
//!
//! ```text
//! film -> svg -> app, home, monitor, once, plain -> update, view, sources, terminal -> message -> keymap, model, layout, theme, format, options
//! ```
//!
//! `update` is a pure function of model and message, a view one of model and theme; only `app`, `home`,
//! `monitor`, `sources` and `terminal` touch the world.

pub mod app;
pub mod film;
pub mod home;
pub mod monitor;
pub mod once;
pub mod options;
pub mod plain;
pub mod svg;

pub mod sources;
pub mod terminal;
pub mod update;
pub mod view;

pub mod keymap;
pub mod message;

pub mod format;
pub mod layout;
pub mod model;
pub mod theme;
