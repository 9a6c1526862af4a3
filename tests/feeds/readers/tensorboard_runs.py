"""Prints what TensorBoard's own reader makes of a folder: runs, tags, and the step and value of each point."""

import json
import os
import sys

from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer

multiplexer = EventMultiplexer(size_guidance={"scalars": 0})
multiplexer.AddRunsFromDirectory(sys.argv[1]).Reload()
runs = {}
for run, tags in multiplexer.Runs().items():
    scalars = {tag: [[point.step, point.value] for point in multiplexer.Scalars(run, tag)] for tag in tags["scalars"]}
    runs[os.path.normpath(run)] = {"scalars": scalars, "plugins": sorted(multiplexer.GetAccumulator(run).PluginTagToContent("hparams"))}
print(json.dumps(runs))
