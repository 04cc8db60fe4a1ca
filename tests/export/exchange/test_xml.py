"""What the XML formats share: texts and types, and documents that are valid by their schemas."""

import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from lxml import etree

from rulekit import ExportError, RuleSet
from rulekit.export import to_dmn, to_pmml
from rulekit.export.exchange.xml import check_text, element, free_name, labels_of, write_document
from tests.explain.tables import cases
from tests.export.outside import needed
from tests.export.test_golden import rules


def schema_of_dmn():
    """The schema of DMN 1.3, as it comes with SpiffWorkflow."""
    package = needed(find_spec("SpiffWorkflow"), "install `SpiffWorkflow` for the schema of DMN")
    folder = Path(package.submodule_search_locations[0]) / "dmn" / "parser" / "schema"
    return etree.XMLSchema(etree.parse(folder / "DMN13.xsd"))


def schema_of_pmml():
    """The schema of PMML 4.4, as it comes with JPMML; it is not copied, its licence is not ours."""
    jpmml = find_spec("jpmml_evaluator")
    result = needed(jpmml, "install `jpmml-evaluator` for the schema of PMML")
    folder = Path(result.submodule_search_locations[0]) / "dependencies"
    (jar,) = folder.glob("pmml-model-[0-9]*.jar")
    with zipfile.ZipFile(jar) as archive:
        return etree.XMLSchema(etree.fromstring(archive.read("pmml.xsd")))


@pytest.fixture(scope="module", params=[(to_dmn, schema_of_dmn), (to_pmml, schema_of_pmml)])
def check_document(request):
    """Return a function that checks the document of a rule by the schema of its format."""
    write, schema = request.param[0], request.param[1]()
    return lambda rule: schema.assertValid(etree.fromstring(write(rule).encode()))


@pytest.mark.slow  # with the engines, which `make engines` installs after the quick tests
@pytest.mark.parametrize("name", rules())
def test_a_document_is_valid_by_the_schema(name, check_document):
    check_document(rules()[name])


@pytest.mark.slow
@given(cases())
def test_documents_with_hostile_names_are_valid_by_the_schema(check_document, case):
    check_document(case[0])


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
