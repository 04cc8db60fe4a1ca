"""What the dashboard's pages share: shell, state, jobs, saved analyses, inputs, escaping.

What belongs here: everything that needs Streamlit and is used by a page. What does not:
mathematics, tables, rules, figures; they live in `rulekit` and know nothing of this package. May
import all of `rulekit`, and Streamlit.
"""
