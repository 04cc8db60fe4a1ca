"""Fits in processes or on a Dask cluster: tables are sent once, results arrive as they finish."""

# joblib gives the client (it would send the table with every call); Dask is imported only in use.

import contextlib
import hashlib
import importlib.metadata
import sys
import time
import uuid
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from rulekit.exceptions import RulekitError

LIBRARIES = ("numpy", "pandas", "scipy", "scikit-learn", "highspy")
WITHOUT_EFFECT = ("plots", "export", "explain", "cli")
PULSE = 0.05  # seconds between two looks at what has come
PATIENCE = 10.0  # seconds that a cluster may take to get a worker

Value = TypeVar("Value")
_kept: ContextVar[dict[Any, Any] | None] = ContextVar("kept", default=None)


@contextlib.contextmanager
def cache_on_workers() -> Iterator[None]:
    """Keep data that is sent in this block on the workers until its end."""
    if _kept.get() is not None:
        yield
        return
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


@dataclass(frozen=True, eq=False)
class Once:
    """An argument that is sent to the workers once, however many tasks use it."""

    value: Any
    key: Hashable = None  # None is the identity of the value

    @property
    def name(self) -> Hashable:
        """What the value is cached under."""
        return id(self.value) if self.key is None else self.key


def run_on_cluster(
    client: Any,
    work: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    stopped: Callable[[], bool],
) -> Iterator[tuple[int, Any]]:
    """Run tasks on a cluster; yield the index and result of each, as they finish."""
    options = getattr(get_active_backend()[0], "submit_kwargs", {})  # its priority, for instance
    with cache_on_workers():
        places: dict[Any, int] = {}
        try:
            sent = _send_once(client, [a for task in tasks for a in task if isinstance(a, Once)])
            for number, task in enumerate(tasks):
                order = [sent[a.name] if isinstance(a, Once) else a for a in task]
                key = f"{work.__name__.strip('_')}-{uuid.uuid4().hex}"
                future = client.submit(
                    _run_task, code_version(), work, *order, key=key, pure=False, **options
                )
                places[future] = number
            coming = sys.modules["distributed"].as_completed(list(places), loop=client.loop)
            while not (coming.is_empty() or stopped()):
                if not coming.has_ready():
                    time.sleep(PULSE)
                    continue
                for future in coming.next_batch(block=False):
                    yield places[future], future.result()
        except Exception as error:
            lost = getattr(error, "reason", None) == "scheduler-connection-lost"
            if lost or client.status != "running":
                raise RulekitError(
                    "The connection to the cluster's scheduler was lost. Restart it and continue; "
                    "results in a `store` are kept."
                ) from error
            if is_killing(error):
                (_kept.get() or {}).clear()  # it may be lost, too
            raise
        finally:
            client.cancel([future for future in places if not future.done()], force=True)


def _send_once(client: Any, arguments: Sequence[Once]) -> dict[Hashable, Any]:
    """Send missing data to every worker; return its placeholders for tasks."""
    cached = _kept.get()
    assert cached is not None
    fresh = {once.name: once.value for once in arguments if (client.id, once.name) not in cached}
    if fresh:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise RulekitError(
                f"The scheduler at {client.scheduler.address} had no worker for {PATIENCE:g} s. "
                "Start one."
            ) from error
        names = {f"rulekit-{uuid.uuid4().hex}": key for key in fresh}
        futures = client.scatter({n: fresh[key] for n, key in names.items()}, broadcast=True)
        for name, key in names.items():  # the value, too, so that its id stays its own
            cached[client.id, key] = futures[name], fresh[key]
    return {once.name: cached[client.id, once.name][0] for once in arguments}


def is_killing(error: BaseException) -> bool:
    """Return whether an error means that workers or their data were lost."""
    fatal: tuple[Any, ...] = (BrokenExecutor,)  # joblib's
    if "distributed" in sys.modules:
        dask = importlib.import_module("distributed")  # waits while another thread imports it
        fatal += dask.KilledWorker, dask.CancelledError, dask.comm.CommClosedError
    return isinstance(error, fatal)


# On a worker ----------------------------------------------------------------------------------


def _run_task(version: str, work: Callable[..., Any], *arguments: Any) -> Any:
    """Run one task if the worker has the caller's versions."""
    if version != code_version():
        raise RulekitError(
            f"A worker has another version of rulekit or of {', '.join(LIBRARIES)} than this "
            "program. Install the same versions on all workers."
        )
    from rulekit.search.machine_code import warm_up  # set-up runs it as a program, not yet loaded

    warm_up()  # a limit of time in the work is for the work alone
    return work(*arguments)


def cancellation() -> Callable[[], bool] | None:
    """Return a check of whether this thread's task was cancelled; None outside of a cluster."""
    if "distributed" not in sys.modules:
        return None
    dask = importlib.import_module("distributed")  # waits while another thread imports it
    key = getattr(dask.worker.thread_state, "key", None)
    if key is None:
        return None
    tasks = dask.get_worker().state.tasks
    return lambda: key not in tasks or tasks[key].state != "executing"


@lru_cache(maxsize=1)
def code_version() -> str:
    """Compute a digest of the library's own source and of the numerical libraries' versions."""
    root = Path(__file__).parents[1]
    sources = sorted(
        p for p in root.rglob("*.py") if p.relative_to(root).parts[0] not in WITHOUT_EFFECT
    )
    digest = hashlib.sha256(repr([importlib.metadata.version(name) for name in LIBRARIES]).encode())
    for path in sources:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()


def spread(
    work: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    n_jobs: int | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, Any]]:
    """Run tasks on joblib's configured backend; yield each index and result as they finish."""
    # `stopped` is called before each task is sent, from any thread.
    if (client := getattr(get_active_backend()[0], "client", None)) is not None:
        yield from run_on_cluster(client, work, tasks, stopped)
        return
    parallel = Parallel(
        n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs"
    )
    plain = [[a.value if isinstance(a, Once) else a for a in task] for task in tasks]
    yield from parallel(
        delayed(_run_numbered)(number, work, *task)
        for number, task in enumerate(plain)
        if not stopped()
    )


def _run_numbered(number: int, work: Callable[..., Any], *arguments: Any) -> tuple[int, Any]:
    return number, work(*arguments)


def spread_sorted(
    work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], n_jobs: int | None
) -> list[Any]:
    """Run tasks by `spread`; list the results in the order of the tasks."""
    return [answer for _, answer in sorted(spread(work, tasks, n_jobs), key=lambda pair: pair[0])]


def try_twice(work: Callable[[], Value], kept: Callable[[], str]) -> Value:
    """Run work spread over workers, and repeat it once if a worker is killed."""
    try:
        return work()
    except Exception as error:
        if not is_killing(error):
            raise
    try:
        return work()
    except Exception as error:
        if not is_killing(error):
            raise
        raise RulekitError(
            "A worker process was killed twice, most likely because the machine ran out of "
            f"memory. {kept()} Use fewer workers (`n_jobs`), or a machine with more memory."
        ) from error
