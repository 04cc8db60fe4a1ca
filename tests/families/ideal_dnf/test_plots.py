"""The curve over the number of conditions."""

import pandas as pd

from rulekit.families.ideal_dnf import validation_figure, validation_sentence


def curve(*accuracy, chosen):
    k = range(1, len(accuracy) + 1)
    return pd.DataFrame({"k": k, "accuracy": accuracy, "chosen": [i == chosen for i in k]})


def test_every_number_of_conditions_is_drawn_and_the_chosen_one_named():
    figure = validation_figure(curve(0.8, 0.9, 0.905, chosen=2), 0.01)
    line, star = figure.data
    assert list(line.x) == [1, 2, 3]
    assert list(star.x) == [2]
    assert star.text == ("2 chosen",)
    assert figure.layout.shapes[0].y0 == 89.5


def test_sentence_states_what_was_selected_and_what_it_loses():
    fewer = validation_sentence(curve(0.8, 0.9, 0.905, chosen=2), 0.01)
    assert all(part in fewer for part in ("2 conditions are", "90.0 %", "90.5 % with 3"))
    best = "1 condition is right for 90.0 % of the held-out rows, and no other number does better."
    assert validation_sentence(curve(0.9, 0.8, chosen=1), 0.01) == best
    assert "nothing to choose" in validation_sentence(curve(chosen=0), 0.01)
