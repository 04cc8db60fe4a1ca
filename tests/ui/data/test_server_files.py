"""Files on the server's disk: only Parquet, only below the folder the operator names."""

import pytest

from rulekit.exceptions import DataError
from ui.data import server_files


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """A folder that is open, beside a secret one, with links between them."""
    folder, secret = tmp_path / "open", tmp_path / "secret"
    (folder / "year").mkdir(parents=True)
    secret.mkdir()
    for path in (folder / "a.parquet", folder / "year" / "b.parquet", secret / "s.parquet"):
        path.write_bytes(b"PAR1")
    (folder / "notes.txt").write_text("no table")
    (folder / "out.parquet").symlink_to(secret / "s.parquet")
    (folder / "in.parquet").symlink_to(folder / "a.parquet")
    (folder / "away").symlink_to(secret)
    (folder / "gone.parquet").symlink_to(folder / "nothing.parquet")
    (folder / "odd.parquet").mkdir()
    monkeypatch.setenv(server_files.VARIABLE, str(folder))
    return folder


def test_without_a_folder_nothing_is_offered(monkeypatch):
    monkeypatch.delenv(server_files.VARIABLE, raising=False)
    assert server_files.root() is None
    assert server_files.listed() == []
    with pytest.raises(DataError, match="its operator can name one in RULEKIT_DATA_ROOT"):
        server_files.resolved("a.parquet")


def test_a_folder_that_is_not_there_is_none(monkeypatch, tmp_path):
    monkeypatch.setenv(server_files.VARIABLE, str(tmp_path / "nowhere"))
    assert server_files.root() is None


def test_only_parquet_files_inside_are_listed(opened):
    assert server_files.listed() == ["a.parquet", "in.parquet", "year/b.parquet"]


def test_a_listed_file_is_found(opened):
    assert server_files.resolved("year/b.parquet") == (opened / "year" / "b.parquet").resolve()


@pytest.mark.parametrize(
    "name",
    [
        "../secret/s.parquet", "out.parquet", "away/s.parquet", "/etc/passwd", "notes.txt",
        "odd.parquet", "gone.parquet", "a.parquet\0", "", ".", "year/../../secret/s.parquet",
    ],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_is_refused(opened, name):
    with pytest.raises(DataError, match="There is no Parquet file"):
        server_files.resolved(name)


def test_the_full_path_of_a_file_outside_is_refused(opened):
    with pytest.raises(DataError, match="There is no Parquet file"):
        server_files.resolved(str(opened.parent / "secret" / "s.parquet"))
