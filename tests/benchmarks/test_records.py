"""Speeds are compared with their records, and lost speed is marked."""

from benchmarks import records

ROW = {"table": "pima", "what": "pipeline speed", "ours": 0.5, "reference": 10.0, "unit": "s"}
OLD = {"bench_x | pima | pipeline speed": {"ratio": 30.0, "date": "2026-01-01", "processor": "p"}}


def test_a_speed_that_fell_by_a_fifth_is_marked():
    (line,) = records.compared("bench_x", [ROW], OLD)
    assert line.endswith("recorded 30 on 2026-01-01 (p)  WORSE")
    (line,) = records.compared("bench_x", [ROW | {"ours": 0.4}], OLD)
    assert "WORSE" not in line


def test_rows_without_time_reference_or_record_are_not_marked():
    other = [{"unit": "%"}, {"reference": None}, {"ours": 0.0}, {"table": "sonar"}]
    rows = [ROW | change for change in other]
    (line,) = records.compared("bench_x", rows, OLD)
    assert line.endswith("20 (no record)")


def test_new_speeds_replace_old_ones_and_are_read_back(tmp_path):
    file = tmp_path / "records.json"
    records.write(records.recorded("bench_x", [ROW], OLD), file)
    (entry,) = records.read(file).values()
    assert entry["ratio"] == 20.0
    assert entry["processor"] == records.processor()
    assert records.read(tmp_path / "none.json") == {}


def test_the_kept_records_are_complete():
    for key, entry in records.read().items():
        assert len(key.split(" | ")) == 3
        assert entry.keys() == {"ratio", "date", "processor"}
        assert entry["ratio"] > 0
