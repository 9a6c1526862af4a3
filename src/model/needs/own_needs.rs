//! Resources of one shard in place of those of the sweep: what templates in `[resources]` came to for its combo.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::resources::{GpuNeed, Resources, VramNeed};
use crate::model::units::{Bytes, format_duration, maybe_seconds};

/// Resources of one shard; a field that is `None` is as the sweep sets it for all.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnNeeds {
    /// Number of GPUs, or GPUs by component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus: Option<GpuNeed>,
    /// VRAM on each of its GPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vram: Option<VramNeed>,
    /// Main memory that the shard needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ram: Option<Bytes>,
    /// Number of cores that the shard needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// No other shard may be on its GPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclusive: Option<bool>,
    /// After this much unpaused time an attempt is stopped.
    #[serde(with = "maybe_seconds", default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
}

impl OwnNeeds {
    /// Reports whether the shard has no values of its own.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The resources of the sweep with these values in place.
    pub fn in_place<'r>(&self, shared: &'r Resources) -> Cow<'r, Resources> {
        if self.is_empty() {
            return Cow::Borrowed(shared);
        }
        let shared = shared.clone();
        Cow::Owned(Resources {
            gpus: self.gpus.clone().or(shared.gpus),
            vram: self.vram.or(shared.vram),
            ram: self.ram.or(shared.ram),
            cpus: self.cpus.or(shared.cpus),
            exclusive: self.exclusive.unwrap_or(shared.exclusive),
            ..shared
        })
    }

    /// The values in words: `2 GPUs, VRAM 6.0 GiB, at most 30m`; empty where there are none.
    pub fn to_text(&self) -> String {
        let vram = |need: VramNeed| match need {
            VramNeed::Fixed(bytes) => format!("VRAM {bytes}"),
            VramNeed::Percent(percent) => format!("VRAM {percent} %"),
            VramNeed::Auto => "VRAM auto".to_owned(),
        };
        let words = [
            self.gpus.as_ref().map(|need| format_count(need.gpu_count(), "GPU")),
            self.vram.map(vram),
            self.ram.map(|ram| format!("RAM {ram}")),
            self.cpus.map(|cpus| format_count(cpus, "core")),
            self.exclusive.map(|alone| if alone { "exclusive" } else { "shared" }.to_owned()),
            self.timeout.map(|timeout| format!("at most {}", format_duration(timeout))),
        ];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

fn format_count(count: u32, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_are_told_in_words() {
        let needs = OwnNeeds {
            gpus: Some(GpuNeed::Count(2)),
            vram: Some(VramNeed::Fixed(Bytes(6 << 30))),
            cpus: Some(1),
            exclusive: Some(true),
            timeout: Some(Duration::from_secs(1800)),
            ..OwnNeeds::default()
        };
        assert_eq!(needs.to_text(), "2 GPUs, VRAM 6.0 GiB, 1 core, exclusive, at most 30m 00s");
        assert_eq!(OwnNeeds::default().to_text(), "");
    }

    #[test]
    fn needs_survive_the_plan_file() {
        let needs = OwnNeeds { vram: Some(VramNeed::Auto), ..OwnNeeds::default() };
        let text = serde_json::to_string(&needs).unwrap();
        assert_eq!(serde_json::from_str::<OwnNeeds>(&text).unwrap(), needs);
        assert_eq!(serde_json::to_string(&OwnNeeds::default()).unwrap(), "{}");
    }
}
