"""The entry of points that add up in `FAMILIES`."""

from rulekit.families.family import Family, size_words
from rulekit.families.scorecard.scorecard import ScorecardClassifier

BANDS = 4  # of the chances shown, at most

FAMILY = Family(
    key="scorecard",
    model=ScorecardClassifier(bands=BANDS),
    alone=ScorecardClassifier(),
    command="points",
    question="Points to add up (score, scorecard)",
    name="Points to add up",
    sentence=(
        "A few conditions with small whole points; a total decides, as on a bank's or a ward's "
        "scorecard."
    ),
    good_for="ranking as well as deciding, with few conditions that people can add up by heart.",
    ways=(
        "Points to add up are asked for a number of conditions; shape, clauses and prices are not "
        "asked of them."
    ),
    shape_words=size_words,
    whole_front=True,
)
