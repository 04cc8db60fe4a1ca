"""What the processes of jobs have in memory before they begin."""

import os
import pickle

import pytest

from rulekit.search.machine_code import QUICK
from tests.ui import tasks
from ui.runs.worker import Worker, prepare


@pytest.mark.slow
def test_process_of_a_job_has_the_modules_of_a_run():
    prepare()
    *_, (event, (pid, modules)) = Worker().messages(pickle.dumps(tasks.surroundings))
    assert event == "done"
    assert pid != os.getpid()
    assert {"ui.models.work", "ui.rules.trust", *QUICK} <= set(modules)
