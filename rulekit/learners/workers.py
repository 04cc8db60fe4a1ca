"""Work spread over processes or a cluster, and workers that are killed meanwhile.

Killed for want of memory, by a person, by a crash of their own.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from typing import Any, TypeVar

from joblib import Parallel, delayed

from rulekit.exceptions import RulekitError
from rulekit.learners.cluster import Once, client_in_use, is_loss, on_cluster

Made = TypeVar("Made")


def spread(
    work: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    n_jobs: int | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, Any]]:
    """Do tasks wherever joblib's configuration says; yield each one's place and answer as it comes.

    Parameters
    ----------
    work : callable
        Of a module.
    tasks : sequence of tuple
        Its arguments; a cluster is sent `Once` what many tasks have.
    n_jobs : int, default=None
        Workers, as joblib counts them. A Dask cluster has its own number.
    stopped : callable of no argument
        Whether nobody wants more. Asked between answers by a cluster only: other workers finish
        what was begun, as to stop them is to kill them.

    Yields
    ------
    tuple of (int, object)
    """
    if (client := client_in_use()) is not None:
        yield from on_cluster(client, work, tasks, stopped)
        return
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    plain = [[a.value if isinstance(a, Once) else a for a in task] for task in tasks]
    yield from parallel(delayed(_placed)(place, work, *task) for place, task in enumerate(plain))


def _placed(place: int, work: Callable[..., Any], *arguments: Any) -> tuple[int, Any]:
    return place, work(*arguments)


def in_order(answers: Iterator[tuple[int, Any]]) -> list[Any]:
    """List the answers of `spread` in the order of the tasks."""
    return [answer for _, answer in sorted(answers, key=lambda pair: pair[0])]


def tried_twice(work: Callable[[], Made], kept: Callable[[], str]) -> Made:
    """Do work that is spread over workers, once more where one of them is killed.

    Parameters
    ----------
    work : callable of no argument
        The work; joblib starts new workers for each call. Dask has others do what a killed worker
        did, and gives up when four were killed by it, or what it held was nowhere else.
    kept : callable of no argument
        A sentence on what was finished and is not lost, asked when the second try fails, too.

    Returns
    -------
    object
        What `work` gives.

    Raises
    ------
    RulekitError
        If a worker is killed in both tries.
    """
    try:
        return work()
    except Exception as error:
        if not _is_killing(error):
            raise
    try:
        return work()
    except Exception as error:
        if not _is_killing(error):
            raise
        raise RulekitError(
            "A worker process ended before its work did, twice: killed by the system for want of "
            f"memory, most likely. {kept()} Go on with fewer workers (`n_jobs`), or on a machine "
            "with more memory."
        ) from error


def _is_killing(error: Exception) -> bool:
    return isinstance(error, BrokenExecutor) or is_loss(error)  # joblib's error is the former
