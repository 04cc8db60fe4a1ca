"""Kernels: loops compiled by Numba once per machine, later loaded from Numba's cache."""

# Kernels are in files named ``..._kernels.py`` and imported inside the function that calls them, so
# that ``import rulekit`` needs no Numba. ``@machine_code()`` decorates what kernels call (in place
# with `inline`), ``@machine_code("float64(float64)")`` what Python calls, compiled on import.
#
# Nothing is compiled in a thread: a process that ends in the middle of it is aborted by LLVM. A
# lock per file keeps two processes from compiling the same kernels; the second one waits and loads
# them. ``python -m rulekit.search.machine_code`` compiles all files, as many at once as there are
# cores.

import importlib
import importlib.util
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from rulekit.exceptions import SolverError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: Kernel files, those of the quick search first, with the CPU seconds that compiling takes.
KERNELS: dict[str, float] = {
    "rulekit.search.box_search.descent_kernels": 12.0,
    "rulekit.learners.forest_kernels": 4.0,
    "rulekit.families.scorecard.solver.card_kernels": 10.0,
    "rulekit.search.clause_generation.exact_kernels": 4.0,
    "rulekit.families.power_law.solver.split_kernels": 8.0,
    "rulekit.search.columns.rounding_kernels": 5.0,
}
DESCENT, FOREST, POINTS, EXACT, SPLITS, ROUNDING = KERNELS
QUICK = DESCENT, FOREST  # what the quick search of the dashboard needs
log = logging.getLogger("rulekit.machine_code")


def machine_code(
    signature: Any = None, *, ieee: bool = False, inline: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a kernel, or load it from the cache."""
    import numba
    from numba.core import event

    if inline and (ieee or signature is not None):
        raise ValueError("An inlined kernel has the types and the error model of its caller.")
    njit: Any = numba.njit  # its stubs do not know all its options
    options: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
    options["error_model"] = "numpy" if ieee else "python"
    if signature is None:
        return njit(no_cpython_wrapper=True, inline="always" if inline else "never", **options)

    def make(function: Callable[..., Any]) -> Callable[..., Any]:
        # Numba's cache looks at the file of this function alone. The name in the cache speaks for
        # all kernels of the folder, so that one which calls a changed one is made anew, too.
        path = Path(function.__code__.co_filename)
        function.__qualname__ += f"-{_digest(path.parent)}"
        with ExitStack() as stack:
            if fcntl is not None:  # on Windows two processes may do the same, with equal results
                place = (_cache_folder(path) / f"{path.stem}.lock").open("w")
                fcntl.flock(stack.enter_context(place), fcntl.LOCK_EX)
            stack.enter_context(event.install_listener("numba:compile", _first_wait()))
            try:
                return njit(signature, cache=True, **options)(function)
            except (OSError, EOFError, RuntimeError) as error:
                if isinstance(error, RuntimeError) and "cache" not in str(error):
                    raise
                return njit(signature, **options)(function)

    return make


def allocate(record: Any, *shapes: Any) -> Any:
    """Make the named tuple of a `Record` of arrays, zeros of these shapes."""
    return record.kind(*(np.zeros(s, t) for s, t in zip(shapes, _dtypes(record), strict=True)))


@cache
def _dtypes(record: Any) -> tuple[Any, ...]:
    """Return the NumPy types of the arrays of a `Record`."""
    from numba.np.numpy_support import as_dtype

    return tuple(as_dtype(part.dtype) for part in record.parts)


def prepare(
    names: Sequence[str] = tuple(KERNELS), n_jobs: int | None = None
) -> Iterator["Compilation"]:
    """Compile kernel files in other processes; yield the progress after each file."""
    n_jobs = max(n_jobs or os.cpu_count() or 1, 1)
    began = time.monotonic()
    started: dict[str, float] = {}
    took: dict[str, float] = {}
    command = [sys.executable, "-c", f"from {__spec__.name} import serve; serve()"]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    processes = [subprocess.Popen(command, **pipes) for _ in names[:n_jobs]]
    idle = processes.copy()

    def compile_file(name: str) -> bool:
        process: Any = idle.pop()
        started[name] = time.monotonic()
        process.stdin.write(f"{name}\n")
        compiled = bool(process.stdout.readline() == f"{name}\n")
        idle.extend([process] * compiled)
        return compiled

    pool = ThreadPoolExecutor(n_jobs)
    tasks = {pool.submit(compile_file, name): name for name in names}
    try:
        for task in as_completed(tasks):
            name, now = tasks[task], time.monotonic()
            if task.exception() or not task.result():  # the process has ended
                raise SolverError(f"Compiling {name} failed; its error is printed above.")
            took[name] = now - started[name]
            spent = {n: now - since for n, since in started.copy().items() if n not in took}
            yield Compilation(tuple(names), dict(took), spent, now - began, n_jobs)
    finally:
        for process in processes:
            process.terminate()
        pool.shutdown(cancel_futures=True)
        for process in processes:
            process.communicate()


def serve() -> None:
    """Load each kernel file that standard input names, and answer with its name."""
    log.disabled = True  # the caller shows the progress
    answers, sys.stdout = sys.stdout, sys.stderr  # where a compiler may print
    for line in sys.stdin:
        load(line.strip())
        answers.write(line)
        answers.flush()


@dataclass(frozen=True)
class Compilation:
    """Progress of compiling kernel files: seconds of those done, of those running, and in all."""

    names: tuple[str, ...]
    took: dict[str, float]
    spent: dict[str, float]
    seconds: float
    n_jobs: int

    @property
    def seconds_left(self) -> float:
        """Estimate from the expected seconds and how much slower than these files were so far."""
        expected = {name: KERNELS.get(name, 1.0) for name in self.names}
        pace = sum(self.took.values()) / sum(expected[name] for name in self.took)
        left = [
            max(pace * expected[name] - self.spent.get(name, 0.0), 0.0)
            for name in self.names
            if name not in self.took
        ]
        return max(max(left, default=0.0), sum(left) / self.n_jobs)


def load(name: str) -> None:
    """Import a kernel file, compiling it if needed, and note that its cache is complete."""
    module = importlib.import_module(name)
    with suppress(OSError):
        _stamp(Path(str(module.__file__))).touch()


def warm_up() -> None:
    """Compile or load all kernels in this process."""
    for name in KERNELS:
        load(name)


def missing_seconds(names: Sequence[str], n_jobs: int | None = None) -> float:
    """Return the seconds that compiling takes for the files that have no cache yet."""
    specs = {name: importlib.util.find_spec(name) for name in names}
    cached = {n for n, s in specs.items() if s and s.origin and _stamp(Path(s.origin)).exists()}
    missing = [KERNELS[name] for name in names if name not in cached]
    return max(max(missing, default=0.0), sum(missing) / (n_jobs or os.cpu_count() or 1))


def _stamp(path: Path) -> Path:
    """Return the file that marks the kernels of a source file as present in Numba's cache."""
    return _cache_folder(path) / f"{path.stem}-{_digest(path.parent)}.compiled"


def _cache_folder(path: Path) -> Path:
    """Return a writable folder for stamps and locks: beside the cache, or the temporary folder."""
    beside = Path(os.environ.get("NUMBA_CACHE_DIR") or path.parent / "__pycache__")
    try:
        beside.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.gettempdir())
    return beside if os.access(beside, os.W_OK) else Path(tempfile.gettempdir())


@cache
def _digest(folder: Path) -> str:
    """Return a digest of all kernels of a folder."""
    sources = [Path(__file__).with_name("records.py"), *sorted(folder.glob("*kernels.py"))]
    return sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]


@cache
def _first_wait() -> Any:
    """Return a listener that logs, once in a process, what the caller waits for."""
    from numba.core.event import Listener

    class FirstWait(Listener):
        logged = False

        def on_start(self, event: Any) -> None:
            if not self.logged:
                log.warning(
                    "Compiling kernels for this machine, once; it takes up to half a minute. "
                    "`python -m rulekit.search.machine_code` compiles all of them beforehand."
                )
            self.logged = True

        def on_end(self, event: Any) -> None:
            """Do nothing: one line is enough."""

    return FirstWait()


def main() -> None:
    """Compile all kernels in parallel and print the progress."""
    if seconds := missing_seconds(tuple(KERNELS)):
        sys.stdout.write(f"Compiling the searches for this machine, once: about {seconds:.0f} s\n")
        sys.stdout.flush()
    for at in prepare():
        left = f"about {at.seconds_left:.0f} s left" if len(at.took) < len(at.names) else "done"
        sys.stdout.write(f"{at.seconds:6.1f} s  {list(at.took)[-1]}  ({left})\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
