//! What `autotune` measured of a sweep, kept for later runs of it on the same machine.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::shard_template::ShardTemplate;
use crate::model::units::Bytes;

/// The version of the file's format; another one is as good as none.
pub const TUNING_VERSION: u32 = 1;

/// Measurements of one shard, and of several side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// Version of the format, [`TUNING_VERSION`] when written by this program.
    pub version: u32,
    /// When the measurement was made.
    pub at: Timestamp,
    /// Name of the machine that was measured.
    pub host: String,
    /// The names of its GPUs.
    pub gpus: Vec<String>,
    /// The folder of the sweep file.
    pub sweep_dir: PathBuf,
    /// The templates that its shards ran: nothing is known about other ones.
    pub template: ShardTemplate,
    /// The most VRAM of one shard, with a margin; `None` if it has several GPUs.
    pub vram: Option<Bytes>,
    /// The most main memory of one shard, with a margin.
    pub ram: Option<Bytes>,
    /// Cores that one shard kept busy.
    pub cores: Option<f64>,
    /// The fewest side by side that did almost as much as any number that was tried; `None` if only one was.
    pub enough: Option<u32>,
    /// The number of shards side by side that was advised; files of older versions do not have it.
    #[serde(default)]
    pub advised: Option<Advised>,
}

/// Advice on the number of shards that run side by side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advised {
    /// Number of shards side by side.
    pub count: u32,
    /// Line with the basis of the advice.
    pub because: String,
    /// Variables advised along with the number: a sweep that has since set them is still the one that was measured.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

impl Tuning {
    /// Reports whether the measurement is of this command on this machine.
    pub fn is_of(&self, template: &ShardTemplate, host: &str, gpus: &[String]) -> bool {
        let is_here = self.version == TUNING_VERSION && self.host == host && self.gpus == gpus;
        is_here && (self.template == *template || self.template_as_advised() == *template)
    }

    fn template_as_advised(&self) -> ShardTemplate {
        let mut template = self.template.clone();
        let env = self.advised.iter().flat_map(|advised| advised.env.clone());
        template.env.extend(env);
        template
    }
}
