"""Prints the runs of a project of Trackio, with the number of rows of each."""

import json
import os
import sqlite3
import sys

base = sqlite3.connect(os.path.join(os.environ["TRACKIO_DIR"], sys.argv[1] + ".db"))
print(json.dumps(base.execute("select run_name, count(*) from metrics group by run_name order by run_name").fetchall()))
