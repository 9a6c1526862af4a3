//! Arguments of `export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::addressing::target_args::OneRun;

/// Arguments of `export`, which brings a run to where its numbers are looked at.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The run to export, by name or folder.
    #[command(flatten)]
    pub run: OneRun,
    /// What reads it
    #[arg(long, value_name = "TRACKER")]
    pub to: Tracker,
    /// Folder of the event files [default: results/tensorboard in the run]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Name of the project or experiment [default: the name of the sweep]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Write what is sent later, without a network (Weights & Biases)
    #[arg(long)]
    pub offline: bool,
}

/// A program that shows the numbers of experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Tracker {
    /// Event files of TensorBoard
    Tensorboard,
    /// Weights & Biases, by its Python package
    Wandb,
    /// MLflow, by its Python package
    Mlflow,
    /// Trackio, by its Python package
    Trackio,
}
