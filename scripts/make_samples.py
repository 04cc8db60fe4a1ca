"""Write the tables of sample_data/ and their README: python -m scripts.make_samples."""

from pathlib import Path

import pandas as pd
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from rulekit.data.samples.bundled import FOLDER, SAMPLES
from rulekit.data.samples.synthetic import Planted, credit, plant_two_level

WINE_NAMES = {
    "alcalinity_of_ash": "alkalinity of ash",
    "color_intensity": "color intensity",
    "od280/od315_of_diluted_wines": "OD280/OD315",
}


def breast_cancer() -> pd.DataFrame:
    """WDBC with its readable names and the diagnosis in words."""
    data = load_breast_cancer(as_frame=True)
    return data.data.assign(diagnosis=data.target.map({0: "malignant", 1: "benign"}))


def iris() -> pd.DataFrame:
    """Fisher's flowers; the unit stays in the name."""
    data = load_iris(as_frame=True)
    return data.data.assign(species=data.target.map(dict(enumerate(data.target_names))))


def wine() -> pd.DataFrame:
    """Wine with spaces for underscores."""
    data = load_wine(as_frame=True)
    names = {n: WINE_NAMES.get(n, n.replace("_", " ")) for n in data.data.columns}
    return data.data.rename(columns=names).assign(
        cultivar=data.target.map(lambda code: f"cultivar {code + 1}")
    )


def planted_tables() -> dict[str, Planted]:
    """Make the generated tables; their seeds are part of the samples."""
    return {
        "credit": credit(random_state=7),
        "planted_dnf": plant_two_level("dnf", random_state=1),
        "planted_cnf": plant_two_level("cnf", random_state=2),
    }


def readme(planted: dict[str, Planted]) -> str:
    """Describe every table: size, target, source, licence, planted rule."""
    parts = ["# Sample tables", "", "Written by `python -m scripts.make_samples`; do not edit.", ""]
    for info in SAMPLES:
        parts += [f"## {info.name}.csv: {info.title}", "", info.description, ""]
        parts += [
            f"- {info.n_rows} rows, {info.n_columns} columns",
            f"- target `{info.target}`, rules describe `{info.positive_label}`",
            f"- source: {info.source}",
            f"- licence: {info.licence}",
        ]
        if info.name in planted:
            parts.append(f"- rule: {planted[info.name].description}")
        parts.append("")
    return "\n".join(parts)


def main(folder: Path = FOLDER) -> None:
    """Write everything."""
    folder.mkdir(exist_ok=True)
    planted = planted_tables()
    frames = {"breast_cancer": breast_cancer(), "iris": iris(), "wine": wine()}
    for info in SAMPLES:
        if info.name in planted:
            table = planted[info.name]
            frames[info.name] = table.frame.assign(**{info.target: table.labels})
        frames[info.name].to_csv(folder / f"{info.name}.csv", index=False, lineterminator="\n")
    (folder / "README.md").write_text(readme(planted), encoding="utf-8")


if __name__ == "__main__":
    main()
