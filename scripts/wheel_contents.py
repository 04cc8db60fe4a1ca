"""List files that a wheel lacks or should not have: python -m scripts.wheel_contents FILE."""

import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: Folder or file of the project, and where it lies in the wheel.
PLACES = {
    "rulekit/**/*.py": "",
    "rulekit/**/*.pyi": "",
    "rulekit/**/*.html": "",
    "rulekit/py.typed": "",
    "sample_data/*.*": "rulekit/",
    "app.py": "rulekit_dashboard/",
    "pages/*.py": "rulekit_dashboard/",
    "ui/**/*.py": "rulekit_dashboard/",
    "ui/pictures/*.png": "rulekit_dashboard/",
    "ui/*.css": "rulekit_dashboard/",
    "ui/*.js": "rulekit_dashboard/",
    ".streamlit/config.toml": "rulekit_dashboard/",
}


def wanted(root: Path = ROOT) -> set[str]:
    """Return the files that the wheel must hold: all sources, the samples, the dashboard."""
    return {
        f"{folder}{file.relative_to(root).as_posix()}"
        for pattern, folder in PLACES.items()
        for file in root.glob(pattern)
    }


def complaints(wheel: Path, root: Path = ROOT) -> list[str]:
    """Return a sentence for each file that is missing or does not belong there."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    about = {name for name in names if name.split("/")[0].endswith(".dist-info")}
    messages = [f"{name} is missing." for name in sorted(wanted(root) - names)]
    messages += [f"{name} does not belong there." for name in sorted(names - wanted(root) - about)]
    if not any(name.endswith("licenses/LICENSE") for name in about):
        messages.append("The licence is missing.")
    return messages


def main() -> None:
    """Look into the wheel; leave with an error if it is not as it must be."""
    messages = complaints(Path(sys.argv[1]))
    for sentence in messages:
        print(sentence)
    sys.exit(bool(messages))


if __name__ == "__main__":
    main()
