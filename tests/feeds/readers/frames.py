"""Prints the shape and the types of the frames of runs, by pandas or polars: the same for each run."""

import json
import sys

import sweepdeck

frames, *paths = sys.argv[1:]
loaded = [sweepdeck.load(path, frames=frames) for path in paths]


def tables(run):
    return {"shards": run.shards, "attempts": run.attempts, "episodes": run.episodes, **run.telemetry}


def types(table):
    return {name: str(kind) for name, kind in zip(table.columns, table.dtypes)}


out = []
for run in loaded:
    out.append({name: {"rows": len(table), "types": types(table)} for name, table in tables(run).items()})
print(json.dumps(out))
