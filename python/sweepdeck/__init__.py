"""Reads runs of sweepdeck: data frames of their tables, and exports to trackers of experiments.

    import sweepdeck
    run = sweepdeck.load("results/h100_eval")        # or a name; frames="polars" for polars
    run.shards.groupby("policy").success_rate.mean()

The program itself is `sweepdeck`, on the path of the environment that this package is installed in.
"""

from ._frames import Run, load
from ._reader import RunError, status

__all__ = ["Run", "RunError", "load", "status"]
