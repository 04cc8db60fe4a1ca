"""Plant small mistakes in the library, one at a time, and see which of them no test notices.

Run as ``python -m scripts.mutants --seed 1 --n 60 [--only rulekit/search] [--seconds 300]``. The
same seed plants the same mistakes in the same sources: a comparison is flipped, a whole number is
one more, a term is dropped, ``and`` and ``or`` change places, another axis, a ``not`` too many or
missing. It works on a copy in a temporary folder, never on the checkout.

Each mistake meets the tests that bear its module's name or import the module, with the module's
own examples, and, if it lives, all tests of its package. Pages, browser and papers are left out.
What fails is run without the mistake, too: tests that are red by themselves notice nothing. A
mistake that uses up the CPU seconds in tests that end in time without it counts as noticed.

Printed are those that survive, as file and line with what stood there and what was put there, and
the share that was noticed. A survivor is a test to be written, or a line that nobody needs, or a
change that changes nothing; which of them is for a person to say.
"""

import argparse
import ast
import copy
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEFT_BEHIND = shutil.ignore_patterns(
    ".git", ".venv", ".*_cache", ".hypothesis", ".rulekit", "results", "build", "dist"
)
PYTEST = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=no", "-m"]
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
        beside = test.parent.parts[-1] == path.parent.name and test.stem == f"test_{name}"
        named = f"from {package} import" in text and name in text
        if beside or named or any(way in text for way in ways):
            near.append(str(test.relative_to(root)))
    whole_app = ("tests/pages/", "tests/browser/")
    return [test for test in near if not test.startswith(whole_app)] + [str(path)]


def package_tests(path: Path, root: Path = ROOT) -> list[str]:
    """Return the folders of all tests of a module's package."""
    package = path.parts[1] if len(path.parts) > 2 else "learners"  # which every top file serves
    folders = [f"tests/{package}", str(Path(path.parts[0], path.parts[1]))]
    return [folder for folder in folders if (root / folder).exists()]


class Bench:
    """A copy of the project in which mistakes are planted and tests are run."""

    def __init__(self, folder: Path, seconds: int) -> None:
        self.root, self.seconds = folder / "copy", seconds  # CPU time of one run of tests
        shutil.copytree(ROOT, self.root, ignore=LEFT_BEHIND)
        self._sound: dict[tuple[str, ...], bool] = {}

    def verdict(self, mutant: Mutant) -> str:
        """Plant a mistake and return "noticed", "survived" or "undecided"."""
        undecided = False
        for chosen in (near_tests(mutant.path), package_tests(mutant.path)):
            with_it = self._run_with(mutant, chosen)
            if with_it == "green":
                continue
            if self._is_sound(tuple(chosen)):
                return "noticed"
            undecided = True
        return "undecided" if undecided else "survived"

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
        """Run tests in the copy: "green", "red" or "too long"."""
        limit = partial(resource.setrlimit, resource.RLIMIT_CPU, (self.seconds, self.seconds))
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *PYTEST, "not paper and not browser", *chosen],
            cwd=self.root,
            env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=limit,
        )
        try:
            code = process.wait(self.seconds * ASLEEP)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "too long"
        if code < 0:
            return "too long"
        return "green" if code in (0, 5) else "red"  # 5: there is no test at all


def main() -> None:
    """Plant a sample of mistakes and tell which of them no test has noticed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n", type=int, default=60, help="how many mistakes")
    parser.add_argument("--only", default="rulekit", help="a folder or file below the project's")
    parser.add_argument("--seconds", type=int, default=300, help="CPU seconds a run of tests")
    requested = parser.parse_args()
    chosen = ROOT / requested.only
    files = [chosen] if chosen.is_file() else sorted(chosen.rglob("*.py"))
    possible = [m for file in files for m in mutants_of(file.relative_to(ROOT))]
    sample = random.Random(requested.seed).sample(possible, min(requested.n, len(possible)))
    by_verdict: dict[str, list[Mutant]] = {"noticed": [], "survived": [], "undecided": []}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), requested.seconds)
        for mutant in sample:
            verdict = bench.verdict(mutant)
            by_verdict[verdict].append(mutant)
            print(f"{verdict:9}  {mutant}", flush=True)
    decided = len(by_verdict["noticed"]) + len(by_verdict["survived"])
    print(
        f"\n{len(possible):,} mistakes are possible; seed {requested.seed}, {len(sample)} planted."
    )
    print(f"Noticed: {len(by_verdict['noticed'])} of {decided}, ", end="")
    print(f"{100 * len(by_verdict['noticed']) / max(1, decided):.0f} %; ", end="")
    print(f"undecided: {len(by_verdict['undecided'])}.")
    for mutant in by_verdict["survived"]:
        print(f"survived   {mutant}")


if __name__ == "__main__":
    main()
