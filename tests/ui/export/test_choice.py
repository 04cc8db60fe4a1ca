"""Every export format is offered exactly once."""

from ui.export.choice import AUDIENCES, CHOICES, CODE, FIRST, LANGUAGES
from ui.export.formats import FORMATS


def test_each_format_is_in_one_place():
    folded = [name for names in AUDIENCES.values() for name in names]
    offered = [*FIRST, *LANGUAGES, *folded]
    offered.remove(CODE)
    assert sorted(offered) == sorted(FORMATS)
    assert set(CHOICES) == {*FORMATS, CODE}
