"""Kernels: loops compiled by Numba, made once on a machine and loaded from its cache after that.

Kernels stand in files named ``kernels.py`` or ``..._kernels.py``. Whoever calls one imports its
file inside the function that does, so that ``import rulekit`` needs no Numba::

    from rulekit.solvers.machine_code import machine_code

    @machine_code()  # called by other kernels only
    def half(x):
        return x / 2

    @machine_code("float64(float64)")  # called from Python: compiled as the file is imported
    def quarter(x):
        return half(half(x))

Nothing is compiled in the background: a process that ends in the middle of it is aborted by LLVM.
``python -m rulekit.solvers.machine_code`` makes all of it beforehand.
"""

import importlib
import logging
import sys
import time
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

KERNELS = (
    "rulekit.solvers.box_search.descent_kernels",
    "rulekit.solvers.box_search.pair_kernels",
    "rulekit.solvers.clause_generation.exact_kernels",
    "rulekit.learners.forest.forest_kernels",
    "rulekit.families.scorecard.solver.card_kernels",
    "rulekit.families.scorecard.solver.fit_kernels",
    "rulekit.families.power_law.solver.moment_kernels",
    "rulekit.families.power_law.solver.split_kernels",
    "rulekit.solvers.screening.cover_kernels",
)
log = logging.getLogger("rulekit.machine_code")


def machine_code(
    signature: Any = None, *, ieee: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a kernel, or load it from the cache.

    Parameters
    ----------
    signature : str or numba signature, optional
        Types of result and arguments, for a kernel that Python calls. Without them other kernels
        alone may call it: it becomes a part of their machine code and needs no cache of its own.
    ieee : bool, default=False
        Whether divisions by zero give infinity or NaN, as in NumPy, instead of raising; without
        the check several numbers are divided at once.

    Returns
    -------
    callable
        The decorator. The machine code releases the interpreter lock, and is kept beside the file
        or in the user's cache folder; where neither can be written it is made anew each time.
    """
    import numba
    from numba.core import event

    njit: Any = numba.njit  # its stubs do not know all its options
    options: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
    options["error_model"] = "numpy" if ieee else "python"
    if signature is None:
        return njit(no_cpython_wrapper=True, **options)

    def make(function: Callable[..., Any]) -> Callable[..., Any]:
        # Numba's cache looks at the file of this function alone. The name in the cache speaks for
        # all kernels of the folder, so that one which calls a changed one is made anew, too.
        function.__qualname__ += f"-{_digest(Path(function.__code__.co_filename).parent)}"
        with event.install_listener("numba:compile", _telling()):
            try:
                return njit(signature, cache=True, **options)(function)
            except (OSError, EOFError, RuntimeError) as error:
                if isinstance(error, RuntimeError) and "cache" not in str(error):
                    raise
                return njit(signature, **options)(function)

    return make


def record(kind: type, *parts: Any) -> Any:
    """Return the type, for signatures, of a named tuple whose fields have these types."""
    from numba import types

    return types.BaseTuple.from_types(parts, kind)  # type: ignore[no-untyped-call]


def warm_up() -> dict[str, float]:
    """Make or load all kernels, one file after the other.

    Returns
    -------
    dict of str to float
        The seconds that each file took.
    """
    seconds = {}
    for name in KERNELS:
        start = time.perf_counter()
        importlib.import_module(name)
        seconds[name] = time.perf_counter() - start
    return seconds


@cache
def _digest(folder: Path) -> str:
    """Name the state of all kernels of a folder."""
    sources = sorted(folder.glob("*kernels.py"))
    return sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]


@cache
def _telling() -> Any:
    """Return what says, once in a process and before the first wait, what the caller waits for."""
    from numba.core.event import Listener

    class Telling(Listener):
        told = False

        def on_start(self, event: Any) -> None:
            if not self.told:
                log.warning(
                    "Compiling kernels for this machine, which takes about 20 seconds once; later "
                    "they are loaded from Numba's cache. `python -m rulekit.solvers.machine_code` "
                    "does it beforehand."
                )
            self.told = True

        def on_end(self, event: Any) -> None:
            """Do nothing: one sentence is enough."""

    return Telling()


if __name__ == "__main__":
    for module, taken in warm_up().items():
        sys.stdout.write(f"{taken:6.1f} s  {module}\n")
