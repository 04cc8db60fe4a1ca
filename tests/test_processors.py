"""One table, one rule: whatever kernels the processor makes linear algebra and NumPy take."""

import json
import os
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rulekit as rk

ROOT = Path(__file__).parent.parent
# Instructions that OpenBLAS's kernels of a name need, as Linux writes them; an older processor
# cannot execute them.
NEEDS = {"Prescott": (), "Haswell": ("avx2", "fma"), "SkylakeX": ("avx512f", "avx512vl")}
WIDER = ("X86_V3", "X86_V4", "AVX2", "FMA3", "AVX512F", "AVX512CD", "AVX512_SKX", "AVX512_CLX")


def tables():
    """Bundled samples, and tables with gaps and real-valued weights made here."""
    for name in ("credit", "wine", "iris", "planted_dnf"):
        table = rk.load_sample(name)
        X, target = table.xy()
        yield name, X, np.asarray(target == target.max()), None
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.lognormal(1.0, 0.6, (240, 6)), columns=list("abcdef"))
    y = X.a * X.b / X.c + rng.normal(0, 1.0, 240) > 2.5
    yield "ratios", X, y, rng.uniform(0.2, 3.0, 240)
    X = X.mask(rng.random(X.shape) < 0.1)
    yield "gaps", X, y, rng.uniform(0.2, 3.0, 240)


def learners():
    """Every learner, with those settings that take another way through the solvers."""
    two = partial(rk.TwoLevelRuleClassifier, random_state=0)
    box = partial(rk.BoxSearchClassifier, random_state=0)
    for method in ("set_cover", "block_coordinate", "alternating", "lp"):
        yield method, two(method=method, n_clauses=3)
    yield "lp cnf", two(method="lp", n_clauses=2, theta=2.0, form="cnf", refine=True)
    yield "refine", two(n_clauses=2, theta=0.7, refine=True, allow_disabled=True)
    yield "search", box(n_clauses=3, theta=0.5, refine_thresholds=True)
    yield "selection", rk.RuleClassifier(cv=2, random_state=0)
    yield "columns", rk.ColumnGenerationClassifier(theta=5.0)
    for kind in ("quantile", "entropy", "tree"):
        binarizer = rk.Binarizer(method=kind)
        yield kind, rk.OneLevelRuleClassifier(theta=0.4, binarizer=binarizer)
    yield "or", rk.OneLevelRuleClassifier(theta=0.3, form="cnf", rounding="random", random_state=0)
    yield "exact", rk.OneLevelRuleClassifier(theta=2.0, exact=True, screening="duality")
    yield "points", rk.ScorecardClassifier()
    yield "ideal", rk.IdealDNFClassifier(random_state=0)
    yield "boxes", rk.HyperplaneRuleClassifier()
    for criterion in ("point_lp", "volume_paper"):
        yield criterion, rk.HyperplaneRuleClassifier(rk.LPSVM(nu=1.0), criterion=criterion)
    yield "plane", rk.HyperplaneRuleClassifier(uncovered="hyperplane", max_rules=2)
    yield "lp_svm", rk.LPSVM()
    yield "few columns", rk.LPSVM(max_features=3)
    yield "laws", rk.PowerLawTreeClassifier()
    yield "bands", rk.PowerLawTreeClassifier(tau_impurity=0.01, max_depth=3)
    genetic = {"upper_level": "beam", "lower_level": "genetic"}
    yield "genetic", rk.PowerLawTreeClassifier(max_power_laws=2, max_depth=1, **genetic)


WEIGHTED = {"set_cover", "alternating", "lp", "search", "columns", "quantile", "exact", "ideal"}
WEIGHTED |= {"block_coordinate", "lp_svm", "laws", "entropy", "refine", "points"}
NUMBERS = ("lp_svm", "few columns", "plane")  # read neither text nor gaps
SLOW = {"genetic": ("iris",), "bands": ("wine", "ratios"), "laws": ("iris", "wine", "ratios")}


def learned(only=None):
    """Learn all rules: their text, as JSON writes every digit, by case."""
    results = {}
    for table, X, y, weight in tables():
        for name, model in learners():
            if only and only not in f"{name} on {table}":
                continue
            if name in NUMBERS and table in ("credit", "gaps"):
                continue
            if table not in SLOW.get(name, (table,)):
                continue
            weights = weight if name in WEIGHTED else None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(X, y, sample_weight=weights)
            if isinstance(model, rk.LPSVM):
                text = [model.coef_.tolist(), model.intercept_.tolist(), model.nu_]
            else:
                learner = getattr(model, "learner_", model)  # of a choice
                text = [rk.to_json(model.rule_set_), learner.objective_, learner.lower_bound_]
            if name == "quantile" and table in ("iris", "wine"):
                text.append(str(rk.certify(model, X, y)))
            results[f"{name} on {table}"] = [*text, int(np.sum(model.predict(X) == y))]
    return results


def executable(core):
    """Return whether this processor has the instructions of an OpenBLAS kernel."""
    try:
        flags = set(Path("/proc/cpuinfo").read_text().split())
    except OSError:
        return core == "Prescott"
    return flags.issuperset(NEEDS[core])


def learned_with(core):
    """Learn all rules in an interpreter of its own, with the kernels of a processor."""
    environment = {**os.environ, "OPENBLAS_CORETYPE": core, "PYTHONHASHSEED": "0"}
    if core == "Prescott":  # NumPy's own loops, too, as on a processor without wide registers
        environment["NPY_DISABLE_CPU_FEATURES"] = " ".join(WIDER)
    code = "import json; from tests.test_processors import learned; print(json.dumps(learned()))"
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout)


@pytest.mark.slow
def test_every_learner_learns_the_same_rule_on_every_processor():
    widest = next(core for core in ("SkylakeX", "Haswell", "Prescott") if executable(core))
    if widest == "Prescott":
        pytest.skip("this processor has only the instructions of OpenBLAS's narrowest kernels")
    assert learned_with(widest) == learned_with("Prescott")
