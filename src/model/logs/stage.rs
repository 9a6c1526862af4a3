//! What a program is at before and after the steps that its progress counts.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Stage of a program, with a detail: `compiling: Warp kernels`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", content = "detail", rename_all = "kebab-case")]
pub enum Stage {
    /// Simulator, servers and clusters come up.
    Starting(Cow<'static, str>),
    /// Checkpoints, data and downloads are read.
    Loading(Cow<'static, str>),
    /// The simulated world and its environments are built.
    CreatingScene(Cow<'static, str>),
    /// Kernels, graphs, shaders or extensions are compiled; silent for many minutes.
    Compiling(Cow<'static, str>),
    /// The steps that the progress counts are being done.
    Running,
    /// The program finishes after its last step.
    Closing(Cow<'static, str>),
}

impl Stage {
    /// The word used on the screen.
    pub fn as_text(&self) -> &'static str {
        match self {
            Self::Starting(_) => "starting",
            Self::Loading(_) => "loading",
            Self::CreatingScene(_) => "creating the scene",
            Self::Compiling(_) => "compiling",
            Self::Running => "running",
            Self::Closing(_) => "closing",
        }
    }

    /// Returns the detail of the stage: the thing that is started, loaded or compiled.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Starting(detail)
            | Self::Loading(detail)
            | Self::CreatingScene(detail)
            | Self::Compiling(detail)
            | Self::Closing(detail) => Some(detail),
            Self::Running => None,
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.detail() {
            Some(detail) => f.pad(&format!("{}: {detail}", self.as_text())),
            None => f.pad(self.as_text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_written_with_its_detail() {
        let stage = Stage::CreatingScene("environments".into());
        let text = serde_json::to_string(&stage).unwrap();
        assert_eq!(text, r#"{"name":"creating-scene","detail":"environments"}"#);
        assert_eq!(serde_json::from_str::<Stage>(&text).unwrap(), stage);
        assert_eq!(serde_json::to_string(&Stage::Running).unwrap(), r#"{"name":"running"}"#);
        assert_eq!(stage.to_string(), "creating the scene: environments");
    }
}
