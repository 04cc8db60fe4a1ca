"""Machine code beside NumPy: made in the background, used once it is there, never waited for.

A compiled module is an ordinary module that imports Numba at its top and is imported from nowhere
but here. Its functions carry `machine_code` with an explicit signature, so that importing the
module compiles them, or loads them from Numba's cache on disk::

    from rulekit.solvers.compiled import machine_code

    @machine_code("float64(float64[::1])")
    def total(x):
        ...

Whoever calls them decorates the NumPy twin, which answers until the import is done, and wherever
Numba is not installed::

    @compiled("rulekit.solvers.sums_machine:total")
    def total(x):
        return float(np.cumsum(x)[-1])

Twin and machine code must agree bit for bit, so that nobody can tell which one answered: sums in a
given order (or exact ones, see `rulekit.solvers.box_problem`), the same ties, no ``fastmath``.
"""

import atexit
import importlib
import importlib.util
import logging
import os
import threading
from collections.abc import Callable
from functools import update_wrapper
from types import ModuleType
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

SWITCH = "RULEKIT_COMPILED"  # "0" in the environment: NumPy alone

_log = logging.getLogger("rulekit.compiled")
_rooms: dict[str, "CompiledModule"] = {}
_leaving = threading.Event()


class _LeavingError(Exception):
    """The interpreter is about to end; what is not compiled yet stays so."""


class CompiledModule:
    """A module of compiled functions, imported in a thread of its own.

    Parameters
    ----------
    name : str
        Full name of the module. A function ``prepare()`` of it is called after the import, for
        functions whose signatures are found by calling them.

    Notes
    -----
    Creating the object starts nothing. One thread works for all modules, so that they do not
    compile against each other.
    """

    _one_at_a_time = threading.Lock()

    def __init__(self, name: str) -> None:
        self.name = name
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._module: ModuleType | None = None
        _rooms[name] = self

    def ready(self) -> ModuleType | None:
        """Return the module if it is there, else None at once, having started its import."""
        if self._module is None and self._thread is None:
            self.start()
        return self._module

    def start(self) -> None:
        """Start the import in the background, once, where Numba is installed and wanted."""
        with self._starting:
            if self._thread is not None or not _wanted():
                return
            thread = threading.Thread(target=self._load, name=f"compile {self.name}", daemon=True)
            thread.start()
            self._thread = thread

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the import; say whether the module is ready."""
        self.start()
        if self._thread is not None:
            self._thread.join(timeout)
        return self._module is not None

    def _load(self) -> None:
        """Import the module; whatever goes wrong is told once, and NumPy goes on answering."""
        try:
            with self._one_at_a_time:
                module = importlib.import_module(self.name)
                getattr(module, "prepare", lambda: None)()
        except Exception as error:
            if _leaving.is_set():
                return
            _log.warning(
                "The compiled functions of %s cannot be made, NumPy answers instead, with the same "
                "results: %s: %s",
                self.name,
                type(error).__name__,
                error,
            )
            return
        self._module = module


class CompiledFunction(Generic[P, T]):
    """A function that runs as machine code once that is there, and as its twin until then.

    Attributes
    ----------
    twin : callable
        The NumPy function.
    """

    def __init__(self, twin: Callable[P, T], where: str) -> None:
        module, _, self._name = where.partition(":")
        self._room = compiled_module(module)
        self.twin = twin
        update_wrapper(self, twin)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Answer."""
        module = self._room.ready()
        function = self.twin if module is None else getattr(module, self._name)
        return function(*args, **kwargs)


def compiled_module(name: str) -> CompiledModule:
    """Return the compiled module of a name, the same object each time."""
    return _rooms.get(name) or CompiledModule(name)


def compiled(where: str) -> Callable[[Callable[P, T]], CompiledFunction[P, T]]:
    """Say where the machine code of the decorated NumPy function is.

    Parameters
    ----------
    where : str
        ``"module:function"``; the function takes the same positional arguments.

    Returns
    -------
    callable
        The decorator.
    """
    return lambda twin: CompiledFunction(twin, where)


def machine_code(
    signature: Any, *, inner: bool = False, ieee: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a function for one signature, or load it from the cache; for compiled modules only.

    Parameters
    ----------
    signature : str or numba signature
        Types of result and arguments.
    inner : bool, default=False
        Whether only machine code calls it: without a way in from Python it compiles in half the
        time.
    ieee : bool, default=False
        Whether divisions by zero give infinity or NaN, as in NumPy, instead of raising; without
        the check several numbers are divided at once.

    Returns
    -------
    callable
        The decorator. The machine code releases the interpreter lock, and is kept beside the module
        or in the user's cache folder; where neither can be written it is made anew each time.
    """
    from numba import njit  # here, so that this module is importable without

    options: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True, "no_cpython_wrapper": inner}
    if ieee:
        options["error_model"] = "numpy"

    def make(function: Callable[..., Any]) -> Callable[..., Any]:
        if _leaving.is_set():
            raise _LeavingError
        try:
            return njit(signature, cache=True, **options)(function)
        except (OSError, EOFError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and "cache" not in str(error):
                raise
            return njit(signature, **options)(function)

    return make


def warm_up(*, wait: bool = False, timeout: float | None = None) -> bool:
    """Make the machine code of all compiled modules ready before it is needed.

    Parameters
    ----------
    wait : bool, default=False
        Return only when it is ready (or cannot be had); else the work goes on in the background.
    timeout : float, optional
        Seconds to wait at most for each module.

    Returns
    -------
    bool
        Whether all of it is ready now. False where Numba is not installed or the environment
        variable RULEKIT_COMPILED is 0: NumPy then answers, with the same results.
    """
    from rulekit.solvers import box_search, split_search  # noqa: F401  (know their modules)

    rooms = list(_rooms.values())
    for room in rooms:
        room.start()
    done = [room.wait(timeout) if wait else room.ready() is not None for room in rooms]
    return all(done)


def _wanted() -> bool:
    """Whether machine code can and shall be made here."""
    if os.environ.get(SWITCH, "1") == "0" or os.environ.get("NUMBA_DISABLE_JIT", "0") == "1":
        return False
    return importlib.util.find_spec("numba") is not None


@atexit.register
def _leave() -> None:
    """Let a compilation end before the interpreter does: it would crash in a half-closed one."""
    _leaving.set()
    for room in list(_rooms.values()):
        if room._thread is not None:
            room._thread.join(5.0)
