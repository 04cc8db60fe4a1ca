"""What Score hands out: the library's files of scored cases, smallest changes included."""

import io

import pandas as pd

from rulekit.explain import score
from rulekit.export import from_text
from ui.score.answers import _file


def test_a_download_holds_every_case_with_its_smallest_change():
    found = score(
        from_text("1. IF age > 50 THEN ill\nOTHERWISE well"), pd.DataFrame({"age": [7, 60]})
    )
    file = pd.read_csv(io.BytesIO(_file("csv", found)))
    assert file["answer"].tolist() == ["well", "ill"]
    assert file["smallest change"].tolist() == found.table(changes=True)["smallest change"].tolist()
