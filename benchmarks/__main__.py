"""Run every benchmark: ``python -m benchmarks [--data DIR] [--only NAME ...] [--record]``.

Each ratio is printed beside its record, and marked where it is more than 20 % worse; ``--record``
writes the new ratios to ``records.json``. ``--benchmarks`` selects some of them by name.
"""

import importlib
import pkgutil
import sys

import benchmarks
from benchmarks import records
from benchmarks._cli import parsed, written


def main() -> None:
    """Run each ``bench_*`` module in turn, and compare its ratios with the records."""
    arguments = parsed("Run every benchmark.", extra=_options)
    recorded, rows, lines = records.read(), [], []
    modules = pkgutil.walk_packages(benchmarks.__path__, "benchmarks.")
    for name in sorted(module.name for module in modules):
        short = name.rpartition(".")[2]
        if not short.startswith("bench_"):
            continue
        if arguments.benchmarks and short.removeprefix("bench_") not in arguments.benchmarks:
            continue
        print(f"\n== {name} ==", flush=True)
        measured = importlib.import_module(name).measure(arguments)
        rows += measured
        lines += records.compared(short, measured, recorded)
        if arguments.record:
            recorded = records.recorded(short, measured, recorded)
            records.write(recorded)
    written(rows, arguments)
    print("\nRatios beside their records:", *lines, sep="\n")
    worse = [line for line in lines if line.endswith("WORSE")]
    sys.exit(f"{len(worse)} ratios are more than 20 % worse." if worse else 0)


def _options(parser) -> None:  # type: ignore[no-untyped-def]
    parser.add_argument("--record", action="store_true", help="write the ratios to records.json")
    parser.add_argument("--benchmarks", nargs="+", metavar="NAME", help="as in bench_NAME")


if __name__ == "__main__":
    main()
