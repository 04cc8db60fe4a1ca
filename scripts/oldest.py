"""Run tests with the oldest versions that pyproject.toml states: python -m scripts.oldest [PYTHON].

An environment of its own, in a folder that is deleted again, gets every dependency of the core at
exactly the version that its lower bound names, and the tests below run there. A bound that no
longer works is to be raised.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
BOUND = re.compile(r"([A-Za-z0-9_.-]+)>=([0-9.]+)")
#: What reads tables, learns, explains and exports: each dependency is used by some of them.
TESTS = (
    "tests/test_validation.py",
    "tests/data/test_typed.py",
    "tests/data/test_schema.py",
    "tests/data/reading",
    "tests/binning/test_binarizer.py",
    "tests/rules/test_rule_set.py",
    "tests/learners/test_base.py",
    "tests/learners/test_fixed.py",
    "tests/families/hyperplane/test_lp_svm.py",
    "tests/search/test_lp.py",
)
TOOLS = ("pytest>=8", "hypothesis>=6.100", "polars>=1", "openpyxl>=3.1")
TOOLS += ("python-calamine>=0.5", "XlsxWriter>=3.2")


def oldest(requirements: Iterable[str]) -> list[str]:
    """Pin requirements such as ``numpy>=2.0`` to their lower bound, ``numpy==2.0.0``."""
    pins = []
    for requirement in requirements:
        bound = BOUND.match(requirement)
        if bound is None:
            raise ValueError(f"{requirement!r} names no oldest version; write it as name>=1.2.")
        name, version = bound.groups()
        parts = version.split(".")
        pins.append(f"{name}=={'.'.join([*parts, *['0'] * (3 - len(parts))])}")
    return pins


def installer(python: str) -> list[str]:
    """Return the command that installs packages for a Python: uv's if found, else pip's."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    uv = shutil.which("uv", path=path)
    if uv:
        return [uv, "pip", "install", "--quiet", "--python", python]
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    return [*pip, "--python", python, "install"]


def main(python: str = sys.executable) -> int:
    """Make the environment and run the tests; return pytest's exit code."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pins = oldest(project["dependencies"])
    print("With", ", ".join(pins))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        inside = str(Path(folder, "bin", "python"))
        subprocess.run([*installer(inside), *pins, *TOOLS], check=True)
        tests = [
            "-q",
            "-x",
            "-p",
            "no:cacheprovider",
            "-m",
            "not slow and not browser and not paper",
        ]
        command = [inside, "-m", "pytest", *tests, *TESTS]
        return subprocess.run(command, cwd=ROOT, env=environment(folder)).returncode


def environment(folder: str) -> dict[str, str]:
    """Return the variables of the run: kernels of another Numba would replace the compiled ones."""
    return os.environ | {"NUMBA_CACHE_DIR": str(Path(folder, "kernels"))}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
