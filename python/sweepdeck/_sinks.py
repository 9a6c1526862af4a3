"""Trackers: each takes an attempt as a whole, and the same attempt again without doubling anything."""

import os


class Wandb:
    """Weights & Biases: one run for each attempt, under a fixed id, in the group of the sweep's run."""

    name = "wandb"

    def __init__(self, project, offline):
        import wandb

        self.wandb, self.project, self.mode = wandb, project, "offline" if offline else "online"

    def put(self, attempt):
        # Nothing of this machine but what is given. `resume` is left out: an offline run is sent from its beginning each
        # time, and the server keeps each line by its place.
        settings = self.wandb.Settings(
            console="off", silent=True, x_disable_stats=True, x_disable_meta=True, x_disable_machine_info=True,
            x_save_requirements=False, disable_git=True, save_code=False, host="-", program="-",
        )
        run = self.wandb.init(
            mode=self.mode, project=self.project, id=attempt.slug, name=attempt.shard, group=attempt.run, job_type="attempt",
            tags=[attempt.phase], config={**attempt.params, "attempt": attempt.number}, settings=settings,
            resume=None if self.mode == "offline" else "allow",
        )
        for row in attempt.rows:
            run.log(row.values, step=row.step)
        # Another name than that of a logged number, which would win.
        run.summary.update({f"result/{name}": value for name, value in attempt.final.items()})
        run.finish()
        return attempt.slug

    def close(self):
        # Else the service may end before the files are written.
        self.wandb.teardown()


class Mlflow:
    """MLflow: one run for each attempt, found again by a tag."""

    name = "mlflow"
    KEY = "sweepdeck.key"

    def __init__(self, project, offline):
        os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
        import mlflow
        from mlflow.entities import Metric, Param, RunTag

        if offline:
            raise ValueError("MLflow has no offline mode: MLFLOW_TRACKING_URI may name a file, such as sqlite:///mlflow.db")
        self.client, self.Metric, self.Param, self.RunTag = mlflow.MlflowClient(), Metric, Param, RunTag
        if self.client.tracking_uri.startswith("file:") or "://" not in self.client.tracking_uri:
            raise ValueError("the file store of MLflow doubles numbers: let MLFLOW_TRACKING_URI name a server or sqlite:///mlflow.db")
        found = self.client.get_experiment_by_name(project)
        self.experiment = found.experiment_id if found else self.client.create_experiment(project)

    def put(self, attempt):
        begun = attempt.rows[0].at_ms if attempt.rows else 0
        ended = attempt.rows[-1].at_ms if attempt.rows else 0
        key = attempt.slug
        found = self.client.search_runs([self.experiment], f"tags.`{self.KEY}` = '{key}'", max_results=1)
        run = found[0] if found else self.client.create_run(
            self.experiment, start_time=begun, run_name=attempt.shard, tags={self.KEY: key}
        )
        run_id = run.info.run_id
        # Equal numbers are ignored by the store; so times come from the run, never from now.
        numbers = [
            self.Metric(self._name(name), value, row.at_ms, row.step)
            for row in attempt.rows for name, value in row.values.items()
        ]
        numbers += [self.Metric(self._name(f"result/{name}"), value, ended, 0) for name, value in attempt.final.items()]
        for first in range(0, len(numbers), 1000):
            self.client.log_batch(run_id, metrics=numbers[first:first + 1000])
        params = {**attempt.params, "attempt": attempt.number}
        tags = {"sweepdeck.run": attempt.run, "sweepdeck.phase": attempt.phase}
        self.client.log_batch(
            run_id,
            params=[self.Param(self._name(name), str(value)) for name, value in params.items()],
            tags=[self.RunTag(name, value) for name, value in tags.items()],
        )
        states = {"succeeded": "FINISHED", "failed": "FAILED", "cancelled": "KILLED", "superseded": "FAILED"}
        if attempt.phase in states:
            self.client.set_terminated(run_id, status=states[attempt.phase], end_time=ended)
        return run_id

    @staticmethod
    def _name(name):
        return "".join(c if c.isalnum() or c in "_-./ " else "_" for c in name)[:250]

    def close(self):
        pass


class Trackio:
    """Trackio appends whatever comes: an attempt is sent once, when it has ended."""

    name = "trackio"

    def __init__(self, project, offline):
        import trackio

        if offline:
            raise ValueError("Trackio writes to this machine anyway: leave `--offline` out")
        self.trackio, self.project = trackio, project

    def put(self, attempt):
        run = self.trackio.init(
            project=self.project, name=attempt.slug, group=attempt.run, embed=False,
            config={**attempt.params, "attempt": attempt.number, "phase": attempt.phase},
        )
        for row in attempt.rows:
            run.log(row.values, step=row.step)
        if attempt.final:
            run.log({f"result/{name}": value for name, value in attempt.final.items()}, step=len(attempt.rows))
        run.finish()
        return attempt.slug

    def close(self):
        pass


SINKS = {sink.name: sink for sink in (Wandb, Mlflow, Trackio)}
