"""Who solves linear programs: tests run with `highspy` and with SciPy's `linprog`.

"compiled" is the simplex method of `solve_small_dual` for one-level programs, else `highspy`. A
module whose tests are all to run with both uses the fixture `engine` in its `pytestmark`.
"""

from contextlib import contextmanager

import pytest

from rulekit.search.one_level import problem

ENGINES = ["highs", "linprog"]
only_highspy = pytest.mark.parametrize("engine", ENGINES[:1], indirect=True)


@contextmanager
def solved_by(engine):
    """Solve linear programs with "highs", "linprog" or "compiled" inside a `with`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(problem, "SMALL", problem.SMALL if engine == "compiled" else 0)
        patch.setenv("RULEKIT_LP", "linprog" if engine == "linprog" else "highs")
        yield
