"""Workers that are killed: for want of memory, by a person, by a crash of their own."""

from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from typing import TypeVar

from rulekit.exceptions import RulekitError

Made = TypeVar("Made")


def tried_twice(work: Callable[[], Made], kept: Callable[[], str]) -> Made:
    """Do work that joblib spreads over processes, once more where one of them is killed.

    Parameters
    ----------
    work : callable of no argument
        The work; joblib starts new workers for each call.
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
    except BrokenExecutor:  # joblib's TerminatedWorkerError is one
        pass
    try:
        return work()
    except BrokenExecutor as error:
        raise RulekitError(
            "A worker process ended before its work did, twice: killed by the system for want of "
            f"memory, most likely. {kept()} Go on with fewer workers (`n_jobs`), or on a machine "
            "with more memory."
        ) from error
