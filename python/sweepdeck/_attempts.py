"""The attempts of a run as trackers take them: parameters, rows of numbers, a result. Pure values, and the same each time."""

import hashlib
import json
import math
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from . import _reader


@dataclass(frozen=True)
class Row:
    """The numbers that one line of the log brought."""

    step: int
    at_ms: int
    values: dict


@dataclass(frozen=True)
class Attempt:
    """An attempt of a shard; the newest one counts, earlier ones are superseded."""

    run: str
    shard: str
    number: int
    params: dict
    rows: tuple
    final: dict
    phase: str

    @property
    def key(self):
        """The fixed name, by which a later export finds this one."""
        return f"{self.run}/{self.shard}/{self.number}"

    @property
    def slug(self):
        """The key as an id of letters, digits, `-`, `_` and `.`, at most 63 long."""
        plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", self.key)[:50]
        return f"{plain}-{hashlib.sha256(self.key.encode()).hexdigest()[:12]}"

    @property
    def digest(self):
        """The content; the same content is not sent again."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def read_attempts(status):
    """All attempts of the run of that status document, in the order of its shards."""
    run_dir, run = Path(status["run"]["dir"]), status["run"]["id"]
    ended = {(fact["shard"], fact["attempt"]): fact["outcome"] for fact in _reader.facts(run_dir, "attempt-ended")}
    for shard in status["shards"]:
        newest = shard["attempt"] or 0
        for number in range(1, newest + 1):
            outcome = ended.get((shard["id"], number))
            marks = _reader.json_lines(_reader.attempt_folder(run_dir, shard["id"], number) / "marks.jsonl")
            yield Attempt(
                run=run,
                shard=shard["id"],
                number=number,
                params=shard["vars"],
                rows=tuple(collect_rows(marks)),
                final=_numbers(outcome.get("metrics") or {}) if outcome else {},
                phase=shard["phase"] if number == newest else "superseded",
            )


def collect_rows(marks):
    """Marks of one line are one row; its step is its place."""
    rows, offset = [], None
    for mark in marks:
        kind = mark.get("mark")
        if kind == "progress":
            name, value = "done", mark["done"]
        elif kind == "metric" and _is_number(mark.get("value")):
            name, value = mark["name"], mark["value"]
        else:
            continue
        if mark["offset"] != offset:
            offset = mark["offset"]
            rows.append(Row(len(rows), _milliseconds(mark["at"]), {}))
        rows[-1].values[name] = float(value)
    return rows


def _numbers(values):
    return {name: value for name, value in values.items() if _is_number(value)}


def _is_number(value):
    return isinstance(value, (int, float)) and math.isfinite(value)


def _milliseconds(text):
    """Milliseconds since 1970 of a time such as 2026-11-23T05:03:59.603732839Z: Python 3.8 reads no nine digits."""
    from datetime import datetime, timezone

    whole, _, fraction = text.rstrip("Z").partition(".")
    seconds = datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc).timestamp()
    return int(seconds) * 1000 + int((fraction + "000")[:3])
