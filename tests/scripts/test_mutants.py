"""Planted mistakes: which there are, where they stand, and that a known one is noticed."""

from pathlib import Path

import pytest

from scripts.mutants import ROOT, Bench, mutants_of, near_tests

SOURCE = '''"""Words that count 1 and 2."""
LIMIT: dict[str, int] = {}


def size(rows: int = 3) -> list[int]:
    if not rows < 4 and ready(rows):
        return (rows + 1).sum(axis=0)
    return f"{rows + 5}"
'''
PLANTED = [
    ("not rows < 4 and ready(rows)", "not rows < 4 or ready(rows)"),
    ("not rows < 4", "rows < 4"),
    ("rows < 4", "rows <= 4"),
    ("4", "5"),
    ("3", "4"),
    ("rows + 1", "rows"),
    ("1", "2"),
    ("0", "1"),
]


def test_each_mistake_is_planted_in_code_only(tmp_path):
    (tmp_path / "module.py").write_text(SOURCE)
    found = mutants_of(Path("module.py"), tmp_path)
    assert sorted((m.before, m.after) for m in found) == sorted(PLANTED)
    for mutant in found:
        changed = mutant.applied(SOURCE.encode()).decode().splitlines()
        differing = [k for k, line in enumerate(SOURCE.splitlines(), 1) if changed[k - 1] != line]
        assert differing == [mutant.line]


def test_a_condition_that_is_tested_alone_is_turned_round(tmp_path):
    (tmp_path / "module.py").write_text("while ready():\n    pass\n")
    (found,) = mutants_of(Path("module.py"), tmp_path)
    assert found.applied(b"while ready():\n    pass\n") == b"while not ready():\n    pass\n"


def test_tests_of_a_module_share_its_name_or_import_it():
    near = near_tests(Path("rulekit/evaluation/sweeps/result.py"))
    assert "tests/evaluation/sweeps/test_result.py" in near
    assert near[-1] == "rulekit/evaluation/sweeps/result.py"
    assert not [test for test in near if test.startswith(("tests/pages", "tests/browser"))]


@pytest.mark.slow
def test_a_mistake_in_a_copy_is_noticed_and_the_copy_is_whole_again(tmp_path):
    path = Path("rulekit/data/typed.py")
    mutant = next(m for m in mutants_of(path) if m.before.startswith("not "))
    bench = Bench(tmp_path, seconds=120)
    assert bench.verdict(mutant) == "noticed"
    assert (bench.root / path).read_bytes() == (ROOT / path).read_bytes()
