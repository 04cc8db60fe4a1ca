"""The tables of the folder that RULEKIT_DATA names, with their facts; none without it."""

import json
import os
from pathlib import Path

from rulekit.data import read_table
from rulekit.data.target import suggest_positive

FOLDER = os.environ.get("RULEKIT_DATA")
OUTSIDE = json.loads(Path(FOLDER, "datasets.json").read_text("utf-8")) if FOLDER else {}


def outside_file(name):
    """Return the path of a table."""
    return Path(FOLDER, OUTSIDE[name]["file"])


def outside_table(name):
    """Return a table with its outcome, and the class that the page describes first."""
    table = read_table(outside_file(name)).with_roles({OUTSIDE[name]["target"]: "target"})
    return table.with_roles({}, positive_label=suggest_positive(table, table.target))
