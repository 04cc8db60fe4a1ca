"""Puts what stands beside the packages into the wheel: the dashboard's front, the sample tables."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

BESIDE = {  # where it stands in a clone, and in the wheel
    "app.py": "ui/served/app.py",
    "pages": "ui/served/pages",
    ".streamlit": "ui/served/.streamlit",
    "sample_data": "rulekit/data/sample_data",
}


class WithWhatStandsBeside(build_py):
    """Copies it among the packages' own files; an editable install reads the clone's."""

    def run(self):
        """Build."""
        super().run()
        if self.editable_mode:
            return
        for source, place in BESIDE.items():
            target = Path(self.build_lib, place)
            target.parent.mkdir(parents=True, exist_ok=True)
            if Path(source).is_dir():
                leave = shutil.ignore_patterns("__pycache__")
                shutil.copytree(source, target, dirs_exist_ok=True, ignore=leave)
            else:
                shutil.copy(source, target)


setup(cmdclass={"build_py": WithWhatStandsBeside})
