"""How results look: number formats, phrases for conditions, colours and layout of figures.

What belongs here: what the families, explanations, plots and pages write and draw alike. What does
not: computing results. May import `rulekit.rules` and the names of losses in `rulekit.learners`.
"""
