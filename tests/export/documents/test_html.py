"""A confusion table as a page shows it."""

import re

import pandas as pd

from rulekit.export.documents.html import matrix_html


def test_matrix_shades_shares_of_the_actual_class_and_escapes_names():
    counts = pd.DataFrame([[30, 10], [0, 1200]], index=["<i>", "b"], columns=["<i>", "b"])
    html = matrix_html(counts)
    shades = re.findall(r"rgb\(0 114 178/([\d.]+)\)[^>]*>([\d,]+)<", html)
    assert shades == [("0.38", "30"), ("0.12", "10"), ("0.00", "0"), ("0.50", "1,200")]
    assert "<i>" not in html
    assert "vertical" not in html
    long = pd.DataFrame(1, index=range(4), columns=[f"outcome number {k}" for k in range(4)])
    assert matrix_html(long).count("vertical") == 4
