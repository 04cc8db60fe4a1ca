"""The tables that benchmarks are tried on."""

import json

import numpy as np
import pandas as pd
import pytest

from benchmarks import _cli


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder as ``--data`` takes it: one table of three classes with a planted rule."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a", "b", "noise"])
    kind = np.where((frame["a"] > 0) & (frame["b"] > -0.5), "yes", "no")
    frame["kind"] = np.where(rng.random(80) < 0.1, "perhaps", kind)
    frame.to_csv(folder / "planted.csv", index=False)
    facts = {
        "file": "planted.csv", "target": "kind", "positive_label": "yes",
        "suggested_exclude": ["noise"],
    }  # fmt: skip
    (folder / "datasets.json").write_text(json.dumps({"planted": facts}))
    return folder


@pytest.fixture(scope="module")
def given(folder):
    """What the command line asks for: the planted table, quickly."""
    return _cli.parsed("", ["--data", str(folder), "--only", "planted", "--quick"])


@pytest.fixture(scope="module")
def planted(given):
    return next(_cli.tables(given, []))
