"""Formulas: what they ask, where values stand, how long lists are split."""

from rulekit.export.sheets.cell_formulas import CellWriter, Values
from rulekit.rules import Literal, PointsSplit

CELLS, KINDS = {"x": "B4", "y": "C4"}, {"x": "number", "y": "number"}


def written(condition, kinds=KINDS):
    values = Values()
    return CellWriter(CELLS, kinds, values).write(condition), values.listed


def test_gaps_text_points_and_lists_are_written_as_formulas():
    text, listed = written(Literal("x", ">", 5))
    assert text == "IF(LEN(B4)=0,FALSE,GESTEP(Values!$A$2,B4)=0)"
    assert listed == [5.0]
    assert written(Literal("x", "<=", 5, True))[0].startswith("IF(LEN(B4)=0,TRUE,GESTEP(Values")
    kinds = KINDS | {"x": "text"}
    assert "EXACT(B4,Values!$A$2)" in written(Literal("x", "!=", "a"), kinds)[0]
    text, listed = written(Literal("x", "in", ("a", "b", "c")), kinds)
    assert "SUMPRODUCT(--EXACT(B4,Values!$A$2:$A$4))>0" in text
    assert listed == ["a", "b", "c"]
    text, _ = written(Literal("x", "in", tuple(float(k) for k in range(600))))
    assert text.count("AND(") == 600
    assert text.count("OR(") == 4
    split = PointsSplit((Literal("x", ">", 1), Literal("y", "missing")), (2, -1), 1)
    text, _ = written(split)
    assert text == "IF(IF(LEN(B4)=0,FALSE,GESTEP(Values!$A$2,B4)=0),2,0)+IF(LEN(C4)=0,-1,0)>=1"
    assert CellWriter(CELLS, KINDS, Values(), {split.given: "H4"}).write(split.negate()) == "H4<1"
    values = Values()
    assert values.several((1.0, 2.0)) == values.several((1.0, 2.0)) == "Values!$A$2:$A$3"
    assert values.one(1.0) == "Values!$A$4"
    assert values.one(True) != values.one(1.0)
