"""The files of a run, as plain Python values. Nothing is written, and no supervisor is started."""

import csv
import json
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path


class RunError(Exception):
    """A run that cannot be read, with what to do about it."""


def program():
    """The program of this environment, or of the path; `SWEEPDECK_PROGRAM` names another."""
    named = os.environ.get("SWEEPDECK_PROGRAM")
    own = Path(sysconfig.get_path("scripts")) / "sweepdeck"
    found = named or (str(own) if own.is_file() else shutil.which("sweepdeck"))
    if not found:
        raise RunError("the program `sweepdeck` is not on the path: pip install sweepdeck")
    return found


def status(run=None):
    """The document of `sweepdeck status RUN --json`; `run` is a folder or a name, left out the newest run."""
    named = [] if run is None else ["--run", os.fspath(run)]
    ended = subprocess.run([program(), "status", "--json", *named], capture_output=True, text=True)
    if ended.returncode != 0:
        raise RunError(ended.stderr.strip() or f"sweepdeck status ended with exit code {ended.returncode}")
    return json.loads(ended.stdout)


def json_lines(path):
    """The objects of a file of JSON lines; a torn last line is left out, and a file that is not there is empty."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:
            continue


def csv_rows(path):
    """The names of the columns, and the rows as dictionaries of texts; none where the file is empty or not there."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            return list(reader.fieldnames or []), list(reader)
    except FileNotFoundError:
        return [], []


def attempt_folder(run_dir, shard, number):
    return run_dir / "shards" / shard / f"attempt-{number:02d}"


def facts(run_dir, name):
    """The facts of that name, in their order."""
    return (fact for fact in json_lines(run_dir / "journal.jsonl") if fact.get("fact") == name)
