"""Plant small mistakes in the library, one at a time, and see which of them no test notices.

Run as ``python -m scripts.mutants --seed 1 --n 60 [--only rulekit/search] [--seconds 300]``. The
same seed plants the same mistakes in the same sources: a comparison is flipped, a whole number is
one more, a term is dropped, ``and`` and ``or`` change places, another axis, a ``not`` too many or
missing. It works on a copy in a temporary folder, never on the checkout.

All mistakes meet the quick tests that bear their module's name, or import it, with the module's own
examples; those that live meet the slow ones of these, then all tests of their package. Each of
these `--rounds` prints what it detects. Pages, browser and papers are left out.
What fails is run without the mistake, too: tests that are red by themselves notice nothing. A
mistake that uses up the CPU seconds in tests that end in time without it counts as noticed.

Printed are those that survive, as file and line with what stood there and what was put there, and
the share that was noticed. A survivor is a test to be written, or a line that nobody needs, or a
change that changes nothing; which of them is for a person to say.
"""

import argparse
import ast
import contextlib
import copy
import importlib
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LEFT_BEHIND = shutil.ignore_patterns(
    ".git", ".venv", ".*_cache", ".hypothesis", ".rulekit", "results", "build", "dist"
)
PYTEST = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=no", "-m"]
IN_SCOPE = "not paper and not browser"
#: What nearly all tests import; imported once here, as each run of tests is a fork of this process.
SHARED = ("numba", "pandas", "pyarrow.compute", "scipy.optimize", "sklearn.ensemble")
ASLEEP = 10  # a run that waits, and uses no CPU, may take this many times the seconds
FLIPPED: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One mistake: bytes `start` to `end` of a file below the project's folder are replaced."""

    path: Path
    line: int
    start: int
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        """Return its location and its change."""
        return f"{self.path}:{self.line}: {self.before}  ->  {self.after}"

    def applied(self, source: bytes) -> bytes:
        """Return the file with the mistake."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants_of(path: Path, root: Path = ROOT) -> list[Mutant]:
    """List every mistake that can be planted in a file."""
    source = (root / path).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    mutants = []
    for node, changed in _changes(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        before = " ".join(source[start:end].decode().split())
        mutants.append(Mutant(path, node.lineno, start, end, before, ast.unparse(changed)))
    return mutants


def _changes(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Pair each expression that can be mistaken with its mistake."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.JoinedStr) or _only_a_type(tree, child):
            continue  # words, and what nobody runs
        if isinstance(child, ast.expr):
            changed = _mistaken(child, tree)
            if changed is not None:
                yield child, changed
        yield from _changes(child)


def _only_a_type(parent: ast.AST, child: ast.AST) -> bool:
    return child in (getattr(parent, "annotation", None), getattr(parent, "returns", None))


def _mistaken(node: ast.expr, parent: ast.AST) -> ast.expr | None:
    """Return what is written instead of an expression, or None."""
    changed = copy.deepcopy(node)
    match changed:
        case ast.Compare(ops=[operator, *rest]):
            changed.ops = [FLIPPED[type(operator)](), *rest]
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            if isinstance(parent, ast.keyword) and parent.arg == "axis":
                changed.value = 1 - value if value in (0, 1) else value + 1
            else:
                changed.value = value + 1
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub()):
            return left
        case ast.BoolOp():
            changed.op = ast.Or() if isinstance(changed.op, ast.And) else ast.And()
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.Name() | ast.Call() if getattr(parent, "test", None) is node:
            return ast.UnaryOp(ast.Not(), changed)
        case _:
            return None
    return changed


def near_tests(path: Path, root: Path = ROOT) -> list[str]:
    """Return the tests that bear a module's name or import it, and the module, for its examples."""
    module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    package, _, name = module.rpartition(".")
    ways = (f"from {module} import", f"import {module}\n", f"import {module} as")
    near = []
    for test in sorted((root / "tests").rglob("test_*.py")):
        text = test.read_text(encoding="utf-8")
        beside = test.parent.name == path.parent.name and test.stem == f"test_{name}"
        named = f"from {package} import" in text and name in text
        if beside or named or any(way in text for way in ways):
            near.append(str(test.relative_to(root)))
    whole_app = ("tests/pages/", "tests/browser/")
    near = [test for test in near if not test.startswith(whole_app)] + [str(path)]
    return sorted(near, key=lambda test: Path(test).stem not in (f"test_{name}", name))


def package_tests(path: Path, root: Path = ROOT) -> list[str]:
    """Return the folders of all tests of a module's package."""
    package = path.parts[1] if len(path.parts) > 2 else "learners"  # which every top file serves
    folders = [f"tests/{package}", str(Path(path.parts[0], path.parts[1]))]
    return [folder for folder in folders if (root / folder).exists()]


#: Tests by marks and paths, the nearest and quickest first.
ROUNDS: dict[str, Callable[[Path], list[str]]] = {
    "quick near": lambda path: [f"{IN_SCOPE} and not slow", *near_tests(path)],
    "slow near": lambda path: [f"{IN_SCOPE} and slow", *near_tests(path)],
    "package's": lambda path: [IN_SCOPE, *package_tests(path)],
}


class Bench:
    """A copy of the project in which mistakes are planted and tests are run."""

    def __init__(self, folder: Path, seconds: int) -> None:
        self.root, self.seconds = folder / "copy", seconds  # CPU time of one run of tests
        shutil.copytree(ROOT, self.root, ignore=LEFT_BEHIND)
        os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        os.environ["PYTHONPATH"] = str(self.root)  # for the processes that tests start
        os.chdir(self.root)
        for name in SHARED:
            importlib.import_module(name)
        self._sound: dict[tuple[str, ...], bool] = {}

    def verdict(self, mutant: Mutant, chosen: list[str]) -> str:
        """Plant a mistake and return "noticed", "survived" or "undecided" of a run of tests."""
        if self._run_with(mutant, chosen) == "green":
            return "survived"
        return "noticed" if self._is_sound(tuple(chosen)) else "undecided"

    def _run_with(self, mutant: Mutant, chosen: list[str]) -> str:
        file = self.root / mutant.path
        source, times = file.read_bytes(), file.stat()
        try:
            file.write_bytes(mutant.applied(source))
            return self._run(chosen)
        finally:  # with its old time, so that what Numba has compiled of it stays valid
            file.write_bytes(source)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    def _is_sound(self, chosen: tuple[str, ...]) -> bool:
        if chosen not in self._sound:
            self._sound[chosen] = self._run(list(chosen)) == "green"
        return self._sound[chosen]

    def _run(self, chosen: list[str]) -> str:
        """Run the tests that marks and paths choose in the copy: "green", "red" or "too long"."""
        process = multiprocessing.get_context("fork").Process(target=self._test, args=(chosen,))
        process.start()
        process.join(self.seconds * ASLEEP)
        assert process.pid  # it is the group of all that its tests start
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.join()
        code = process.exitcode or 0
        if code < 0:
            return "too long"
        return "green" if code in (0, 5) else "red"  # 5: there is no test at all

    def _test(self, chosen: list[str]) -> None:
        """Run tests in a process of its own, which they end."""
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds))
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        sys.path[0] = str(self.root)
        os._exit(pytest.main([*PYTEST, *chosen]))


def main() -> None:
    """Plant a sample of mistakes and tell which of them no test has noticed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n", type=int, default=60, help="how many mistakes")
    parser.add_argument("--only", default="rulekit", help="a folder or file below the project's")
    parser.add_argument("--rounds", type=int, default=3, help="how many of the rounds of tests")
    parser.add_argument("--seconds", type=int, default=300, help="CPU seconds a run of tests")
    requested = parser.parse_args()
    chosen = ROOT / requested.only
    files = [chosen] if chosen.is_file() else sorted(chosen.rglob("*.py"))
    possible = [m for file in files for m in mutants_of(file.relative_to(ROOT))]
    sample = random.Random(requested.seed).sample(possible, min(requested.n, len(possible)))
    print(f"{len(possible):,} mistakes are possible; seed {requested.seed}, {len(sample)} planted.")
    verdicts = dict.fromkeys(sample, "survived")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), requested.seconds)
        for name, choose in list(ROUNDS.items())[: requested.rounds]:
            for mutant in [m for m in sample if verdicts[m] != "noticed"]:
                verdict = bench.verdict(mutant, choose(mutant.path))
                if verdict != "survived":
                    verdicts[mutant] = verdict
                print(f"{verdict:9}  {mutant}", flush=True)
            _summarise(name, verdicts)


def _summarise(name: str, verdicts: dict[Mutant, str]) -> None:
    """Print the share noticed up to a round of tests, and what survives it."""
    counts = Counter(verdicts.values())
    decided = counts["noticed"] + counts["survived"]
    share = 100 * counts["noticed"] / max(1, decided)
    print(
        f"\nAfter the {name} tests: {counts['noticed']} of {decided} noticed, {share:.0f} %; ",
        end="",
    )
    print(f"undecided: {counts['undecided']}.", flush=True)
    for mutant in [m for m, verdict in verdicts.items() if verdict == "survived"]:
        print(f"left       {mutant}", flush=True)


if __name__ == "__main__":
    main()
