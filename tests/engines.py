"""Who solves linear programs: tests run with highspy, and as on a machine without it.

"compiled" is the simplex method of `solve_small_dual` for one-level programs, else as installed. A
module whose tests are all to run with both says so by a fixture of this name::

    @pytest.fixture(params=ENGINES, autouse=True)
    def engine(request):
        with solved_by(request.param):
            yield request.param
"""

from contextlib import contextmanager

import pytest

from rulekit.search import lp
from rulekit.search.one_level import problem

needs_highspy = pytest.mark.skipif(
    lp.load_highs() is None, reason="highspy, the fast engine, is not installed"
)
ENGINES = [pytest.param("highs", marks=needs_highspy), "scipy"]
only_highspy = pytest.mark.parametrize("engine", ENGINES[:1], indirect=True)
_FUNCTIONS = {"highs": lp.load_highs, "scipy": lambda: None, "compiled": lp.load_highs}


@contextmanager
def solved_by(engine):
    """Solve linear programs with "highs", "scipy" or "compiled" inside a `with`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(problem, "SMALL", problem.SMALL if engine == "compiled" else 0)
        patch.setattr(lp, "load_highs", _FUNCTIONS[engine])
        yield
