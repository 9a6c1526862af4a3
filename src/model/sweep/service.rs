//! Processes that shards share, such as a policy server, a simulator or a database: as the sweep declares
//! them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::shard_template::ShardTemplate;
use crate::model::ids::{GpuIndex, ShardId};
use crate::model::needs::resources::Resources;
use crate::model::units::seconds;
use crate::model::value::{Value, Variables};

/// Names longer than this would leave no room for attempts in paths of sockets and files.
const LONGEST_ID: usize = 120;

/// A `[[service]]` of the sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServiceSpec {
    /// The name by which templates use it: `{{ service.NAME.port }}`.
    pub name: String,
    /// How many instances there are.
    pub per: ServicePer,
    /// The axes whose values an instance has; shards with other values use another instance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<String>,
    /// Number of shards that one instance serves at the same time; unlimited by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serves: Option<u32>,
    /// The command of an instance and all that goes with it, as templates.
    pub template: ShardTemplate,
    /// The resources of the machine that an instance needs.
    pub resources: Resources,
    /// The port that the sweep sets; by default a free one is found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// How it is known that shards may use it.
    pub ready: ReadyCheck,
    /// Time after its start within which it must be ready.
    #[serde(with = "seconds")]
    pub ready_timeout: Duration,
    /// How often in a row it is started again after it failed.
    pub restarts: u32,
}

/// How many instances of a service there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ServicePer {
    /// A separate instance on each GPU, for the shards on it; a single one where the machine has no GPU.
    Gpu,
    /// A separate instance for all shards with the same values.
    Combo,
    /// A single instance for all shards.
    Run,
}

impl ServicePer {
    /// The word of the sweep file.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How it is known that shards may use a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadyCheck {
    /// Some process listens on its port.
    Port,
    /// A line of its log matches this pattern.
    Log(String),
    /// A GET of this path at its port is answered with a status of success.
    Http(String),
    /// A file exists; its path is a template.
    File(String),
}

impl ReadyCheck {
    /// Returns a few words for the condition that is waited for.
    pub fn to_text(&self) -> String {
        match self {
            Self::Port => "its port is open".to_owned(),
            Self::Log(pattern) => format!("its log has `{pattern}`"),
            Self::Http(path) => format!("GET {path} succeeds"),
            Self::File(path) => format!("{path} exists"),
        }
    }

    /// Reports whether the check uses the port of the service.
    pub fn asks_port(&self) -> bool {
        match self {
            Self::Port | Self::Http(_) => true,
            Self::Log(_) | Self::File(_) => false,
        }
    }
}

/// Identity of an instance of a service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServiceInstance {
    /// The name of the service.
    pub service: String,
    /// The GPU whose shards it serves, where there is one for each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<GpuIndex>,
    /// The values that its shards have in common.
    #[serde(default, skip_serializing_if = "is_without_values")]
    pub vars: Variables,
}

fn is_without_values(vars: &Variables) -> bool {
    vars.0.is_empty()
}

impl ServiceSpec {
    /// The values of a shard by which its instance is chosen.
    pub fn values_of(&self, vars: &Variables) -> Variables {
        let one = |axis: &String| vars.get(axis).map(|value| (axis.clone(), value.clone()));
        Variables(self.by.iter().filter_map(one).collect())
    }
}

impl ServiceInstance {
    /// The name of its folder, its log and its row: `policy`, `policy@gpu0`, `policy@flat`. `is_taken` knows
    /// which names other instances have: values that differ only in what a name cannot hold would share one.
    pub fn build_id(&self, is_taken: impl Fn(&ShardId) -> bool) -> ShardId {
        let gpu = self.gpu.map(|gpu| format!("gpu{gpu}"));
        let parts: Vec<String> =
            gpu.into_iter().chain(self.vars.iter().map(|(_, value)| file_name_part(value))).collect();
        let mut name = self.service.clone();
        if !parts.is_empty() {
            name.push('@');
            name.push_str(&parts.join("_"));
        }
        while name.len() > LONGEST_ID {
            name.pop();
        }
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut names =
            std::iter::once(name.clone()).chain(numbered).filter_map(|name| ShardId::new(name).ok());
        names.find(|id| !is_taken(id)).expect("the names of services are plain words, and numbers never end")
    }
}

/// The value as a part of a file name.
fn file_name_part(value: &Value) -> String {
    let keeps = |c: char| if c.is_ascii_alphanumeric() || "._+-=".contains(c) { c } else { '-' };
    value.to_string().chars().map(keeps).collect()
}

/// Reports whether a shard's id would be taken for that of an instance of the service.
pub fn is_instance_name(service: &str, id: &ShardId) -> bool {
    id.as_str().strip_prefix(service).is_some_and(|rest| rest.is_empty() || rest.starts_with(['@', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(gpu: Option<u32>, values: &[&str]) -> ServiceInstance {
        let vars = values.iter().map(|value| ("policy".to_owned(), Value::String((*value).to_owned())));
        ServiceInstance {
            service: "server".to_owned(),
            gpu: gpu.map(GpuIndex),
            vars: Variables(vars.collect()),
        }
    }

    #[test]
    fn instances_are_named_after_what_tells_them_apart() {
        let id = |gpu, values: &[&str]| instance(gpu, values).build_id(|_| false).to_string();
        assert_eq!(id(None, &[]), "server");
        assert_eq!(id(Some(3), &[]), "server@gpu3");
        assert_eq!(id(None, &["flat"]), "server@flat");
        assert_eq!(id(Some(0), &["runs/a b.pt"]), "server@gpu0_runs-a-b.pt");
        let taken = ShardId::new("server@a-b").unwrap();
        assert_eq!(instance(None, &["a/b"]).build_id(|id| *id == taken).as_str(), "server@a-b-2");
        let long = "x".repeat(500);
        assert!(id(None, &[&long]).len() <= LONGEST_ID);
    }

    #[test]
    fn ids_that_an_instance_may_have_are_no_names_for_shards() {
        let is_one = |id: &str| is_instance_name("server", &ShardId::new(id).unwrap());
        assert!(is_one("server") && is_one("server@gpu0") && is_one("server-2"));
        assert!(!is_one("servers") && !is_one("flat_server"));
    }
}
