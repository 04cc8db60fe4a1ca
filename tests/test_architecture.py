"""The shape of the code base, where the import contracts do not look."""

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.parts import AT_MOST, PARTS

ROOT = Path(__file__).parents[1]
MODULES = sorted([*(ROOT / "rulekit").rglob("*.py"), *(ROOT / "ui").rglob("*.py")])
VIEWS = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]
HIDDEN_FROM_VIEWS = {"search", "rules", "binning"}


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported_names(path: Path) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    return tuple(names)


@pytest.mark.parametrize("view", VIEWS, ids=relative)
def test_a_view_reads_only_the_public_face_of_the_library(view):
    parts = [name.split(".") for name in imported_names(view)]
    inner = {p[1] for p in parts if p[0] == "rulekit" and len(p) > 1}
    assert not inner & HIDDEN_FROM_VIEWS


@pytest.mark.parametrize("view", VIEWS, ids=relative)
def test_a_view_is_thin(view):
    assert len(view.read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("view", VIEWS[1:], ids=relative)
def test_a_page_goes_through_the_router_before_anything_else(view):
    body = parsed(view).body[1:]  # after the docstring
    first = next(node for node in body if not isinstance(node, ast.Import | ast.ImportFrom))
    assert ast.unparse(first) in (f"guard('{view.stem}')", f"shell.guard('{view.stem}')")


@pytest.mark.slow
def test_module_is_short_and_has_a_docstring():
    lines = {relative(m): len(m.read_text(encoding="utf-8").splitlines()) for m in MODULES}
    assert {name: n for name, n in lines.items() if n > 600} == {}
    message = {relative(m): ast.get_docstring(parsed(m)) or "" for m in MODULES}
    assert [name for name, words in message.items() if len(words) <= 20] == []


@pytest.mark.slow
def test_only_one_module_touches_the_private_checks_of_scikit_learn():
    private = {"sklearn.utils._param_validation", "sklearn.base._fit_context"}
    users = {
        relative(path)
        for path in MODULES
        for name in imported_names(path)
        if name in private or name.startswith("sklearn.utils._")
    }
    assert users <= {"rulekit/_validation.py"}


@pytest.mark.slow
def test_joblib_is_never_given_a_backend():
    for path in MODULES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Parallel":
                assert "backend" not in {keyword.arg for keyword in node.keywords}, path


@pytest.mark.slow
def test_only_the_command_process_silences_warnings_for_a_while():
    users = {
        relative(path)
        for path in MODULES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute | ast.alias | ast.Name)
        and "catch_warnings" in ast.unparse(node)
    }
    assert users == {"rulekit/cli/command.py"}


@pytest.mark.slow
def test_only_one_package_writes_spreadsheets():
    writers = {"to_csv", "to_excel", "writer", "DictWriter", "Workbook"}
    names = {
        relative(path)
        for path in MODULES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in writers
    }
    assert names  # it looks at the right calls
    assert all(path.startswith("rulekit/export/sheets/") for path in names)


@pytest.mark.parametrize("package", sorted((ROOT / "rulekit").glob("*/__init__.py")), ids=relative)
def test_package_docstrings_state_what_belongs_there(package):
    docstring = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8"))) or ""
    assert "belongs here" in docstring
    assert "import" in docstring


def test_no_module_is_called_utils_or_helpers():
    assert not {path.stem for path in MODULES} & {"utils", "util", "helpers", "common", "misc"}


def test_parts_of_every_page_are_in_the_independence_contract():
    folders = {f"ui.{view.stem}" for view in VIEWS if (ROOT / "ui" / view.stem).is_dir()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    kept_apart = [set(c["modules"]) for c in contracts if c["type"] == "independence"]
    assert kept_apart == [folders]


def test_streamlit_is_imported_by_the_dashboard_alone():
    users = {relative(p).split("/")[0] for p in MODULES if "streamlit" in set(imported_names(p))}
    assert users <= {"ui"}


def test_only_plot_modules_import_plotly():
    users = {relative(p) for p in MODULES if any("plotly" in n for n in imported_names(p))}
    inside = {name for name in users if not name.startswith(("rulekit/plots/", "ui/"))}
    assert {name for name in inside if "/plots" not in name} == {"rulekit/style/palette.py"}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports_between_files() -> dict[str, set[str]]:
    """Which of our files each file imports, a package's name standing for its ``__init__``."""
    trees = {module_name(path): parsed(stub_or_module(path)) for path in MODULES}
    exported = {name: {alias.name for alias in aliases(tree)} for name, tree in trees.items()}
    result: dict[str, set[str]] = {name: set() for name in trees}
    for me, tree in trees.items():
        for node in ast.walk(tree):
            source = source_of(node, me)
            if source in trees:
                for alias in node.names:
                    inner = f"{source}.{alias.name}"
                    by_package = source != me and (
                        alias.name in exported[source] or inner not in trees
                    )
                    result[me].add(source if by_package else inner)
            elif isinstance(node, ast.Import):
                result[me] |= {alias.name for alias in node.names} & set(trees)
    return result


def stub_or_module(path: Path) -> Path:
    """Return the stub of a lazy package, which names what it loads, or the module itself."""
    stub = path.with_suffix(".pyi")
    return stub if stub.exists() else path


def source_of(node: ast.AST, me: str) -> str | None:
    """Return the module that a from-import reads; in a stub it is relative to the package."""
    if not isinstance(node, ast.ImportFrom):
        return None
    return node.module if node.level == 0 else ".".join(filter(None, (me, node.module)))


def aliases(tree: ast.Module) -> Iterator[ast.alias]:
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            yield from node.names


def test_no_files_import_each_other_in_a_circle_not_even_two():
    imports = imports_between_files()
    while leaves := {name for name, needed in imports.items() if not needed}:
        imports = {n: needed - leaves for n, needed in imports.items() if n not in leaves}
    assert not imports, f"in a circle, or above one: {sorted(imports)}"


def test_inner_packages_export_no_names():
    inner = [
        p for p in (ROOT / "rulekit").glob("*/**/__init__.py") if p.parents[1] != ROOT / "rulekit"
    ]
    inner = [path for path in inner if path.parents[1] != ROOT / "rulekit/families"]
    assert inner
    assert {relative(path) for path in inner if list(aliases(parsed(path)))} == set()


def own_test(module: Path) -> Path:
    """Where a module is tested: ``tests/`` has the folders of ``rulekit/``, and ``ui/``."""
    parts = Path(relative(module)).with_suffix("").parts
    folders = parts[1:-1] if parts[0] == "rulekit" else parts[:-1]
    return Path("tests", *folders, f"test_{parts[-1].lstrip('_')}.py")


def test_module_has_a_test_file_or_is_a_part_of_a_tested_one():
    listed = [part for parts in PARTS.values() for part in parts]
    modules = [path for path in MODULES if path.name != "__init__.py"]
    untested = {relative(path) for path in modules if not (ROOT / own_test(path)).exists()}
    assert not untested - set(listed), "write their tests, in the files of their names"
    assert not set(listed) - untested, "they have tests of their own, or are gone: strike them out"
    assert len(listed) == len(set(listed)) <= AT_MOST, "the table of parts may only shrink"


def test_no_public_name_is_hidden_by_a_module():
    # a name that loads lazily would be replaced by a module of its name once that is imported
    for stub in (ROOT / "rulekit").rglob("__init__.pyi"):
        modules = {path.stem for path in stub.parent.iterdir()} - {"explain"}
        names = {alias.name for alias in aliases(parsed(stub))}
        assert not names & modules, stub
