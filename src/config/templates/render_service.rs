//! The command of one attempt of a service.

use std::path::PathBuf;

use super::render::{self, RenderError, Rendered, StartValues};
use crate::model::history::ShardHistory;
use crate::model::ids::ShardId;
use crate::model::needs::own_needs::OwnNeeds;
use crate::model::results::results_spec::ResultsSpec;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::plan::{Plan, ProgressSpec, ShardSpec};
use crate::model::sweep::service::{ReadyCheck, ServiceSpec};
use crate::model::sweep::shard_template::ShardTemplate;
use crate::model::value::Variables;

/// Renders everything an attempt of a service needs, and the file that shows that it is ready, if there is
/// one.
pub fn render_service(
    plan: &Plan,
    spec: &ServiceSpec,
    id: &ShardId,
    vars: &Variables,
    start: &StartValues,
) -> Result<(Rendered, Option<String>), RenderError> {
    let (plan, shard) = as_shard(plan, spec, id, vars);
    let mut rendered = render::render_attempt(&plan, &shard, start)?;
    let ready = rendered.artifacts.pop();
    Ok((rendered, ready))
}

/// Whether any template of the service uses `{{ port }}`, or its check asks at one.
pub fn wants_port(plan: &Plan, spec: &ServiceSpec) -> bool {
    let id = ShardId::new(spec.name.clone());
    let uses = |id: &ShardId| render::wants_port(&as_shard(plan, spec, id, &Variables::default()).0);
    spec.ready.asks_port() || id.as_ref().is_ok_and(uses)
}

/// A sweep of nothing but the service: its templates follow the same rules as those of a shard.
fn as_shard(plan: &Plan, spec: &ServiceSpec, id: &ShardId, vars: &Variables) -> (Plan, ShardSpec) {
    let artifacts = match &spec.ready {
        ReadyCheck::File(file) => vec![file.clone()],
        ReadyCheck::Port | ReadyCheck::Log(_) | ReadyCheck::Http(_) => Vec::new(),
    };
    let secret = plan.template.secret.clone();
    let plan = Plan {
        template: ShardTemplate { artifacts, secret, ..spec.template.clone() },
        resources: spec.resources.clone(),
        shards: Vec::new(),
        services: Vec::new(),
        metrics: Vec::new(),
        progress: ProgressSpec { file: None, ..plan.progress.clone() },
        results: ResultsSpec::default(),
        ..plan.without_shards()
    };
    let shard = ShardSpec {
        id: id.clone(),
        vars: vars.clone(),
        slice: None,
        pack: None,
        command: String::new(),
        cwd: PathBuf::new(),
        expected: None,
        needs: OwnNeeds::default(),
        learned: ShardHistory::default(),
        edit: Edit::default(),
    };
    (plan, shard)
}
