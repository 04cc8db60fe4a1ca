"""Check that docstrings, names, messages and documents use plain technical English.

Run as ``python -m scripts.wording [PATH ...]``; without paths the whole project is checked. Each
finding is printed as ``file:line: reason``; with any the exit status is 1.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = ("rulekit", "ui", "pages", "app.py")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/decisions", "docs/guide")
OPENINGS = re.compile(
    r"(Say|Give|Tell|Ask|Let|Put|Name|Know|Mean|Hold|Stand|Answer|Note)s?(?=[\s.,:])"
)
WORDS = re.compile(
    r"(?<![a-z])(told|asked|said|wish(?:es|ed)?|whoever|nobody|somebody|askers?|stands|in hand|"
    r"(?<!there )(?-i:is none)|so many|in truth)(?![a-z])",
    re.IGNORECASE,
)
LONGEST_TEST_NAME = 70
#: Text that is data or is quoted: file name to the words that may occur in it.
ALLOWED: dict[str, set[str]] = {
    "rulekit/rules/simplification.py": {"is none"},  # a condition as text: "bp is none"
    "rulekit/rules/constraints.py": {"is none"},  # an operator: "is none of"
}


def main() -> None:
    """Print all findings and exit with 1 if there are any."""
    parser = argparse.ArgumentParser(description="Check the wording.")
    parser.add_argument("paths", nargs="*", default=[*CODE, *DOCUMENTS, "tests"])
    given = parser.parse_args()
    findings = [text for path in given.paths for text in check(ROOT / path)]
    if findings:
        sys.stdout.write("".join(f"{finding}\n" for finding in findings))
        sys.exit(f"{len(findings)} findings: use plain English.")


def check(path: Path) -> Iterator[str]:
    """Yield the findings of a file, or of all Python and text files of a folder."""
    if path.is_dir():
        for inner in sorted(path.rglob("*")):
            if inner.suffix in {".py", ".pyi", ".md", ".rst"}:
                yield from check(inner)
        return
    name = path.relative_to(ROOT).as_posix()
    if "/golden/" in name or name.startswith(("docs/guide/api/", "docs/guide/gallery/")):
        return
    text = path.read_text(encoding="utf-8")
    if name.startswith("tests/"):
        yield from (f"{name}:{line}: {reason}" for line, reason in test_names(text))
        return
    yield from (
        f"{name}:{line}: {reason}" for line, reason in words(text, ALLOWED.get(name, set()))
    )
    if path.suffix == ".py":
        yield from (f"{name}:{line}: {reason}" for line, reason in openings(text))


def words(text: str, allowed: set[str]) -> Iterator[tuple[int, str]]:
    """Yield line numbers and words that have a plainer replacement."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in WORDS.finditer(line):
            if match[0].lower() not in allowed:
                yield number, f"replace {match[0]!r}"


def openings(source: str) -> Iterator[tuple[int, str]]:
    """Yield line numbers of docstrings that begin with a verb of speech."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, kinds) and OPENINGS.match(ast.get_docstring(node) or ""):
            line = getattr(node, "lineno", 1)
            yield line, "begin the docstring with a verb such as Return, Compute, Check"


def test_names(source: str) -> Iterator[tuple[int, str]]:
    """Yield line numbers of test functions with long names."""
    for node in ast.walk(ast.parse(source)):
        is_test = isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        if is_test and len(node.name) > LONGEST_TEST_NAME:
            yield node.lineno, f"test name has {len(node.name)} characters"


if __name__ == "__main__":
    main()
