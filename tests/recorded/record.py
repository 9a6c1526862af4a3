#!/usr/bin/env python3
"""Makes a table of durations of two runs of a sweep, the second of which had learned from the first.

usage: record.py RUN_DIR RUN_DIR > NAME.json

Seconds since the creation of the run: when each shard started and ended, and when its log counted a step.
"""
import datetime
import json
import sys
from pathlib import Path


def seconds(text):
    whole, _, part = text.rstrip("Z").partition(".")
    return datetime.datetime.fromisoformat(whole + "+00:00").timestamp() + float("0." + (part or "0"))


def record(run):
    facts = [json.loads(line) for line in (run / "journal.jsonl").open()]
    begin = seconds(facts[0]["at"])
    shards = {spec["id"]: {"id": spec["id"], "steps": []} for spec in json.loads((run / "plan.json").read_text())["shards"]}
    for fact in facts:
        shard = shards.get(fact.get("shard"))
        if fact["fact"] == "attempt-started":
            shard["start"] = round(seconds(fact["started"]) - begin, 3)
        elif fact["fact"] == "attempt-ended":
            assert fact["outcome"]["verdict"] == "succeeded", fact
            shard["end"] = round(shard["start"] + fact["outcome"]["elapsed"], 3)
    for shard in shards.values():
        for line in (run / "shards" / shard["id"] / "attempt-01" / "marks.jsonl").open():
            mark = json.loads(line)
            if mark["mark"] == "progress":
                shard["total"] = mark["total"]
                shard["steps"].append([round(seconds(mark["at"]) - begin, 2), mark["done"]])
    return list(shards.values())


runs = [Path(run) for run in sys.argv[1:]]
plan = json.loads((runs[0] / "plan.json").read_text())
specs = [{"id": s["id"], "vars": s["vars"], "episodes": (s.get("slice") or {}).get("episodes")} for s in plan["shards"]]
table = {"parallel": plan["schedule"]["parallel"]["fixed"], "axes": plan["axes"], "shards": specs, "runs": [record(run) for run in runs]}
print(json.dumps(table, separators=(",", ":")))
