"""Print the size of the code base: lines, exported names, files passed by a fit, single importers.

Run as ``python -m scripts.census`` (or ``make census``) before and after a change of structure.
"""

import ast
import importlib
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "rulekit"
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def python_files(*places: str) -> list[Path]:
    """List the Python files below folders; a file stands for itself."""
    files = [path for name in places for path in ((ROOT / name).rglob("*.py"))]
    return sorted(files + [ROOT / name for name in places if name.endswith(".py")])


def code_lines(source: str) -> int:
    """Count lines that hold code: no docstring, comment or blank line."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE and token.string:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            lines -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def sizes(*places: str) -> tuple[int, int, int]:
    """Return files, lines and lines of code below folders."""
    sources = [path.read_text(encoding="utf-8") for path in python_files(*places)]
    lines = sum(len(source.splitlines()) for source in sources)
    return len(sources), lines, sum(map(code_lines, sources))


def exported(pattern: str) -> int:
    """Count the names in ``__all__`` of the packages whose ``__init__`` matches a pattern."""
    packages = (".".join(path.parent.relative_to(ROOT).parts) for path in LIBRARY.glob(pattern))
    return sum(len(getattr(importlib.import_module(name), "__all__", ())) for name in packages)


def files_passed(action: Callable[[], Any]) -> int:
    """Count the files of the library in which a function runs while an action runs."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            files.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return sum(Path(name).is_relative_to(LIBRARY) for name in files)


def imported_modules(path: Path, modules: Iterable[str]) -> set[str]:
    """Return which of our modules a file imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names & set(modules)


def single_importers() -> tuple[int, int]:
    """Return how many modules of library and pages one file alone imports, and of how many."""
    paths = python_files("rulekit", "ui", "pages", "app.py")
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in paths}
    users = Counter(used for path in paths for used in imported_modules(path, names))
    modules = [name for name in names if name.startswith(("rulekit.", "ui."))]
    modules = [name for name in modules if not name.endswith("__init__")]
    return sum(users[name] == 1 for name in modules), len(modules)


def folders_with(word: str) -> int:
    """Count the folders of library and pages of which a Python file holds a word."""
    paths = python_files("rulekit", "ui", "pages")
    return len({path.parent for path in paths if word in path.read_text(encoding="utf-8")})


PREPOSITIONS = {
    "about",
    "across",
    "after",
    "against",
    "among",
    "around",
    "at",
    "before",
    "beside",
    "between",
    "beyond",
    "by",
    "for",
    "in",
    "near",
    "of",
    "on",
    "or",
    "over",
    "past",
    "per",
    "under",
    "until",
    "without",
    "within",
}
IRREGULAR = {
    "bound",
    "broken",
    "built",
    "chosen",
    "drawn",
    "found",
    "given",
    "grown",
    "held",
    "hidden",
    "kept",
    "known",
    "laid",
    "left",
    "lost",
    "made",
    "met",
    "paid",
    "seen",
    "sent",
    "shown",
    "spent",
    "taken",
    "told",
    "written",
}
NO_PARTICIPLES = {"exceed", "feed", "need", "proceed", "seed", "shed"}


def is_nominal(name: str) -> bool:
    """Return whether the first word of a name is a participle or a preposition."""
    first = name.strip("_").split("_")[0]
    participle = first in IRREGULAR or (first.endswith("ed") and first not in NO_PARTICIPLES)
    return participle or first in PREPOSITIONS


def count_names(*places: str) -> tuple[int, int, int]:
    """Return functions named by a participle or preposition, all functions, doubled classes."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in python_files(*places)]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    called = [
        f for f in functions if not any("property" in ast.unparse(d) for d in f.decorator_list)
    ]
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    n_nominal = sum(is_nominal(function.name) for function in called)
    return n_nominal, len(functions), sum(n > 1 for n in classes.values())


def count_locals(name: str, *places: str) -> int:
    """Count assignments to a local name."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in python_files(*places))
    return sum(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for tree in trees
        for node in ast.walk(tree)
    )


def main() -> None:
    """Print the figures, one a line."""
    for name, places in {
        "rulekit": ("rulekit",),
        "ui, pages": ("ui", "pages", "app.py"),
        "tests": ("tests",),
    }.items():
        files, lines, code = sizes(*places)
        print(f"{name}: {files} files, {lines:,} lines, {code:,} of code")
    import rulekit

    first, every = exported("*/__init__.py"), exported("**/__init__.py")
    print(f"exported names: rulekit {len(rulekit.__all__)}, packages {first}, all {every}")
    X, y = rulekit.load_sample("credit").xy()
    for model in (rulekit.RuleClassifier(cv=2), rulekit.BoxSearchClassifier()):
        model.set_params(positive_label="high", random_state=0)
        n_files = files_passed(partial(model.fit, X, y))
        print(f"files passed by {type(model).__name__}.fit: {n_files}")
    print("modules with a single importer: {} of {}".format(*single_importers()))
    print(f"folders with power_law: {folders_with('power_law')}")
    nominal, functions, doubled = count_names("rulekit", "ui", "pages")
    print(f"functions named by a participle or preposition: {nominal} of {functions:,}")
    print(f"class names that occur twice: {doubled}")
    print(f"locals named `found` in tests: {count_locals('found', 'tests')}")


if __name__ == "__main__":
    main()
