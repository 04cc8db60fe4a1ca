"""Fits in processes or on a Dask cluster, by joblib: results arrive as they finish."""

import contextlib
import hashlib
import importlib.metadata
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from joblib import Parallel, delayed, parallel_config
from joblib.parallel import get_active_backend

from rulekit.exceptions import RulekitError

LIBRARIES = ("numpy", "pandas", "scipy", "scikit-learn", "highspy")
WITHOUT_EFFECT = ("plots", "export", "explain", "cli")
PATIENCE = 10.0  # seconds that a cluster may take to get a worker

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class Once:
    """An argument that is sent to the workers of a cluster once for all tasks of a call."""

    value: Any

    def __dask_tokenize__(self) -> str:
        """Return a new name: a name that Dask is about to release would be lost."""
        return uuid.uuid4().hex


def spread(
    work: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    n_jobs: int | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, Any]]:
    """Run tasks on joblib's configured backend; yield each index and result as they finish."""
    # `stopped` is called before each task is sent, from any thread.
    client = getattr(get_active_backend()[0], "client", None)
    options: dict[str, Any] = {}
    version = None if client is None else code_version()
    try:
        if client is not None:
            options["backend"] = _make_backend(client, tasks)
        yield from Parallel(
            n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs", **options
        )(
            delayed(_run_task)(number, version, work, *task)
            for number, task in enumerate(tasks)
            if not stopped()
        )
    except Exception as error:
        lost = getattr(error, "reason", None) == "scheduler-connection-lost"
        if lost or (client is not None and client.status != "running"):
            raise RulekitError(
                "The connection to the cluster's scheduler was lost. Restart it and continue; "
                "results in a `store` are kept."
            ) from error
        raise
    finally:
        if options:  # otherwise workers keep the data until garbage is collected here
            options["backend"].data_futures.clear()


def _make_backend(client: Any, tasks: Sequence[tuple[Any, ...]]) -> Any:
    """Make joblib's Dask backend, which also reports tasks that fail outside of their work."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError as error:
        raise RulekitError(
            f"The scheduler at {client.scheduler.address} had no worker for {PATIENCE:g} s. "
            "Start one."
        ) from error
    active = get_active_backend()[0]

    class Backend(type(active)):  # type: ignore[misc]
        def effective_n_jobs(self, n_jobs: int) -> int:
            # joblib runs one job in the caller
            return max(2, int(super().effective_n_jobs(n_jobs)))

        def submit(self, func: Any, callback: Callable[[Any], None]) -> None:
            async def run() -> None:
                try:
                    batch, parts = await self._to_func_args(func)
                    key = f"{batch!r}-{uuid.uuid4().hex}"
                    result = await client.submit(batch, tasks=parts, key=key, **self.submit_kwargs)
                except BaseException as error:  # else joblib waits for the callback for ever
                    result = error
                callback(result)

            client.loop.add_callback(run)

        def retrieve_result_callback(self, out: Any) -> Any:
            if isinstance(out, BaseException):
                raise out
            return out

    shared = {id(a): a for task in tasks for a in task if isinstance(a, Once)}
    return Backend(client=client, scatter=list(shared.values()), **active.submit_kwargs)


def _run_task(
    number: int, version: str | None, work: Callable[..., Any], *arguments: Any
) -> tuple[int, Any]:
    """Run one task, on a cluster only if the worker has the caller's versions."""
    plain = [a.value if isinstance(a, Once) else a for a in arguments]
    if version is None:
        return number, work(*plain)
    if version != code_version():
        raise RulekitError(
            f"A worker has another version of rulekit or of {', '.join(LIBRARIES)} than this "
            "program. Install the same versions on all workers."
        )
    from rulekit.search.machine_code import warm_up  # set-up runs it as a program, not yet loaded

    warm_up()  # a limit of time in the work is for the work alone
    with parallel_config("loky"):  # joblib's own choice would send a task's parts to the cluster
        return number, work(*plain)


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


def spread_sorted(
    work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], n_jobs: int | None
) -> list[Any]:
    """Run tasks by `spread`; list the results in the order of the tasks."""
    return [answer for _, answer in sorted(spread(work, tasks, n_jobs), key=lambda pair: pair[0])]


def try_twice(work: Callable[[], Value], kept: Callable[[], str]) -> Value:
    """Run work spread over workers, and repeat it once if a worker is killed."""
    fatal: tuple[Any, ...] = (BrokenExecutor,)  # joblib's
    if "distributed" in sys.modules:
        dask = importlib.import_module("distributed")  # waits while another thread imports it
        fatal += dask.KilledWorker, dask.CancelledError, dask.comm.CommClosedError
    with contextlib.suppress(*fatal):
        return work()
    try:
        return work()
    except fatal as error:
        raise RulekitError(
            "A worker process was killed twice, most likely because the machine ran out of "
            f"memory. {kept()} Use fewer workers (`n_jobs`), or a machine with more memory."
        ) from error
