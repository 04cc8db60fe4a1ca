"""Tables on the server's disk: Parquet and CSV, only below the folder the operator names."""

import pytest

from rulekit.exceptions import DataError
from ui.data import sources


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
    monkeypatch.setenv(sources.DATA_ROOT, str(folder))
    return folder


def test_without_a_folder_nothing_is_offered(monkeypatch, tmp_path):
    monkeypatch.delenv(sources.DATA_ROOT, raising=False)
    assert sources.data_root() is None
    assert sources.list_tables() == []
    with pytest.raises(DataError, match="its operator can name one in RULEKIT_DATA_ROOT"):
        sources.server_files("a.parquet")
    monkeypatch.setenv(sources.DATA_ROOT, str(tmp_path / "nowhere"))
    assert sources.data_root() is None


def test_only_tables_inside_are_listed_files_and_folders_of_parquet(opened):
    (opened / "t.csv").write_text("a\n1\n")
    for part in ("day=1", "day=2/hour=3"):
        (opened / "sold" / part).mkdir(parents=True)
        (opened / "sold" / part / "p.parquet").write_bytes(b"PAR1")
    assert sources.list_tables() == [
        "a.parquet", "in.parquet", "sold/", "sold/day=1/p.parquet",
        "sold/day=2/hour=3/p.parquet", "t.csv", "year/", "year/b.parquet",
    ]  # fmt: skip


def test_a_listed_table_is_found_file_by_file(opened):
    assert sources.server_files("year/b.parquet") == [(opened / "year" / "b.parquet").resolve()]
    (opened / "year" / "deep").mkdir()
    (opened / "year" / "deep" / "c.parquet").write_bytes(b"PAR1")
    results = [path.name for path in sources.server_files("year/")]
    assert results == ["b.parquet", "c.parquet"]


def test_paths_that_lead_out_of_the_folder_are_refused(opened):
    (opened / "year" / "c.parquet").symlink_to(opened.parent / "secret" / "s.parquet")
    with pytest.raises(DataError, match="holds a file that leads out"):
        sources.server_files("year/")
    (opened / "year" / "c.parquet").unlink()
    (opened / "year" / "more").symlink_to(opened.parent / "secret")  # not followed
    assert [path.name for path in sources.server_files("year/")] == ["b.parquet"]
    with pytest.raises(DataError, match="There is no table"):
        sources.server_files(str(opened.parent / "secret" / "s.parquet"))


@pytest.mark.parametrize(
    "name",
    [
        "../secret/s.parquet", "out.parquet", "away/s.parquet", "/etc/passwd", "notes.txt",
        "odd.parquet", "gone.parquet", "a.parquet\0", "", ".", "year/../../secret/s.parquet",
        "/", "./", "../", "../secret/", "away/", "year", "odd.parquet/", "year/../", "a.parquet/",
    ],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_is_refused(opened, name):
    with pytest.raises(DataError, match="There is no table"):
        sources.server_files(name)
