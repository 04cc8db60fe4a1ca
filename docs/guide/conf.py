"""How the guide is built: `make docs`, where warnings are errors and every example runs.

Its pages are the `.rst` files beside this one, its worked cases the scripts in `cases/`; what
Sphinx does not do by itself is in `building.py`.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]
os.environ["PYTHONPATH"] = str(HERE.parents[1])  # of commands in examples, too

import rulekit  # noqa: E402

project = "Rulekit dashboard"
author = copyright = "The authors of the Rulekit dashboard"
version = release = rulekit.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "building",
]
nitpicky = True
nitpick_ignore_regex = [("py:class", r"(collections|numpy)\..*")]  # types of constants
default_role = "name"
templates_path = ["_templates"]
exclude_patterns = ["_templates", "cases", "gallery/*.ipynb", "gallery/*.py"]
suppress_warnings = ["config.cache"]  # of the gallery's settings, which are no plain values

autodoc_typehints = "none"  # types stand in the docstrings, in words
numpydoc_show_class_members = False  # the template of a class lists them

sphinx_gallery_conf = {
    "examples_dirs": "cases",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/\d_",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": (),
    "reset_modules": (),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 600,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "Rulekit dashboard"
html_static_path = ["_static"]
html_css_files = ["guide.css"]
html_sidebars = {"start": []}
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": {"**": ["page-toc"], "learners": []},
    "footer_start": ["copyright"],
    "footer_end": [],
}
