"""Data frames of a run, whose types do not depend on which cells are empty."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from . import _reader

WORD, WHOLE, NUMBER, FLAG, TIME = "word", "whole", "number", "flag", "time"

SHARDS = {
    "shard": WORD, "phase": WORD, "reason": WORD, "message": WORD, "attempt": WHOLE, "done": WHOLE, "total": WHOLE,
    "seconds": NUMBER, "peak_vram_bytes": WHOLE, "energy_j": NUMBER,
}
ATTEMPTS = {
    "shard": WORD, "attempt": WHOLE, "ended": TIME, "verdict": WORD, "reason": WORD, "message": WORD, "seconds": NUMBER,
    "done": WHOLE, "total": WHOLE, "exit_status": WHOLE, "peak_vram_bytes": WHOLE, "peak_rss_bytes": WHOLE,
}
EPISODES = {"shard": WORD, "attempt": WHOLE, "task": WORD, "episode": WHOLE, "seed": WHOLE, "success": FLAG}
TELEMETRY_WORDS = {"shard", "uuid", "throttle", "vram_parts"}
TELEMETRY_WHOLE = {"gpu", "attempt", "processes", "cores", "ecc_uncorrected", "outside_processes"}
TELEMETRY_FLAGS = {"energy_shared"}
# The columns of a file in which nothing was written yet.
TELEMETRY = {
    "gpu": (
        "timestamp gpu vram_used_bytes vram_total_bytes utilization_percent power_w power_cap_w temperature_c clock_sm_mhz "
        "clock_memory_mhz throttle throttled_percent energy_j"
    ).split(),
    "host": "timestamp cpu_percent cores ram_used_bytes ram_total_bytes".split(),
    "shard": "timestamp shard attempt cpu_percent rss_bytes vram_bytes processes energy_j".split(),
}
SIGNS = {"1": True, "0": False}


def load(run=None, frames="pandas"):
    """Opens a run, by its folder or its name, or the newest; `frames` is "pandas" or "polars"."""
    builders = {"pandas": _pandas, "polars": _polars}
    if frames not in builders:
        raise ValueError(f'frames is "pandas" or "polars", not {frames!r}')
    return Run(_reader.status(run), builders[frames])


@dataclass(frozen=True)
class Run:
    """A run; each table is read when it is asked for."""

    status: dict
    _build: object

    @property
    def id(self):
        return self.status["run"]["id"]

    @property
    def dir(self):
        return Path(self.status["run"]["dir"])

    @cached_property
    def shards(self):
        """A row for each shard: its axes with their types, phase, progress, metrics."""
        axes = _kinds_of([shard["vars"] for shard in self.status["shards"]])
        metrics = {name: NUMBER for shard in self.status["shards"] for name in shard["metrics"]}
        kinds = {**SHARDS, **_apart(axes, SHARDS, "axis"), **_apart(metrics, {**SHARDS, **axes}, "metric")}
        return self._build([self._shard_row(shard, axes) for shard in self.status["shards"]], kinds)

    def _shard_row(self, shard, axes):
        progress = shard["progress"] or {}
        row = {name: shard.get(name) for name in SHARDS}
        row.update(shard=shard["id"], seconds=shard["elapsed_s"], done=progress.get("done"), total=progress.get("total"))
        row.update({_name(name, SHARDS, "axis"): value for name, value in shard["vars"].items()})
        row.update({_name(name, {**SHARDS, **axes}, "metric"): value for name, value in shard["metrics"].items()})
        return row

    @cached_property
    def attempts(self):
        """A row for each attempt that has ended, also those that were done again."""
        rows, metrics = [], {}
        for fact in _reader.facts(self.dir, "attempt-ended"):
            outcome = fact["outcome"]
            progress, peaks = outcome.get("progress") or {}, outcome.get("peaks") or {}
            own = outcome.get("metrics") or {}
            metrics.update({_name(name, ATTEMPTS, "metric"): NUMBER for name in own})
            rows.append({
                "shard": fact["shard"], "attempt": fact["attempt"], "ended": fact["at"], "verdict": outcome["verdict"],
                "reason": outcome.get("reason"), "message": outcome.get("message"), "seconds": outcome.get("elapsed"),
                "done": progress.get("done"), "total": progress.get("total"),
                "exit_status": (outcome.get("exit") or {}).get("raw"),
                "peak_vram_bytes": peaks.get("vram"), "peak_rss_bytes": peaks.get("rss"),
                **{_name(name, ATTEMPTS, "metric"): value for name, value in own.items()},
            })
        return self._build(rows, {**ATTEMPTS, **metrics})

    @cached_property
    def episodes(self):
        """A row for each episode whose end is known one by one."""
        rows = []
        for fact in _reader.facts(self.dir, "attempt-ended"):
            for stretch in fact["outcome"].get("episodes") or []:
                seeds = stretch.get("seeds")
                for place, sign in enumerate(stretch["ended"]):
                    rows.append({
                        "shard": fact["shard"], "attempt": fact["attempt"], "task": stretch.get("task") or None,
                        "episode": stretch["first"] + place,
                        "seed": seeds["first"] + place * seeds.get("step", 0) if seeds else None,
                        "success": SIGNS.get(sign),
                    })
        return self._build(rows, EPISODES)

    @cached_property
    def telemetry(self):
        """Frames by name: `gpu`, `host` and `shard`, a row for each reading."""
        return {name: self._table(name) for name in TELEMETRY}

    def _table(self, table):
        names, rows = _reader.csv_rows(self.dir / "telemetry" / f"{table}_metrics.csv")
        kinds = {name: _telemetry_kind(name) for name in names or TELEMETRY[table]}
        return self._build([{name: _parse(row.get(name), kinds[name]) for name in kinds} for row in rows], kinds)


def _telemetry_kind(name):
    if name == "timestamp":
        return TIME
    if name in TELEMETRY_WORDS:
        return WORD
    if name in TELEMETRY_FLAGS:
        return FLAG
    return WHOLE if name in TELEMETRY_WHOLE or name.endswith("_bytes") else NUMBER


def _parse(text, kind):
    if not text:
        return None
    if kind in (WORD, TIME):
        return text
    if kind == FLAG:
        return text == "true"
    number = float(text)
    return round(number) if kind == WHOLE else number


def _kinds_of(records):
    """The kind of each axis: that of its values, a word where they differ."""
    kinds = {}
    for record in records:
        for name, value in record.items():
            own = FLAG if isinstance(value, bool) else WHOLE if isinstance(value, int) else NUMBER if isinstance(value, float) else WORD
            known = kinds.setdefault(name, own)
            if known != own:
                kinds[name] = NUMBER if {known, own} == {WHOLE, NUMBER} else WORD
    return kinds


def _name(name, taken, prefix):
    """A column of its own for an axis or a metric that is called like another one."""
    return f"{prefix}_{name}" if name in taken else name


def _apart(kinds, taken, prefix):
    return {_name(name, taken, prefix): kind for name, kind in kinds.items()}


def _column(rows, name, kind):
    values = [row.get(name) for row in rows]
    if kind == WORD:
        return [value if value is None or isinstance(value, str) else _text(value) for value in values]
    if kind == NUMBER:
        return [None if value is None else float(value) for value in values]
    return values


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def _pandas(rows, kinds):
    import pandas

    types = {WORD: "string", WHOLE: "Int64", NUMBER: "Float64", FLAG: "boolean"}
    columns = {}
    for name, kind in kinds.items():
        values = _column(rows, name, kind)
        if kind == TIME:
            times = pandas.to_datetime(pandas.Series(values, dtype="string"), utc=True, format="ISO8601")
            columns[name] = times.astype("datetime64[ns, UTC]")
        else:
            columns[name] = pandas.Series(values, dtype=types[kind])
    return pandas.DataFrame(columns)


def _polars(rows, kinds):
    import polars

    types = {WORD: polars.String, WHOLE: polars.Int64, NUMBER: polars.Float64, FLAG: polars.Boolean, TIME: polars.String}
    frame = polars.DataFrame(
        {name: _column(rows, name, kind) for name, kind in kinds.items()},
        schema={name: types[kind] for name, kind in kinds.items()},
    )
    times = [name for name, kind in kinds.items() if kind == TIME]
    return frame.with_columns(polars.col(times).str.to_datetime(time_unit="us", time_zone="UTC", format="%+"))
