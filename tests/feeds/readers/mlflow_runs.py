"""Prints the runs of an experiment in the store that MLFLOW_TRACKING_URI names."""

import json
import sys

import mlflow

client = mlflow.MlflowClient()
experiment = client.get_experiment_by_name(sys.argv[1])
runs = [
    {
        "name": run.info.run_name,
        "status": run.info.status,
        "params": run.data.params,
        "phase": run.data.tags["sweepdeck.phase"],
        "points": len(client.get_metric_history(run.info.run_id, "done")),
        "result": run.data.metrics.get("result/success_rate"),
    }
    for run in client.search_runs([experiment.experiment_id])
]
print(json.dumps(sorted(runs, key=lambda run: (run["name"], run["phase"]))))
