"""How long does it take to begin? Import of the package and the command, against scikit-learn.

``ours`` is the CPU seconds of a fresh process, the median of five; ``reference`` those of
``python -c "import sklearn.ensemble"`` (called U), which processors differ by.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks._cli import Row, report, run
from rulekit import Clause, Literal, RuleSet, to_json

RUNS = 5


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure the import and the verbs that only read a rule, on the bundled sample."""
    clause = Clause((Literal("worst radius", ">", 17.0),))
    with tempfile.TemporaryDirectory() as folder:
        rule = Path(folder, "rule.json")
        rule.write_text(to_json(RuleSet((clause,), ("malignant",), "dnf", "benign")))
        sample = "sample:breast_cancer"
        command = "from rulekit.cli import run; run()"
        processes = {
            "import rulekit": ["-c", "import rulekit"],
            "rulekit --help": ["-c", command, "--help"],
            "rulekit show": ["-c", command, "show", str(rule)],
            "rulekit explain": ["-c", command, "explain", str(rule), sample, "--row", "3"],
            "rulekit score": ["-c", command, "score", str(rule), sample],
        }
        unit = median(["-c", "import sklearn.ensemble"])
        return [row(name, median(command), unit) for name, command in processes.items()]


def median(arguments: list[str]) -> float:
    """Return the median CPU seconds of a Python process."""
    return statistics.median(seconds(arguments) for _ in range(RUNS))


def seconds(arguments: list[str]) -> float:
    """Run Python once and return its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def row(name: str, ours: float, unit: float) -> Row:
    """Return and print one row."""
    return report(
        {
            "what": name,
            "table": "breast_cancer",
            "setting": {"runs": RUNS},
            "ours": ours,
            "reference": unit,
            "ratio": unit / ours,
            "unit": "CPU s",
        }
    )


if __name__ == "__main__":
    run(measure, __doc__ or "")
