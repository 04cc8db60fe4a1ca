"""The latest run of an analysis, as this session knows it: begun, followed, taken over, recalled.

A run belongs to an analysis and goes on in a job, whoever looks; what a session remembers of it
stands here, in one object and under named phases.
"""

from dataclasses import dataclass
from enum import StrEnum

import streamlit as st

from ui import jobs, workspace
from ui.learners.offered import answers_at_once, n_fits, run_key
from ui.learners.spec import RunSpec
from ui.models.points import RunResult
from ui.models.work import Work, stored
from ui.picked import renewed
from ui.shell import sentences
from ui.state import app_state

TITLE = "Sweep"
SESSION = "_run"  # where the session keeps its run


class Phase(StrEnum):
    """Where a run is."""

    NONE = "none"
    QUEUED = "queued"
    FIRST_PASS = "first pass"  # nothing stands yet
    REFINING = "refining"  # what stands is being made better
    STOPPED = "stopped"
    FINISHED = "finished"
    FAILED = "failed"
    RECALLED = "recalled"  # its points came from the store, no job is known


ENDED = frozenset({Phase.STOPPED, Phase.FINISHED, Phase.FAILED})
NEXT = {  # phases between two looks of a session are not seen, so each may lead to all later ones
    Phase.NONE: {Phase.QUEUED, Phase.FIRST_PASS, Phase.REFINING, Phase.RECALLED, *ENDED},
    Phase.QUEUED: {Phase.FIRST_PASS, Phase.REFINING, *ENDED},
    Phase.FIRST_PASS: {Phase.REFINING, *ENDED},
    Phase.REFINING: ENDED,
    **dict.fromkeys((*ENDED, Phase.RECALLED), ()),
}


@dataclass
class Run:
    """One run; a later one is another object.

    Attributes
    ----------
    job : Job or None
        None before any, and of a run whose points came back from the store.
    key : str
        What its points depend on, see `ui.learners.offered.run_key`.
    automatic : bool
        Whether the page began it, and not a person by the button.
    seen : tuple
        Its phase, and how often its results had been replaced, when the session last looked.
    taken, opened : tuple or None
        The same of what the analysis has of it, and of what the page has picked a setting from.
    """

    job: jobs.Job | None = None
    key: str = ""
    automatic: bool = False
    seen: tuple[Phase, int] = (Phase.NONE, 0)
    taken: tuple[Phase, int] | None = None
    opened: tuple[Phase, int] | None = None

    @classmethod
    def current(cls) -> "Run":
        """Return the run of this session's analysis, an empty one if there is none."""
        run, job = st.session_state.get(SESSION), _job()
        if run is None or job not in (None, run.job):
            run = cls(job, "" if job is None else job.key)
            st.session_state[SESSION] = run
        run.look()
        return run

    @classmethod
    def start(cls, spec: RunSpec, *, automatic: bool = False) -> "Run":
        """Begin a run in the background; finished folds of an earlier one come from the store.

        Raises
        ------
        DataError, ValueError
            If the settings do not fit the table. The session's run is then one that never began.
        """
        state = app_state()
        run = cls(None, run_key(spec, state), automatic)
        st.session_state[SESSION] = run
        doing = Work(spec, state, workspace.store_path())
        workspace.change(run_settings=spec.to_dict())
        run.job = jobs.registry().start(
            workspace.analysis_id(), TITLE, doing, total=n_fits(spec), key=run.key
        )
        run.look()
        return run

    # Where it is --------------------------------------------------------------------------

    def look(self) -> None:
        """Take note of where the job is."""
        if self.job is None:
            return
        version, phase = self.job.version, _phase_of(self.job)
        if phase is not self.phase and phase not in NEXT[self.phase]:
            raise RuntimeError(f"A run cannot go from '{self.phase}' to '{phase}'.")
        self.seen = phase, version

    @property
    def phase(self) -> Phase:
        """Where it was when the session last looked."""
        return self.seen[0]

    @property
    def is_active(self) -> bool:
        """Whether it waits or goes on."""
        return self.phase in (Phase.QUEUED, Phase.FIRST_PASS, Phase.REFINING)

    @property
    def has_nothing_yet(self) -> bool:
        """Whether it goes on and nothing stands of it."""
        return self.phase in (Phase.QUEUED, Phase.FIRST_PASS)

    def is_resumable(self, spec: RunSpec) -> bool:
        """Whether a run of these settings was begun and is neither over nor going on."""
        state = app_state()
        key = run_key(spec, state)
        if self.job is not None:
            return self.phase in (Phase.STOPPED, Phase.FAILED) and self.key == key
        return state.sweep is not None and not state.sweep.complete and state.sweep_key == key

    # What the page does with it -----------------------------------------------------------

    def follow(self, spec: RunSpec) -> "Run":
        """Begin a run by itself: on the first visit, and while nobody has pressed Run since.

        Only of learners that answer with the whole front at once. Once a run was stopped, or was
        asked for by its button, the next one waits for the button.
        """
        state = app_state()
        begins = not state.run_settings and state.sweep is None and self.job is None
        if self.automatic:
            begins = self.key != run_key(spec, state) and self.phase is not Phase.STOPPED
        if begins and answers_at_once(spec):
            with sentences():
                Run.start(spec, automatic=True)
        return Run.current()

    def update(self) -> None:
        """Bring what the run has into the analysis; without a job, what the store holds of it.

        Taken is what the run says stands; of one that ended without such, the points it has. The
        picked setting stays, with the rule that has since been found for it.
        """
        self.look()
        if self.job is None:
            self._recall()
            return
        found = _result_of(self.job)
        if found is not None and self.taken != self.seen:
            self.taken = self.seen
            if found.finished or found.draft:
                again = renewed(found.models, found.spec)
                workspace.change(sweep=found, sweep_key=self.key, **again)

    def _recall(self) -> None:
        """Bring the points of the saved run back from the store, as far as it holds them.

        After a reload of the page or a restart of the server nothing else knows of them. Nothing
        is computed, and it is tried once for each run; what cannot be read is said in a sentence.
        """
        state = app_state()
        if state.sweep is not None or not state.run_settings or not state.ready:
            return
        spec = RunSpec.from_dict(state.run_settings)
        key, place = run_key(spec, state), workspace.store_path()
        if self.key == key or place is None or not place.exists():
            return
        self.key = key
        with sentences(), st.spinner("Bringing back the points of the last run"):
            found = stored(spec, state, place)
            if found.finished:
                self.seen = Phase.RECALLED, 0
                workspace.change(sweep=found, sweep_key=key)

    def setting_to_open(self, found: RunResult, *, own_pick: bool) -> int | None:
        """Return the setting that the page should open with now, or None to leave what is picked.

        For a run's first points the one named in the address (``?theta=`` and ``?clauses=``) if
        the run has it, else the suggested one. When better points replace them, what they suggest,
        unless a person has picked something meanwhile.
        """
        if self.job is None or not found.suggestion:
            return None
        before, self.opened = self.opened, self.seen
        if before == self.opened or (before is not None and own_pick):
            return None
        asked = _addressed(found) if before is None else None
        return int(found.suggestion["default"]) if asked is None else asked


def keep_up() -> None:
    """Take over what a run has found meanwhile; for pages that show the picked rule."""
    run, before = Run.current(), app_state().rule_json
    if run.job is None:
        return
    run.update()
    if before is not None and app_state().rule_json != before:
        st.info("The run on Models has found a better rule for the picked setting. It is shown.")


def _job() -> jobs.Job | None:
    """Return the job of the analysis' latest run."""
    job = jobs.registry().get(workspace.analysis_id())
    return job if job is not None and job.title == TITLE else None


def _phase_of(job: jobs.Job) -> Phase:
    if job.state == "running":
        return Phase.FIRST_PASS if job.standing is None else Phase.REFINING
    ends = {"done": Phase.FINISHED, "cancelled": Phase.STOPPED, "failed": Phase.FAILED}
    return ends.get(job.state, Phase.QUEUED)


def _result_of(job: jobs.Job) -> RunResult | None:
    """Return what stands of a job."""
    return job.answer or job.standing


def _addressed(found: RunResult) -> int | None:
    """Return the number of the setting that the address names, if there is one."""
    asked = {"theta": st.query_params.get("theta"), "n_clauses": st.query_params.get("clauses")}
    for number in found.points.index if asked["theta"] else ():
        setting = found.settings[number]
        if all(text is None or f"{setting.get(name, 1):g}" == text for name, text in asked.items()):
            return int(number)
    return None
