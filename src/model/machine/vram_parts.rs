//! VRAM of one shard by GPU, and by component where the sweep has components.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::model::ids::GpuIndex;
use crate::model::units::Bytes;

/// Separates parts in a cell of a table.
const BETWEEN: char = ';';

/// Separates the figures of one part.
const WITHIN: char = ':';

/// Sign for an unknown amount.
const UNKNOWN: &str = "?";

/// Memory that processes of one shard hold on one GPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VramPart {
    /// GPU on which the memory is held.
    pub gpu: GpuIndex,
    /// The component that the processes belong to, `None` where that is unknown or the shard has none.
    pub component: Option<String>,
    /// Memory that the processes hold, `None` if the driver does not report it.
    pub bytes: Option<Bytes>,
}

/// The parts of one shard; in files `0:6442450944:env;1:?` (GPU, bytes, component).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VramParts(pub Vec<VramPart>);

impl VramParts {
    /// The parts on one GPU.
    pub fn parts_on(&self, gpu: GpuIndex) -> impl Iterator<Item = &VramPart> {
        self.0.iter().filter(move |part| part.gpu == gpu)
    }

    /// Adds what one process holds to the part that it belongs to.
    pub fn add_process(&mut self, gpu: GpuIndex, component: Option<&str>, bytes: Option<Bytes>) {
        let same = |part: &&mut VramPart| part.gpu == gpu && part.component.as_deref() == component;
        match self.0.iter_mut().find(same) {
            Some(part) => {
                part.bytes = part.bytes.zip(bytes).map(|(sum, more)| Bytes(sum.0.saturating_add(more.0)));
            }
            None => self.0.push(VramPart { gpu, component: component.map(str::to_owned), bytes }),
        }
    }
}

impl fmt::Display for VramParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, part) in self.0.iter().enumerate() {
            if number > 0 {
                write!(f, "{BETWEEN}")?;
            }
            let bytes = part.bytes.map_or_else(|| UNKNOWN.to_owned(), |bytes| bytes.0.to_string());
            write!(f, "{}{WITHIN}{bytes}", part.gpu.0)?;
            if let Some(component) = &part.component {
                write!(f, "{WITHIN}{}", component.replace(BETWEEN, "_"))?;
            }
        }
        Ok(())
    }
}

impl FromStr for VramParts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let part = |text: &str| {
            let mut words = text.splitn(3, WITHIN);
            let gpu = words.next().and_then(|word| word.parse().ok()).map(GpuIndex);
            let bytes = match words.next() {
                Some(UNKNOWN) => Some(None),
                Some(word) => word.parse().ok().map(|bytes| Some(Bytes(bytes))),
                None => None,
            };
            let component = words.next().map(str::to_owned);
            let both =
                gpu.zip(bytes).ok_or_else(|| format!("`{text}` is no part such as `0:6442450944:env`"));
            both.map(|(gpu, bytes)| VramPart { gpu, component, bytes })
        };
        let texts = text.split(BETWEEN).filter(|text| !text.is_empty());
        texts.map(part).collect::<Result<_, _>>().map(Self)
    }
}

impl From<VramParts> for String {
    fn from(parts: VramParts) -> Self {
        parts.to_string()
    }
}

impl TryFrom<String> for VramParts {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_added_up_and_come_back_from_their_text() {
        let mut parts = VramParts::default();
        parts.add_process(GpuIndex(0), Some("env"), Some(Bytes(5)));
        parts.add_process(GpuIndex(0), Some("env"), Some(Bytes(2)));
        parts.add_process(GpuIndex(0), Some("rollout"), Some(Bytes(16)));
        parts.add_process(GpuIndex(3), None, Some(Bytes(1)));
        parts.add_process(GpuIndex(3), None, None);
        assert_eq!(parts.to_string(), "0:7:env;0:16:rollout;3:?");
        assert_eq!(parts.to_string().parse(), Ok(parts.clone()));
        assert_eq!(parts.parts_on(GpuIndex(0)).count(), 2);
        assert!("0".parse::<VramParts>().is_err());
        assert_eq!("".parse(), Ok(VramParts::default()));
    }
}
