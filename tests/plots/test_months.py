"""The picture of errors by month: what is drawn is what was counted."""

from rulekit.evaluation import errors_by_month
from rulekit.plots import month_figure, month_sentence
from tests.evaluation.trust.test_months import MODEL, table


def test_figure_and_sentence_have_the_counts():
    result = errors_by_month(MODEL, *table())
    wrong, predicted = month_figure({"test": result}, "ill").data
    assert list(wrong.y) == (100 * result["error"]).tolist()
    assert list(predicted.y) == (100 * result["predicted"]).tolist()
    assert wrong.name == "wrong, test rows"
    assert predicted.name == "predicted ill, test rows"
    sentence = month_sentence({"test": result}, "ill")
    assert f"test rows: 2023-11 wrong {100 * result.iloc[0].error:.1f} %" in sentence
    assert "2024-02 wrong" in sentence
