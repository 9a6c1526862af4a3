//! The supervisor's part in services: where shards find them, and what is watched of them.

use std::collections::BTreeMap;

use super::attempts::launch::LaunchTarget;
use super::event_loop::Supervisor;
use crate::config::templates::service_values::ServiceAddress;
use crate::model::attempt::StartRecord;
use crate::model::ids::AttemptKey;

impl Supervisor {
    /// Returns the part of the run that an attempt belongs to: a service, or a shard with the services that it was
    /// given.
    pub(super) fn part_of(&self, key: &AttemptKey) -> LaunchTarget {
        if let Some(service) = self.state().service(&key.shard) {
            return LaunchTarget::Service(service.instance.clone());
        }
        let claim = self.state().shard(&key.shard).and_then(|shard| shard.phase.claim());
        let services = claim.into_iter().flat_map(|claim| &claim.services);
        let services = services.filter_map(|id| self.state().service(id)).map(|service| {
            let (id, attempt) = (service.id().clone(), service.life.attempt);
            let out = attempt.map_or_else(String::new, |attempt| {
                let dir = self.executor.attempt_dir(&AttemptKey { shard: id.clone(), attempt });
                dir.out_folder().to_string_lossy().into_owned()
            });
            (service.instance.service.clone(), ServiceAddress::for_instance(&id, service.port(), out))
        });
        LaunchTarget::Shard(services.collect::<BTreeMap<_, _>>())
    }

    /// Watches a service from now on; nothing where the attempt is a shard's.
    pub(super) fn watch_service(&self, key: &AttemptKey, started: &StartRecord) {
        let service = self.state().service(&key.shard);
        let spec = service.and_then(|service| self.executor.plan().service(&service.instance.service));
        if let Some(spec) = spec {
            self.executor.watch_service(key, started, &spec.ready);
        }
    }
}
