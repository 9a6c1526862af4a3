"""Prints the offline runs of Weights & Biases in a folder, by the package's own messages."""

import glob
import json
import struct
import sys

from wandb.proto import wandb_internal_pb2

BLOCK, HEADER = 32768, 7


def records(data):
    """The records of a file: blocks of frames with checksum, length and kind (1 whole, 2 first, 3 middle, 4 last)."""
    place, body = HEADER, b""
    while place + HEADER <= len(data):
        left = BLOCK - place % BLOCK
        if left < HEADER:
            place += left
            continue
        _, length, kind = struct.unpack_from("<IHB", data, place)
        part = data[place + HEADER:place + HEADER + length]
        body = part if kind in (1, 2) else body + part
        place += HEADER + length
        if kind in (1, 4):
            yield wandb_internal_pb2.Record.FromString(body)


runs = []
for path in sorted(glob.glob(sys.argv[1] + "/wandb/offline-run-*/*.wandb")):
    run = {"rows": 0, "result": {}}
    for record in records(open(path, "rb").read()):
        if record.HasField("run"):
            run.update(id=record.run.run_id, group=record.run.run_group, tags=list(record.run.tags))
        elif record.HasField("history"):
            run["rows"] += 1
        elif record.HasField("summary"):
            for item in record.summary.update:
                name = item.key or ".".join(item.nested_key)
                if name.startswith("result/"):
                    run["result"][name] = json.loads(item.value_json)
    runs.append(run)
print(json.dumps(runs))
