"""What all benchmarks share: their arguments, the tables they run on, and the rows they write."""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rulekit.data import list_samples, load_sample

Row = dict[str, Any]


@dataclass(frozen=True)
class BenchTable:
    """A table with its target and the class that rules describe."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    positive: str


def parsed(
    description: str,
    arguments: Sequence[str] | None = None,
    extra: Callable[[argparse.ArgumentParser], None] | None = None,
) -> argparse.Namespace:
    """Read the arguments every benchmark takes, and further ones that `extra` adds."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with a datasets.json")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="tables to run on")
    parser.add_argument("--seeds", type=int, metavar="N", help="cross-validation seeds 0 .. N-1")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the rows")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="workers; 1 for speed")
    parser.add_argument("--quick", action="store_true", help="a few prices and sizes only")
    if extra is not None:
        extra(parser)
    given = parser.parse_args(arguments)
    if given.data is not None and not (given.data / "datasets.json").is_file():
        parser.error(f"--data must be a folder with a datasets.json; {given.data} has none.")
    return given


def tables(arguments: argparse.Namespace, default: Sequence[str]) -> Iterator[BenchTable]:
    """Read the requested tables from the given folder, else from the samples; two classes each."""
    offered = described(arguments.data) if arguments.data else samples()
    for name in arguments.only or [n for n in default if n in offered]:
        if name not in offered:
            raise SystemExit(f"There is no table {name!r}; there are {', '.join(offered)}.")
        yield offered[name]()


def described(folder: Path) -> dict[str, Callable[[], BenchTable]]:
    """List the tables of a folder, by name; each is read when it is called."""
    facts = facts_of(folder)
    return {name: lambda name=name: _read(folder, name, facts[name]) for name in facts}


def facts_of(folder: Path) -> dict[str, Any]:
    """Read what a folder says of its tables."""
    facts: dict[str, Any] = json.loads((folder / "datasets.json").read_text(encoding="utf-8"))
    return facts


def samples() -> dict[str, Callable[[], BenchTable]]:
    """List the bundled tables, by name."""
    return {info.name: lambda info=info: _sample(info) for info in list_samples()}


def run(measure: Callable[[argparse.Namespace], list[Row]], description: str) -> None:
    """Run one benchmark from the command line."""
    arguments = parsed(description)
    written(measure(arguments), arguments)


def written(rows: list[Row], arguments: argparse.Namespace) -> None:
    """Write the rows where ``--json`` says."""
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def report(row: Row) -> Row:
    """Print a row as soon as it is measured, and hand it on."""
    setting = " ".join(f"{k}={v}" for k, v in row["setting"].items())
    figures = [
        f"{k} {row[k]:.4g}" for k in ("ours", "reference", "ratio") if row.get(k) is not None
    ]
    unit = row.get("unit", "")
    print(
        f"{row['table']:<14} {row['what']:<22} {', '.join(figures)} {unit}  [{setting}]", flush=True
    )
    return row


def _read(folder: Path, name: str, facts: dict[str, Any]) -> BenchTable:
    frame = pd.read_csv(folder / facts["file"])
    y = frame[facts["target"]].astype(str).to_numpy(dtype=object)
    positive = str(facts["positive_label"] or y[0])
    X = frame.drop(columns=[facts["target"], *facts.get("suggested_exclude", [])])
    return BenchTable(name, X, np.where(y == positive, positive, _rest(y, positive)), positive)


def _sample(info: Any) -> BenchTable:
    X, target = load_sample(info.name).xy(info.target)
    y = target.astype(str).to_numpy(dtype=object)
    positive = str(info.positive_label)
    return BenchTable(info.name, X, np.where(y == positive, positive, _rest(y, positive)), positive)


def _rest(y: np.ndarray, positive: str) -> str:
    others = sorted(set(y) - {positive})
    return others[0] if len(others) == 1 else f"not {positive}"
