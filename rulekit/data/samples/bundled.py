"""The bundled tables, with their source and licence."""

from dataclasses import dataclass
from pathlib import Path

from rulekit.data.reading.loading import read_table
from rulekit.data.schema import Table
from rulekit.exceptions import DataError

PACKAGE = Path(__file__).parents[2]
#: Inside the package where it was installed, beside it in a clone.
_PLACES = [folder / "sample_data" for folder in (PACKAGE, PACKAGE.parent)]
FOLDER = next(filter(Path.is_dir, _PLACES), _PLACES[0])
UCI = "CC BY 4.0 (UCI Machine Learning Repository)"
OURS = "MIT, as the project; made by scripts/make_samples.py"


@dataclass(frozen=True, slots=True)
class SampleInfo:
    """Description of a sample table: target, described class, size (target counted) and source."""

    name: str
    title: str
    target: str
    positive_label: str
    n_rows: int
    n_columns: int
    source: str
    licence: str
    description: str


SAMPLES = (
    SampleInfo(
        "breast_cancer", "Breast cancer (Wisconsin, diagnostic)", "diagnosis", "malignant", 569, 31,
        "UCI Breast Cancer Wisconsin (Diagnostic), doi:10.24432/C5DW2B, from scikit-learn", UCI,
        "Thirty measurements of cell nuclei in a biopsy's image: mean, standard error and "
        "worst (mean of the three largest) of ten properties. Is the tumor malignant?",
    ),
    SampleInfo(
        "credit", "Credit risk (generated)", "risk", "high", 1000, 14,
        "Generated; contains no person's data", OURS,
        "Loans with numbers, categories, truth values, a date, an identifier and missing values. "
        "Planted rule: risk is high if (late_payments > 1 and guarantor is no) or (employment is "
        "unemployed and amount > 4000); 4 % of the labels are flipped.",
    ),
    SampleInfo(
        "iris", "Iris", "species", "virginica", 150, 5,
        "UCI Iris, doi:10.24432/C56C76, from scikit-learn (rows as in R. A. Fisher's paper, 1936)",
        UCI,
        "Length and width, in centimeters, of sepals and petals of three species.",
    ),
    SampleInfo(
        "wine", "Wine", "cultivar", "cultivar 1", 178, 14,
        "UCI Wine, doi:10.24432/C5PC7J, from scikit-learn", UCI,
        "Thirteen chemical measurements of wines from three cultivars of one region.",
    ),
    SampleInfo(
        "planted_dnf", "Planted rule: OR of ANDs", "label", "yes", 600, 13, "Generated", OURS,
        "Two clauses of two literals over twelve columns of which eight are idle; 5 % of the "
        "labels are flipped. The rule is in the README of sample_data.",
    ),
    SampleInfo(
        "planted_cnf", "Planted rule: AND of ORs", "label", "yes", 600, 13, "Generated", OURS,
        "The same with an AND of two ORs.",
    ),
)  # fmt: skip


def list_samples() -> tuple[SampleInfo, ...]:
    """List the tables of `load_sample`, in display order."""
    return SAMPLES


def load_sample(name: str) -> Table:
    """Read one of the bundled tables.

    Parameters
    ----------
    name : str
        A name from `list_samples`.

    Returns
    -------
    Table
        With the target's role and the positive class set.

    Raises
    ------
    DataError
        If the name is unknown, or the tables were not installed with the package.

    Examples
    --------
    >>> table = load_sample("breast_cancer")
    >>> table.n_rows, table.target, table.positive_label
    (569, 'diagnosis', 'malignant')
    """
    info = next((info for info in SAMPLES if info.name == name), None)
    if info is None:
        listed = ", ".join(repr(info.name) for info in SAMPLES)
        raise DataError(f"There is no sample table {name!r}; the samples are {listed}.")
    path = FOLDER / f"{name}.csv"
    if not path.is_file():
        raise DataError(
            f"The sample tables come with the package, in its folder 'sample_data', and "
            f"{path.name!r} is not there. Install the project anew."
        )
    table = read_table(path, name=name)
    return table.with_roles({info.target: "target"}, positive_label=info.positive_label)
