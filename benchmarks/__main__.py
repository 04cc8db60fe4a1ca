"""Run every benchmark: ``python -m benchmarks [--data DIR] [--only NAME ...] [--json FILE]``."""

import importlib
import pkgutil

import benchmarks
from benchmarks._cli import parsed, written


def main() -> None:
    """Run each ``bench_*`` module in turn and write all rows together."""
    arguments = parsed("Run every benchmark.")
    rows = []
    names = sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__))
    for name in names:
        if name.startswith("bench_"):
            print(f"\n== {name} ==", flush=True)
            rows += importlib.import_module(f"benchmarks.{name}").measure(arguments)
    written(rows, arguments)


if __name__ == "__main__":
    main()
