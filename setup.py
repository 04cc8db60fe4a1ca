"""Where the wheel's parts are; what they are is told in pyproject.toml.

The dashboard goes into a package of its own, so that no `ui` lies about among a user's packages.
"""

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

DASHBOARD = "rulekit_dashboard"


class Build(build_py):
    """Take this folder's `app.py` for the dashboard's, and leave this file out."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """List a package's modules: (package, module, file)."""
        found = super().find_package_modules(package, package_dir)
        return [part for part in found if part[1] != "setup"]


setup(
    cmdclass={"build_py": Build},
    packages=[
        *find_packages(include=["rulekit", "rulekit.*"]),
        "rulekit.sample_data",
        DASHBOARD,
        f"{DASHBOARD}.pages",
        *(f"{DASHBOARD}.{name}" for name in find_packages(include=["ui", "ui.*"])),
    ],
    package_dir={DASHBOARD: ".", "rulekit.sample_data": "sample_data"},
    package_data={
        "rulekit": ["py.typed", "**/*.pyi", "**/*.html"],
        "rulekit.sample_data": ["*.csv", "README.md"],
        DASHBOARD: [".streamlit/config.toml"],
        f"{DASHBOARD}.ui": ["pictures/*.png", "*.css", "*.js"],
    },
)
