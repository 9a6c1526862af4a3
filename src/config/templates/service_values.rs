//! What templates of shards see of a service: `{{ service.NAME.port }}` and its kin.

use std::collections::BTreeMap;

use minijinja::Value;

use super::program_path::ProgramPath;
use super::template::Context;
use crate::model::ids::ShardId;
use crate::model::sweep::service::ServiceSpec;

/// Services listen on this machine, and other users' programs have no business with them.
const HOST: &str = "127.0.0.1";

/// Name, port and folder of an instance of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAddress {
    /// Id of the instance's row.
    pub id: String,
    /// Its port; 0 where it has none, or none that is known any more.
    pub port: u16,
    /// The folder that its attempt writes to.
    pub out: String,
}

impl ServiceAddress {
    /// Describes a running instance.
    pub fn for_instance(id: &ShardId, port: Option<u16>, out: String) -> Self {
        Self { id: id.to_string(), port: port.unwrap_or(0), out }
    }

    /// Makes up a plausible instance for a trial.
    pub(in crate::config) fn of_trial(service: &ServiceSpec) -> Self {
        let out = format!("/run/shards/{}/attempt-01/out", service.name);
        Self { id: service.name.clone(), port: service.port.unwrap_or(49152), out }
    }

    /// Describes an instance whose place is not known: what is named after it cannot be looked for.
    pub(in crate::config) fn unknown(service: &ServiceSpec) -> Self {
        Self { id: service.name.clone(), port: 0, out: String::new() }
    }
}

/// Adds the services under their names; nothing where there are none.
pub(in crate::config) fn add_services(
    context: &mut Context,
    services: impl Iterator<Item = (String, ServiceAddress)>,
) {
    let values: BTreeMap<String, Value> =
        services.map(|(name, address)| (name, address_value(&address))).collect();
    if !values.is_empty() {
        context.insert("service".to_owned(), Value::from(values));
    }
}

fn address_value(address: &ServiceAddress) -> Value {
    Value::from_pairs([
        ("id", Value::from(address.id.as_str())),
        ("host", Value::from(HOST)),
        ("port", Value::from(address.port)),
        ("address", Value::from(format!("{HOST}:{}", address.port))),
        ("out", Value::from_object(ProgramPath(address.out.clone()))),
    ])
}
