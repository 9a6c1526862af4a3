"""Sends a run to a tracker of experiments: python -m sweepdeck.sync RUN --to wandb|mlflow|trackio

Done again, it doubles nothing: ids are fixed, and what was sent with the same content is not sent again.
"""

import argparse
import fcntl
import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path

from ._attempts import read_attempts
from ._reader import RunError, json_lines, status
from ._sinks import SINKS

OVER = {"succeeded", "failed", "cancelled", "superseded"}


def sync(run, to, project=None, offline=False):
    """Sends what is new of a run; returns the ids of what was sent."""
    document = status(run)
    project = project or document["run"]["name"]
    with ledger(document["run"]["id"], to, project, offline) as (sent, remember):
        sink, ids = SINKS[to](project, offline), []
        try:
            for attempt in read_attempts(document):
                if sent.get(attempt.key) == attempt.digest or not is_due(to, attempt, sent):
                    continue
                if to == "trackio":
                    # It appends: better a part is missing after a crash than there twice.
                    remember(attempt)
                ids.append(sink.put(attempt))
                if to != "trackio":
                    remember(attempt)
        finally:
            sink.close()
    return ids


def is_due(to, attempt, sent):
    """Trackio takes an attempt once, when it is over."""
    return to != "trackio" or (attempt.phase in OVER and attempt.key not in sent)


@contextmanager
def ledger(run, to, project, offline):
    """What was sent so far, by key, under a lock: two exports at once would not see each other's."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "sweepdeck" / "sync"
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    place = f"{to}-offline" if offline else to
    path = state / f"{run}.{place}.jsonl"
    with open(path, "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        entries = [entry for entry in json_lines(path) if entry["project"] == project]

        def remember(attempt):
            file.write(json.dumps({"project": project, "key": attempt.key, "sha256": attempt.digest}) + "\n")
            file.flush()
            os.fsync(file.fileno())

        yield {entry["key"]: entry["sha256"] for entry in entries}, remember


def main(words=None):
    parser = argparse.ArgumentParser(prog="python -m sweepdeck.sync", description=__doc__.splitlines()[0])
    parser.add_argument("run", help="the run, by name or folder")
    parser.add_argument("--to", required=True, choices=sorted(SINKS))
    parser.add_argument("--project", help="name of the project or experiment [default: the name of the sweep]")
    parser.add_argument("--offline", action="store_true", help="write what is sent later (Weights & Biases)")
    args = parser.parse_args(words)
    try:
        ids = sync(args.run, args.to, args.project, args.offline)
    except ImportError as error:
        sys.exit(f"error: {error}: pip install {args.to}")
    except (RunError, ValueError) as error:
        sys.exit(f"error: {error}")
    print(f"{len(ids)} attempts sent to {args.to}" if ids else f"nothing new for {args.to}")


if __name__ == "__main__":
    main()
