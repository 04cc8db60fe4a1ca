"""Kernels: made once, in the open; loaded from the cache after that."""

import importlib
import logging
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from rulekit.exceptions import SolverError
from rulekit.search import machine_code as door

KERNELS = """
from rulekit.search.machine_code import machine_code

@machine_code()
def half(x):
    return x / 2

@machine_code("float64(float64)")
def quarter(x):
    return half(half(x))
"""


@pytest.fixture
def made(monkeypatch, tmp_path):
    """Write a file of kernels and import it; the next import of it is a new one."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # sources change within a second
    door._first_wait.cache_clear()
    yield lambda text, name="some_kernels": fresh(tmp_path, name, text)
    door._first_wait.cache_clear()


def fresh(folder, name, text):
    (folder / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    importlib.invalidate_caches()
    door._digest.cache_clear()
    sys.modules.pop(name, None)
    return importlib.import_module(name)


def cached(folder):
    return {path.name for path in folder.rglob("*.nbi")}


def test_kernel_is_compiled_at_import_and_cached_on_disk(made, tmp_path):
    assert made(KERNELS).quarter(3.0) == 0.75
    assert len(cached(tmp_path)) == 1


def test_first_compilation_is_reported_once_and_cached_ones_never(made, caplog):
    with caplog.at_level(logging.WARNING, logger="rulekit.machine_code"):
        made(KERNELS)
        made(KERNELS, "other_kernels")
        made(KERNELS)  # anew, as there are other kernels in the folder now
        (result,) = caplog.records
        assert "python -m rulekit.search.machine_code" in result.getMessage()
        caplog.clear()
        door._first_wait.cache_clear()
        assert made(KERNELS).quarter(8.0) == 2.0
        assert not caplog.records


def test_changed_kernel_recompiles_its_callers_in_the_folder(made):
    caller = """
    from inner_kernels import part
    from rulekit.search.machine_code import machine_code

    @machine_code("float64(float64)")
    def twice(x):
        return 2 * part(x)
    """
    inner = """
    from rulekit.search.machine_code import machine_code

    @machine_code()
    def part(x):
        return x / 2
    """
    made(inner, "inner_kernels")
    assert made(caller, "outer_kernels").twice(3.0) == 3.0
    made(inner.replace("x / 2", "x / 3"), "inner_kernels")
    assert made(caller, "outer_kernels").twice(3.0) == 2.0


def test_kernels_work_without_a_writable_cache(made, monkeypatch, tmp_path):
    from numba.core import caching

    def nowhere(self, *args):
        raise RuntimeError("cannot cache function 'quarter': no locator available for file 'x'")

    monkeypatch.setattr(caching.CacheImpl, "__init__", nowhere)
    assert made(KERNELS).quarter(3.0) == 0.75
    assert not cached(tmp_path)


def test_a_kernel_that_cannot_be_compiled_is_an_error(made):
    from numba.core.errors import TypingError

    with pytest.raises(TypingError):
        made(KERNELS.replace("half(half(x))", "x + 'half'"))


@pytest.fixture
def kernel_files(made, monkeypatch, tmp_path):
    """Two small kernel files that stand for all others; nothing of them is compiled."""
    for name, text in (("one_kernels", KERNELS), ("two_kernels", KERNELS)):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(door, "KERNELS", {"one_kernels": 30.0, "two_kernels": 10.0})
    door._digest.cache_clear()
    return tuple(door.KERNELS)


def test_kernels_that_are_missing_are_counted_in_seconds(kernel_files):
    assert door.missing_seconds(kernel_files, n_jobs=1) == 40.0
    assert door.missing_seconds(kernel_files, n_jobs=2) == 30.0  # the longest file
    quick, slow = {"two_kernels": 1.0}, {"two_kernels": 5.0}
    first, second = (door.KERNELS[name] for name in kernel_files)
    alone = door.Compilation(kernel_files, quick, {}, seconds=1.0, n_jobs=1)
    assert alone.seconds_left == pytest.approx(first / second)
    running = door.Compilation(kernel_files, slow, {"one_kernels": 5.0}, seconds=5.0, n_jobs=2)
    assert running.seconds_left == pytest.approx(5.0 * first / second - 5.0)
    overdue = door.Compilation(kernel_files, slow, {"one_kernels": 500.0}, seconds=500.0, n_jobs=2)
    assert overdue.seconds_left == 0.0


@pytest.mark.slow
def test_kernels_are_prepared_in_processes_and_noted(kernel_files, tmp_path, capfd):
    began = time.monotonic()
    steps = list(door.prepare(kernel_files, n_jobs=2))
    assert 0 < steps[0].seconds <= steps[-1].seconds <= time.monotonic() - began
    assert capfd.readouterr().err == ""  # the caller shows the progress
    assert {name for step in steps for name in step.took} == set(kernel_files)
    assert steps[-1].seconds_left == 0.0
    assert door.missing_seconds(kernel_files) == 0.0
    assert len(cached(tmp_path)) == 2


@pytest.mark.slow
def test_a_kernel_that_fails_ends_the_preparation(kernel_files, tmp_path):
    (tmp_path / "one_kernels.py").write_text("raise ValueError", encoding="utf-8")
    with pytest.raises(SolverError, match="Compiling one_kernels failed"):
        list(door.prepare(("one_kernels",)))


@pytest.mark.slow
def test_rulekit_is_imported_without_numba_or_the_program_of_set_up():
    code = "import sys, rulekit; print({'numba', 'rulekit.search.machine_code'} & {*sys.modules})"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert run.stdout == "set()\n"


def test_set_up_compiles_every_file_with_a_kernel_that_python_calls():
    root = Path(door.__file__).parents[2]
    assert {
        ".".join(path.relative_to(root).with_suffix("").parts)
        for path in (root / "rulekit").rglob("*kernels.py")
        if re.search(
            r"^@machine_code\((?!inline)[^)]", path.read_text(encoding="utf-8"), re.MULTILINE
        )
    } == set(door.KERNELS)
