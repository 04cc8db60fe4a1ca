"""What the XML formats share."""

import pytest

from rulekit import ExportError, RuleSet
from rulekit.export.exchange.xml import check_text, element, free_name, labels_of, write_document


def test_text_is_escaped_and_answers_have_one_type():
    made = element("a", element("b", text='<&"'), class_='x"\n<y>')
    assert write_document(made).splitlines()[1:3] == [
        '<a class="x&quot;&#10;&lt;y&gt;">',
        '  <b>&lt;&amp;"</b>',
    ]
    assert free_name("answer", ("Answer", "answer_")) == "answer__"
    assert labels_of(RuleSet((), (), "dnf", True), "X") == ([True], "flag")
    assert labels_of(RuleSet((), (), "dnf", 1.5), "X") == ([1.5], "number")
    rule = RuleSet((), (1,), "cnf", "no")
    with pytest.raises(ExportError, match="A prediction in X has one type, but the rule predicts"):
        labels_of(rule, "X")


@pytest.mark.parametrize("text", ["\0", "\x1f", "\ud800", "\uffff"])
def test_characters_beyond_xml_are_refused(text):
    with pytest.raises(ExportError, match="XML cannot hold the name or value"):
        check_text(text)
