"""Colours that can be told apart and read, and a configuration that keeps to this machine."""

import tomllib
from pathlib import Path

import pytest

from rulekit.style import palette

CONFIG = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text())
# Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
BLINDNESS = {
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(color):
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def luminance(color):
    red, green, blue = linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def lab(rgb):
    """CIE L*a*b* of a linear RGB color under daylight."""
    red, green, blue = (min(1, max(0, c)) for c in rgb)
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
    )
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(color, kind):
    return lab([sum(m * c for m, c in zip(row, linear(color), strict=True)) for row in kind])


@pytest.mark.parametrize("kind", BLINDNESS)
def test_the_two_classes_are_distinguished_by_everybody(kind):
    pair = (seen(c, BLINDNESS[kind]) for c in palette.SERIES[:2])
    distance = sum((a - b) ** 2 for a, b in zip(*pair, strict=True)) ** 0.5
    assert distance > 60


@pytest.mark.parametrize("color", [*palette.SERIES[:2], palette.GREY])
@pytest.mark.parametrize("theme", ["#FFFFFF", CONFIG["theme"]["dark"]["backgroundColor"]])
def test_marks_contrast_with_a_light_and_a_dark_page(color, theme):
    assert contrast(color, theme) >= 3


@pytest.mark.parametrize("look", [*palette.outcome_looks("abcdef"), palette.REST])
def test_words_on_a_bar_can_be_read(look):
    assert contrast(look.ink, look.colour) >= 4.5


def test_the_server_is_local_and_primary_words_are_readable():
    for theme in (CONFIG["theme"], CONFIG["theme"]["dark"]):
        assert contrast("#FFFFFF", theme["primaryColor"]) >= 4.5
    assert CONFIG["server"]["address"] == "127.0.0.1"
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["client"]["showErrorDetails"] == "none"
    assert CONFIG["client"]["showErrorLinks"] is False
