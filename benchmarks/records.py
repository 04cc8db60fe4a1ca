"""Speeds of earlier runs, kept beside the benchmarks, so that lost speed is noticed.

A row is found again by its benchmark, table and name. The speed is the reference's time divided by
ours, both of one run, so that larger is faster; seconds of different machines are not compared.
Rows that measure no time are not recorded.
"""

import datetime as dt
import json
import platform
from pathlib import Path
from typing import Any

from benchmarks._cli import Row

FILE = Path(__file__).with_name("records.json")
TIMES = ("s", "ms", "CPU s", "s of one core")
WORSE = 0.8  # of the recorded ratio: a row below it is marked


def key_of(benchmark: str, row: Row) -> str:
    """Return the name under which a row is recorded."""
    return f"{benchmark} | {row['table']} | {row['what']}"


def speed(row: Row) -> float | None:
    """Return how many times as fast as its reference a row is; None if it measures no time."""
    measured = row.get("unit") in TIMES and row.get("ours") and row.get("reference")
    return row["reference"] / row["ours"] if measured else None


def read(file: Path = FILE) -> dict[str, dict[str, Any]]:
    """Read the records; an empty table if there are none yet."""
    records: dict[str, dict[str, Any]] = json.loads(file.read_text()) if file.exists() else {}
    return records


def compared(benchmark: str, rows: list[Row], records: dict[str, dict[str, Any]]) -> list[str]:
    """Return one line per timed row: the speed now, the record, and a mark where it fell."""
    lines = []
    for row in rows:
        now = speed(row)
        if now is None:
            continue
        key = key_of(benchmark, row)
        record = records.get(key)
        line = f"{key}: {now:.3g}"
        if record is None:
            lines.append(f"{line} (no record)")
            continue
        line += f", recorded {record['ratio']:.3g} on {record['date']} ({record['processor']})"
        lines.append(f"{line}  WORSE" if now < WORSE * record["ratio"] else line)
    return lines


def recorded(
    benchmark: str, rows: list[Row], records: dict[str, dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return the records with the speeds of these rows."""
    entry = {"date": dt.date.today().isoformat(), "processor": processor()}
    new = {
        key_of(benchmark, row): {"ratio": float(f"{now:.4g}"), **entry}
        for row in rows
        if (now := speed(row)) is not None
    }
    return records | new


def write(records: dict[str, dict[str, Any]], file: Path = FILE) -> None:
    """Write the records, sorted by name."""
    file.write_text(json.dumps(dict(sorted(records.items())), indent=1) + "\n", encoding="utf-8")


def processor() -> str:
    """Return the processor's model name, as far as the system tells it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
