//! Every family that is shown: its name, its labels, and what it means; the documentation is checked against it.

use super::exposition_text::{Definition, SeriesKind};

macro_rules! families {
    ($($constant:ident $kind:ident $name:literal [$($label:literal)*] $help:literal)*) => {
        $(#[doc = $help] pub const $constant: Definition = Definition {
            name: $name,
            kind: SeriesKind::$kind,
            labels: &[$($label),*],
            help: $help,
        };)*

        /// All families, in the order of the documentation.
        pub const ALL: &[&Definition] = &[$(&$constant),*];
    };
}

families! {
    BUILD_INFO Gauge "sweepdeck_build_info" ["version"]
        "Version of the program that reads the runs; always 1."
    RUNS_UNREADABLE Gauge "sweepdeck_runs_unreadable" []
        "Runs whose files cannot be read, and that are missing below."
    RUN_INFO Gauge "sweepdeck_run_info" ["run" "name"]
        "A run that is shown, with the name of its sweep; always 1."
    RUN_STATE Gauge "sweepdeck_run_state" ["run" "state"]
        "Whether the run is in this state: 1 for one of them, 0 for the others."
    RUN_START Gauge "sweepdeck_run_start_timestamp_seconds" ["run"]
        "When the run was created, in Unix time."
    RUN_ELAPSED Gauge "sweepdeck_run_elapsed_seconds" ["run"]
        "Time from the start of the run until now or its end."
    RUN_ETA Gauge "sweepdeck_run_eta_seconds" ["run"]
        "Time that the run is expected to take from now on."
    RUN_PROGRESS Gauge "sweepdeck_run_progress_ratio" ["run"]
        "Mean progress of the shards, 0 to 1; one that has ended counts as 1."
    RUN_TROUBLES Gauge "sweepdeck_run_troubles" ["run"]
        "Problems of the run as a whole, such as a full disk."
    RUN_SUCCESS Gauge "sweepdeck_run_success_ratio" ["run"]
        "Success of the run as its report shows it: the mean over combos, of the shards that succeeded."
    RESULT_EPISODES Gauge "sweepdeck_result_episodes" ["run"]
        "Episodes of the shards that succeeded."
    RESULT_SUCCESSES Gauge "sweepdeck_result_successes" ["run"]
        "Successful episodes of the shards that succeeded."
    EPISODES_DONE Gauge "sweepdeck_episodes_done" ["run"]
        "Episodes that the newest attempts have done; a shard that runs again begins at 0."
    SHARDS Gauge "sweepdeck_shards" ["run" "phase"]
        "Shards by phase; every phase is there."
    CONDITIONS Gauge "sweepdeck_shards_in_condition" ["run" "condition"]
        "Running shards that are stalled, need input or compile."
    FAILURES Gauge "sweepdeck_shards_failed" ["run" "reason"]
        "Shards that have failed for good, by reason."
    ATTEMPTS Counter "sweepdeck_attempts_total" ["run"]
        "Attempts that were begun."
    NODE_UP Gauge "sweepdeck_node_up" ["run" "node"]
        "Whether a node of the run takes shards, 0 or 1."
    NODE_SHARDS Gauge "sweepdeck_node_shards" ["run" "node" "state"]
        "Shards that a node runs, has waiting, or has taken to their end."
    SHARD_PROGRESS Gauge "sweepdeck_shard_progress_ratio" ["run" "shard" "node"]
        "Progress of a shard that is at work, 0 to 1."
    SHARD_ELAPSED Gauge "sweepdeck_shard_elapsed_seconds" ["run" "shard" "node"]
        "Time that a shard at work has run, without pauses."
    SHARD_ETA Gauge "sweepdeck_shard_eta_seconds" ["run" "shard" "node"]
        "Time that a shard at work is expected to take from now on."
    SHARD_METRIC Gauge "sweepdeck_shard_metric" ["run" "shard" "node" "metric"]
        "Newest value of a metric of a shard at work, in its own unit."
    SHARD_CPU Gauge "sweepdeck_shard_cpu_cores" ["run" "shard" "node"]
        "Cores that a shard at work keeps busy."
    SHARD_MEMORY Gauge "sweepdeck_shard_memory_bytes" ["run" "shard" "node"]
        "Resident memory of a shard at work."
    SHARD_VRAM Gauge "sweepdeck_shard_gpu_memory_bytes" ["run" "shard" "node"]
        "GPU memory of a shard at work."
    SHARD_ENERGY Gauge "sweepdeck_shard_energy_joules" ["run" "shard" "node"]
        "Energy that GPUs drew for all attempts of a shard at work."
    GPU_INFO Gauge "sweepdeck_gpu_info" ["gpu" "uuid" "name"]
        "A GPU of this machine; always 1."
    GPU_MEMORY_USED Gauge "sweepdeck_gpu_memory_used_bytes" ["gpu"]
        "Memory of the GPU in use by any process."
    GPU_MEMORY_SIZE Gauge "sweepdeck_gpu_memory_size_bytes" ["gpu"]
        "Memory that the GPU has."
    GPU_POWER Gauge "sweepdeck_gpu_power_watts" ["gpu"]
        "Power that the GPU draws."
    GPU_POWER_LIMIT Gauge "sweepdeck_gpu_power_limit_watts" ["gpu"]
        "Power limit that is enforced."
    GPU_ENERGY Counter "sweepdeck_gpu_energy_joules_total" ["gpu"]
        "Energy drawn since the driver was loaded."
    GPU_TEMPERATURE Gauge "sweepdeck_gpu_temperature_celsius" ["gpu"]
        "Temperature of the core of the GPU."
    GPU_UTILIZATION Gauge "sweepdeck_gpu_utilization_ratio" ["gpu"]
        "Share of the last second in which kernels ran, 0 to 1."
    GPU_THROTTLED Gauge "sweepdeck_gpu_throttled" ["gpu" "cause"]
        "Whether the clocks of the GPU are held back for this cause, 0 or 1."
    GPU_THROTTLED_RATIO Gauge "sweepdeck_gpu_throttled_ratio" ["gpu"]
        "Share of the last second in which its clocks were held back, 0 to 1."
    GPU_FAULTS Gauge "sweepdeck_gpu_faults" ["gpu"]
        "Faults of the GPU that a run at work has seen."
    HOST_CPU Gauge "sweepdeck_host_cpu_utilization_ratio" []
        "Share of all cores that is busy, 0 to 1."
    HOST_CORES Gauge "sweepdeck_host_cores" []
        "Cores that runs may use."
    HOST_MEMORY_USED Gauge "sweepdeck_host_memory_used_bytes" []
        "Main memory in use."
    HOST_MEMORY_SIZE Gauge "sweepdeck_host_memory_size_bytes" []
        "Main memory of the machine, or of its container."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_base_units_and_the_documentation_has_each() {
        let page = include_str!("../../../docs/metrics.md");
        for family in ALL {
            assert_eq!(
                family.kind == SeriesKind::Counter,
                family.name.ends_with("_total"),
                "{}",
                family.name
            );
            assert!(family.name.starts_with("sweepdeck_"), "{}", family.name);
            assert!(
                page.contains(&format!("| `{}` |", family.name)),
                "docs/metrics.md lacks {}",
                family.name
            );
            assert!(page.contains(family.help), "docs/metrics.md says otherwise of {}", family.name);
        }
    }
}
