"""Work on files: what a worker is handed, and what it hands back."""

import pickle
import subprocess
import sys
from functools import partial

import pytest

from rulekit.data import ParseOptions
from tests.ui.tasks import Quiet
from ui.data import sources
from ui.data.sources import TableLocation, is_large, open_sample, read_file

GOOD = b"a;ill\n" + b"".join(b"%d;%s\n" % (k, (b"no", b"yes")[k % 2]) for k in range(40))


def test_a_file_is_read_in_the_same_words_here_and_elsewhere():
    task = partial(read_file, "t.csv", GOOD, ParseOptions())
    report = Quiet()
    answer = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(task))(report)))
    assert answer.table.digest == task().table.digest
    assert (answer.options.delimiter, answer.error) == (";", None)
    assert report.reports[0]["message"]


@pytest.mark.parametrize(
    ("content", "word", "n_names"),
    [
        (b"", "empty", 0),
        (b"\x80\x04\x95abc", "pickle", 0),
        (b",".join(b"c%d" % k for k in range(2_501)) + b"\n", "2,501", 2_501),
    ],
)
def test_problem_with_a_file_is_a_sentence_in_the_result(content, word, n_names):
    answer = read_file("t.csv", content, ParseOptions())
    assert answer.table is None
    assert word in answer.error
    assert len(answer.names) == n_names


def test_large_files_are_defined_by_reading_speed(monkeypatch):
    monkeypatch.setattr(sources, "LARGE", {"text": 10, "parquet": 20})
    monkeypatch.setattr(sources, "OTHERS_LARGE", 5)
    sizes = {b"a,b\n1,2\n3,4": True, b"\xd0\xcf\x11\xe012": True, b"PAR1" + b"0" * 10: False}
    sizes |= {b"a,b": False, b"\x80\x04 a pickle that is refused": False}
    for content, large in sizes.items():
        assert is_large(content) is large


def test_problem_with_a_source_is_a_sentence_in_the_result(tmp_path):
    pytest.importorskip("ibis")
    report, bad = Quiet(), tmp_path / "a.parquet"
    bad.write_bytes(b"PAR1")
    answer = open_sample({"path": "a.parquet"}, TableLocation("a.parquet", (bad,)), 500, report)
    assert answer.table is None
    assert "'a.parquet' is not a Parquet file" in answer.error
    assert str(tmp_path) not in answer.error
    assert report.reports == [{"message": "Drawing a sample of its rows"}]


@pytest.mark.slow
def test_a_worker_needs_no_streamlit_for_them():
    code = "import sys, ui.data.sources; print('streamlit' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
