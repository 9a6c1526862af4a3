//! The services of a plan.

use std::collections::BTreeMap;

use super::plan::Plan;
use super::service::ServiceSpec;

impl Plan {
    /// Returns the plan without its shards, which may be thousands.
    pub fn without_shards(&self) -> Self {
        Self {
            version: self.version,
            name: self.name.clone(),
            sweep_dir: self.sweep_dir.clone(),
            axes: self.axes.clone(),
            template: self.template.clone(),
            shards: Vec::new(),
            services: self.services.clone(),
            resources: self.resources.clone(),
            schedule: self.schedule.clone(),
            progress: self.progress.clone(),
            metrics: self.metrics.clone(),
            rules: self.rules.clone(),
            value_log: self.value_log.clone(),
            results: self.results.clone(),
            analysis: self.analysis.clone(),
            hook: self.hook.clone(),
            commands: self.commands.clone(),
            foreign: BTreeMap::new(),
            expansion: None,
            nodes: self.nodes.clone(),
        }
    }

    /// Returns the service with the given name.
    pub fn service(&self, name: &str) -> Option<&ServiceSpec> {
        self.services.iter().find(|service| service.name == name)
    }
}
