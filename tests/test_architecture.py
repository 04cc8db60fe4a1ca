"""The shape of the code base, where the import contracts do not look."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import rulekit

ROOT = Path(__file__).parents[1]
MODULES = sorted([*(ROOT / "rulekit").rglob("*.py"), *(ROOT / "ui").rglob("*.py")])
VIEWS = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]
HIDDEN_FROM_VIEWS = {"solvers", "rules", "binarize"}


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("view", VIEWS, ids=relative)
def test_a_view_reads_only_the_public_face_of_the_library(view):
    parts = [name.split(".") for name in imported_names(view)]
    inner = {p[1] for p in parts if p[0] == "rulekit" and len(p) > 1}
    assert not inner & HIDDEN_FROM_VIEWS


@pytest.mark.parametrize("view", VIEWS, ids=relative)
def test_a_view_is_thin(view):
    assert len(view.read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("module", MODULES, ids=relative)
def test_a_module_is_short_and_says_what_it_is_for(module):
    source = module.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 400
    docstring = ast.get_docstring(ast.parse(source))
    assert docstring is not None
    assert len(docstring) > 20


def test_only_one_module_touches_the_private_checks_of_scikit_learn():
    private = {"sklearn.utils._param_validation", "sklearn.base._fit_context"}
    users = {
        relative(path)
        for path in MODULES
        for name in imported_names(path)
        if name in private or name.startswith("sklearn.utils._")
    }
    assert users <= {"rulekit/_validation.py"}


def test_joblib_is_never_told_which_backend_to_use():
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Parallel":
                assert "backend" not in {keyword.arg for keyword in node.keywords}, path


def test_every_public_name_exists_and_is_documented():
    for name in rulekit.__all__:
        public = getattr(rulekit, name)
        if callable(public):
            assert public.__doc__, name


@pytest.mark.parametrize("package", sorted((ROOT / "rulekit").glob("*/__init__.py")), ids=relative)
def test_a_package_says_what_belongs_in_it(package):
    docstring = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8"))) or ""
    assert "belongs here" in docstring
    assert "import" in docstring


def test_no_module_is_called_utils_or_helpers():
    assert not {path.stem for path in MODULES} & {"utils", "util", "helpers", "common", "misc"}


def test_streamlit_is_imported_by_the_dashboard_alone():
    users = {relative(p).split("/")[0] for p in MODULES if "streamlit" in set(imported_names(p))}
    assert users <= {"ui"}
