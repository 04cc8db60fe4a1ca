"""Say what a wheel lacks or holds too much: python -m scripts.wheel_contents FILE."""

import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("rulekit", "ui")
BESIDE = {  # what stands beside the packages in a clone, and where the wheel has it
    "app.py": "ui/served",
    "pages/*.py": "ui/served",
    ".streamlit/config.toml": "ui/served",
    "sample_data/*": "rulekit/data",
}


def wanted(root: Path = ROOT) -> set[str]:
    """Return what the wheel must hold: sources, the mark that they are typed, pages, samples."""
    kinds = [(name, kind) for name in PACKAGES for kind in ("*.py", "*.jinja")]
    files = [file for name, kind in kinds for file in (root / name).rglob(kind)]
    found = {str(file.relative_to(root)) for file in files} | {"rulekit/py.typed"}
    for pattern, place in BESIDE.items():
        found |= {f"{place}/{file.relative_to(root)}" for file in root.glob(pattern)}
    return found


def complaints(wheel: Path, root: Path = ROOT) -> list[str]:
    """Return a sentence for each file that is missing or does not belong there."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    about = {name for name in names if name.split("/")[0].endswith(".dist-info")}
    found = [f"{name} is missing." for name in sorted(wanted(root) - names)]
    found += [f"{name} does not belong there." for name in sorted(names - wanted(root) - about)]
    if not any(name.endswith("licenses/LICENSE") for name in about):
        found.append("The licence is missing.")
    return found


def main() -> None:
    """Look into the wheel; leave with an error if it is not as it must be."""
    found = complaints(Path(sys.argv[1]))
    for sentence in found:
        print(sentence)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
