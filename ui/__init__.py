"""What the dashboard's pages share: shell, state, jobs, saved analyses, inputs, escaping.

What belongs here: everything that needs Streamlit and is used by a page. What does not:
mathematics, tables, rules, figures; they are in `rulekit`, which does not import this package. May
import all of `rulekit`, and Streamlit.
"""
