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
    """Run tasks on joblib's configured backend; yield each index and result as they finish."""
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
    """Run work spread over workers, and repeat it once if a worker is killed."""
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
            "A worker process was killed twice, most likely because the machine ran out of "
            f"memory. {kept()} Use fewer workers (`n_jobs`), or a machine with more memory."
        ) from error


def _is_killing(error: Exception) -> bool:
    return isinstance(error, BrokenExecutor) or is_loss(error)  # joblib's error is the former
