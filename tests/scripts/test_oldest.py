"""The oldest versions that are tried are those that the project states."""

import tomllib
from pathlib import Path

import pytest

from scripts.oldest import ROOT, TESTS, environment, oldest


def test_each_dependency_is_tried_at_its_lower_bound():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pins = oldest(project["dependencies"])
    assert [pin.split("==")[0] for pin in pins] == [
        stated.split(">=")[0] for stated in project["dependencies"]
    ]
    assert oldest(["numpy>=2.0"]) == ["numpy==2.0.0"]
    assert oldest(["a>=1.2.3", "b>=16"]) == ["a==1.2.3", "b==16.0.0"]


def test_a_dependency_without_a_lower_bound_is_refused():
    with pytest.raises(ValueError, match="'numpy' names no oldest version"):
        oldest(["numpy"])


def test_the_tests_that_are_run_are_there():
    assert all((ROOT / test).exists() for test in TESTS)


def test_kernels_are_not_cached_in_the_checkout(tmp_path):
    cache = Path(environment(str(tmp_path))["NUMBA_CACHE_DIR"])
    assert cache.is_relative_to(tmp_path)
    assert not cache.is_relative_to(ROOT)
