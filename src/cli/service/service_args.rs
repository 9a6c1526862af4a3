//! What can be typed after `service`.

use clap::{Args, Subcommand};

/// Arguments of `service`.
#[derive(Debug, Args)]
pub struct ServiceArgs {
    /// What is done with the unit.
    #[command(subcommand)]
    pub action: ServiceAction,
}

/// What can be done with the unit.
#[derive(Debug, Clone, Copy, Subcommand)]
pub enum ServiceAction {
    /// Write and enable a unit of your own systemd that runs `recover --all` at boot
    Install,
    /// Disable and remove the unit
    Uninstall,
    /// Say whether the unit is there, and whether it would run at boot
    Status,
}
