"""What the guide asks of Sphinx besides: examples that run, names that link, and figures.

``.. runs::`` runs the Python below it and shows what it prints, ``.. runs:: shell`` commands; those
of a page run one after the other, in a folder of the page's own. An example that fails, or warns,
ends the build.
"""

import contextlib
import importlib
import inspect
import io
import os
import subprocess
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import plotly.io as pio
from docutils import nodes
from plotly.io.base_renderers import MimetypeRenderer
from plotly.offline import get_plotlyjs
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import rulekit
from rulekit.exceptions import UnseenValuesWarning

HERE = Path(__file__).parent
PACKAGES = ("data", "rules", "binning", "learners", "evaluation", "explain", "export", "plots")
#: This very code and this very Python, wherever others are installed.
COMMAND = """
python() { "$PYTHON" "$@"; }
rulekit() { python -c 'from rulekit.cli import run; run()' "$@"; }
"""
SHOWN = 40  # lines of an output; what is longer is cut
log = logging.getLogger(__name__)


class Page:
    """The namespace and files that the examples of a page have made so far."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def python(self, text: str) -> str:
        """Run Python, and return what it prints."""
        printed = io.StringIO()
        with (
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(printed),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", DeprecationWarning)  # of one library to another
            warnings.simplefilter("ignore", UnseenValuesWarning)  # held-out rows have new values
            exec(compile(text, "<example>", "exec"), self.names)
        return printed.getvalue()

    def shell(self, text: str) -> str:
        """Run commands, and return what they print."""
        done = subprocess.run(
            ["bash", "-e", "-c", COMMAND + text],
            cwd=self.folder,
            env={**os.environ, "PYTHON": sys.executable},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
        return done.stdout


class Runs(SphinxDirective):
    """Run an example, and show it with what it prints."""

    has_content = True
    optional_arguments = 1  # "shell"
    pages: ClassVar[dict[str, Page]] = {}

    def run(self) -> list[nodes.Node]:
        """Run the example."""
        language = self.arguments[0] if self.arguments else "python"
        text = "\n".join(self.content)
        name = self.env.docname
        if name not in self.pages:
            self.pages[name] = Page(Path(self.env.doctreedir) / "examples" / name)
        page = self.pages[name]
        try:
            printed = page.shell(text) if language == "shell" else page.python(text)
        except Exception:
            raise self.error(f"The example fails:\n{text}\n{traceback.format_exc()}") from None
        found = [nodes.literal_block(text, text, language=language, classes=["example"])]
        if lines := printed.rstrip().splitlines():
            shown = "\n".join(lines[:SHOWN] + ["..."] * (len(lines) > SHOWN))
            found.append(nodes.literal_block(shown, shown, language="none", classes=["printed"]))
        return found


def public_names() -> dict[str, str]:
    """Return the name under which each public object is documented: its shortest."""
    found = {name: f"rulekit.{name}" for name in rulekit.__all__} | {
        "explain": "rulekit.explain.explain"  # the package of its name can be called
    }
    for package in PACKAGES:
        for name in importlib.import_module(f"rulekit.{package}").__all__:
            found.setdefault(name, f"rulekit.{package}.{name}")
    return found


NAMES = public_names()


def name_role(role: str, raw: str, text: str, *_: Any) -> tuple[list[nodes.Node], list[Any]]:
    """Link a public name in single backticks, and set anything else as code."""
    path, _, short = text.removesuffix("()").rpartition(".")
    if short not in NAMES or (path and not path.startswith("rulekit")):
        return [nodes.literal(raw, text)], []
    link = addnodes.pending_xref(
        raw, refdomain="py", reftype="obj", reftarget=NAMES[short], refexplicit=True
    )
    link += nodes.literal(raw, text.removeprefix("rulekit."))
    return [link], []


def write_interface(_app: Any, _config: Any) -> None:
    """Write a page a package that lists what is public there, and one that lists the packages."""
    folder = HERE / "api"
    folder.mkdir(exist_ok=True)
    pages = ["rulekit", *(f"rulekit.{package}" for package in PACKAGES)]
    for page in pages:
        module = importlib.import_module(page)
        names = sorted(name for name, full in NAMES.items() if full == f"{page}.{name}")
        lines = [page, "=" * len(page), "", f".. currentmodule:: {page}", ""]
        lines += [inspect.getdoc(module) or "", "", ".. autosummary::", "   :toctree: .", ""]
        write(folder / f"{page}.rst", "\n".join([*lines, *(f"   {name}" for name in names), ""]))
    head = (
        "Interface\n=========\n\nMost scripts need `rulekit` only; further names are in its "
        "packages.\n\n.. toctree::\n   :maxdepth: 1\n\n"
    )
    write(folder / "index.rst", head + "".join(f"   {page}\n" for page in pages))


def write(file: Path, text: str) -> None:
    """Write a file if its content differs."""
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


def check_links(_app: Any, tree: nodes.document, page: str) -> None:
    """Warn of outside addresses that cannot be right; whether they answer is not checked."""
    for link in tree.findall(nodes.reference):
        address = link.get("refuri", "")
        if not link.get("internal") and ":" in address:
            parts = urlsplit(address)
            if (
                parts.scheme != "https"
                or "." not in parts.netloc
                or address != "".join(address.split())
            ):
                log.warning("%s: %r is no https address", page, address)


class Figures(MimetypeRenderer):
    """Write a figure as HTML that finds Plotly beside the page."""

    def to_mimebundle(self, figure: dict[str, Any]) -> dict[str, str]:
        """Write a figure."""
        kept = {"include_plotlyjs": False, "include_mathjax": False, "full_html": False}
        return {"text/html": pio.to_html(figure, **kept)}


def bring_plotly(app: Any, error: Any) -> None:
    """Copy Plotly beside the pages, so that no browser loads it from another host."""
    if not error and app.builder.format == "html":
        write(Path(app.outdir) / "_static" / "plotly.min.js", get_plotlyjs())


def ask_for_plotly(app: Any, page: str, _template: Any, _context: Any, _tree: Any) -> None:
    """Load Plotly where figures are."""
    if page.startswith("gallery/"):
        app.add_js_file("plotly.min.js", loading_method=None)


def setup(app: Any) -> None:
    """Join the parts above to the build."""
    pio.renderers["guide"] = Figures()
    pio.renderers.default = "guide"
    app.add_directive("runs", Runs)
    app.add_role("name", name_role)
    app.connect("config-inited", write_interface)
    app.connect("doctree-resolved", check_links)
    app.connect("html-page-context", ask_for_plotly)
    app.connect("build-finished", bring_plotly)
