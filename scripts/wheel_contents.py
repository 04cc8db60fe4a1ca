"""Say what a wheel lacks or holds too much: python -m scripts.wheel_contents FILE."""

import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("rulekit", "ui")


def wanted(root: Path = ROOT) -> set[str]:
    """Return the files that the wheel must hold: all sources, and the mark that they are typed."""
    files = [file for name in PACKAGES for file in (root / name).rglob("*.py")]
    return {str(file.relative_to(root)) for file in files} | {"rulekit/py.typed"}


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
