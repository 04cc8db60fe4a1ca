"""Readers of foreign formats, run in a process of their own with limited memory."""

# A damaged or hostile file can make such a reader take all memory or end its process.

import os
import pickle
import subprocess
import sys
from typing import Any

from rulekit.exceptions import DataError

MOST_MEMORY = 1_500_000_000  # bytes that a reader may take
SECONDS = 300  # that a reader may take


def read_apart(reader: str, raw: bytes, *arguments: Any) -> Any:
    """Return what a reader, as "module:function", makes of the bytes of a file."""
    try:
        process = subprocess.run(
            [sys.executable, "-P", "-m", "rulekit.data.reading.apart"],
            input=pickle.dumps((reader, raw, arguments)),
            capture_output=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            timeout=SECONDS,
            check=False,
        )
        kind, result = pickle.loads(process.stdout) if process.returncode == 0 else ("", None)
    except (subprocess.TimeoutExpired, EOFError, pickle.UnpicklingError):
        kind, result = "", None
    if kind == "refused":
        raise DataError(result)
    if kind != "read":
        raise DataError(
            "The file is damaged, or too large to read: it takes more than "
            f"{MOST_MEMORY / 1e9:g} GB of memory or {SECONDS} s. Save the table as CSV or Parquet."
        )
    return result


def main() -> None:
    """Read the file that standard input holds, and write the result to standard output."""
    from importlib import import_module

    reader, raw, arguments = pickle.load(sys.stdin.buffer)
    out, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no result
    module, name = reader.split(":")
    function = getattr(import_module(f"rulekit.data.reading.{module}"), name)
    try:  # limit the memory of this process, where the system can
        import resource

        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):  # not Linux
        pass
    try:
        answer = "read", function(raw, *arguments)
    except DataError as error:
        answer = "refused", str(error)
    pickle.dump(answer, out.buffer, protocol=5)
    out.flush()


if __name__ == "__main__":
    main()
