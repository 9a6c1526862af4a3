//! The services of a sweep in `check`.

use serde_json::{Value, json};

use crate::model::sweep::service::{ServicePer, ServiceSpec};

/// Returns the entry of a service in `check --json`.
pub fn service_json(service: &ServiceSpec) -> Value {
    json!({
        "name": service.name,
        "per": service.per.as_str(),
        "by": service.by,
        "serves": service.serves,
        "command": service.template.command.to_line(),
        "ready": service.ready.to_text(),
        "ready_timeout_s": service.ready_timeout.as_secs_f64(),
        "restarts": service.restarts,
    })
}

/// `service policy: one per GPU, serves 3 shards each, ready when its port is open: python serve.py`
pub fn format_service(service: &ServiceSpec) -> String {
    let per = match (service.per, service.by.join(", ")) {
        (ServicePer::Run, _) => "one for the run".to_owned(),
        (ServicePer::Combo, by) => format!("one per {by}"),
        (ServicePer::Gpu, by) if by.is_empty() => "one per GPU".to_owned(),
        (ServicePer::Gpu, by) => format!("one per GPU and {by}"),
    };
    let serves = match service.serves {
        Some(1) => ", serves 1 shard at a time".to_owned(),
        Some(serves) => format!(", serves {serves} shards at a time"),
        None => String::new(),
    };
    let ready = service.ready.to_text();
    let command = service.template.command.to_line();
    format!("service {}: {per}{serves}, ready when {ready}: {command}\n", service.name)
}
