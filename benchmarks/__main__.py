"""Run every benchmark: ``python -m benchmarks [--data DIR] [--only NAME ...] [--json FILE]``."""

import importlib
import pkgutil

import benchmarks
from benchmarks._cli import parsed, written


def main() -> None:
    """Run each ``bench_*`` module in turn and write all rows together."""
    arguments = parsed("Run every benchmark.")
    rows = []
    found = pkgutil.walk_packages(benchmarks.__path__, "benchmarks.")
    for name in sorted(module.name for module in found):
        if name.split(".")[-1].startswith("bench_"):
            print(f"\n== {name} ==", flush=True)
            rows += importlib.import_module(name).measure(arguments)
    written(rows, arguments)


if __name__ == "__main__":
    main()
