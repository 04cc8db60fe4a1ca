"""The phases of a run, and what leads from one to the next."""

import pytest

from ui.jobs import Job
from ui.models.run import ENDED, NEXT, Phase, Run


def begun():
    job = Job("Sweep", "owner", "key")
    run = Run(job, "key")
    run.look()
    return run, job


def test_a_run_goes_from_the_queue_over_its_first_pass_to_its_end():
    run, job = begun()
    phases = [run.phase]
    for step in (
        job._begin,
        lambda: job.report(standing="first"),
        lambda: job.report(standing="better"),
        lambda: job._end("done", answer="best"),
    ):
        step()
        run.look()
        phases.append(run.phase)
    assert phases == [
        Phase.QUEUED,
        Phase.FIRST_PASS,
        Phase.REFINING,
        Phase.REFINING,
        Phase.FINISHED,
    ]
    assert run.seen == (Phase.FINISHED, 2)


@pytest.mark.parametrize(("end", "phase"), [("cancelled", Phase.STOPPED), ("failed", Phase.FAILED)])
def test_a_run_that_is_stopped_or_fails_says_so_whenever_it_happens(end, phase):
    for n_steps in range(3):
        run, job = begun()
        for step in (job._begin, lambda job=job: job.report(standing="first"))[:n_steps]:
            step()
        job._end(end)
        run.look()
        assert run.phase is phase
        assert not run.is_active
        assert not run.has_nothing_yet


def test_a_session_that_looks_late_may_miss_phases_but_a_run_never_goes_back():
    run, job = begun()
    job._begin()
    job.report(standing="first")
    run.look()
    job.standing = None
    with pytest.raises(RuntimeError, match="cannot go from 'refining' to 'first pass'"):
        run.look()


def test_each_phase_has_its_next_ones_and_an_end_has_none():
    assert set(NEXT) == set(Phase)
    assert all(not NEXT[phase] for phase in (*ENDED, Phase.RECALLED))
    assert all(set(NEXT[phase]) >= ENDED for phase in set(Phase) - ENDED - {Phase.RECALLED})


def test_a_run_that_nobody_began_is_in_no_phase():
    run = Run()
    run.look()
    assert run.phase is Phase.NONE
    assert not run.is_active
