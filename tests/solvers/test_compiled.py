"""Compiled modules: NumPy answers until they are there, nobody waits, nothing crashes."""

import logging
import subprocess
import sys
import textwrap
import threading
from types import SimpleNamespace

import pytest

from rulekit.solvers import compiled as room_of
from rulekit.solvers.compiled import CompiledModule, compiled, compiled_module, warm_up


@pytest.fixture(autouse=True)
def rooms(monkeypatch):
    """Forget the modules a test makes; what others have begun to make ends before it begins."""
    for room in list(room_of._rooms.values()):
        if room._thread is not None:
            room._thread.join()
    monkeypatch.setattr(room_of, "_rooms", {})
    monkeypatch.setattr(room_of, "_wanted", lambda: True)


def put(monkeypatch, tmp_path, name, text):
    (tmp_path / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, name, raising=False)
    return name


def test_the_twin_answers_while_the_module_is_made_and_the_module_afterwards(monkeypatch):
    made = threading.Event()

    def slow_import(name):
        made.wait(10)
        return SimpleNamespace(total=lambda x: ("machine", sum(x)))

    monkeypatch.setattr(room_of.importlib, "import_module", slow_import)

    @compiled("some.module:total")
    def total(x):
        return "numpy", sum(x)

    assert total([1, 2]) == ("numpy", 3)
    assert total([1, 2]) == ("numpy", 3)
    made.set()
    assert compiled_module("some.module").wait(10)
    assert total([1, 2]) == ("machine", 3)
    assert total.twin([1, 2]) == ("numpy", 3)


def test_a_module_is_imported_once_however_many_ask(monkeypatch):
    imported = []

    def count(name):
        imported.append(name)
        return SimpleNamespace(prepare=lambda: imported.append("prepared"))

    monkeypatch.setattr(room_of.importlib, "import_module", count)
    room = CompiledModule("some.module")
    threads = [threading.Thread(target=room.ready) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert room.wait(10)
    assert imported == ["some.module", "prepared"]


def test_a_module_that_cannot_be_made_is_told_once_and_numpy_goes_on(monkeypatch, tmp_path, caplog):
    name = put(monkeypatch, tmp_path, "broken_room", "raise ValueError('no such processor')")
    double = compiled(f"{name}:double")(lambda x: 2 * x)
    with caplog.at_level(logging.WARNING, logger="rulekit.compiled"):
        assert not compiled_module(name).wait(10)
        assert [double(2), double(3)] == [4, 6]
    assert [r.getMessage() for r in caplog.records] == [
        "The compiled functions of broken_room cannot be made, NumPy answers instead, with the "
        "same results: ValueError: no such processor"
    ]


def test_without_numba_nothing_is_started_and_nothing_is_said(monkeypatch, caplog):
    monkeypatch.setattr(room_of, "_wanted", lambda: False)
    room = CompiledModule("some.module")
    assert room.ready() is None
    assert not room.wait()
    assert not warm_up(wait=True)
    assert not caplog.records


SCRIPT = """
from rulekit.solvers.compiled import machine_code

@machine_code("float64(float64)", inner=True)
def half(x):
    return x / 2

@machine_code("float64(float64)")
def quarter(x):
    return half(half(x))
"""


def test_machine_code_is_made_where_no_cache_can_be_written(monkeypatch, tmp_path):
    pytest.importorskip("numba")
    from numba.core import caching

    def nowhere(self, *args):
        raise RuntimeError("cannot cache function 'half': no locator available for file 'x'")

    monkeypatch.setattr(caching.CacheImpl, "__init__", nowhere)
    room = CompiledModule(put(monkeypatch, tmp_path, "uncached_room", SCRIPT))
    assert room.wait(60)
    assert room.ready().quarter(3.0) == 0.75
    assert not list(tmp_path.rglob("*.nbi"))


def test_machine_code_is_kept_on_disk(monkeypatch, tmp_path):
    pytest.importorskip("numba")
    room = CompiledModule(put(monkeypatch, tmp_path, "cached_room", SCRIPT))
    assert room.wait(60)
    assert room.ready().quarter(3.0) == 0.75
    assert list(tmp_path.rglob("*.nbi"))


LEAVING = """
from rulekit.solvers import box_visits
box_visits.MACHINE.ready()
print("left")
"""


def test_a_program_may_end_while_machine_code_is_being_made(tmp_path):
    pytest.importorskip("numba")
    run = subprocess.run(
        [sys.executable, "-c", LEAVING],
        env={"NUMBA_CACHE_DIR": str(tmp_path), "PATH": "", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "left\n", "")
