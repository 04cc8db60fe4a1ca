"""Figures: results in, Plotly figures out.

What belongs here: functions that take plain results (a data frame, a rule, columns) and return
a `plotly.graph_objects.Figure`, each with a twin that states the takeaway in one sentence, for
readers who cannot see the picture. What does not: learning, measuring, widgets. May import the
learners' results and everything below them; nothing here may import streamlit or the dashboard.

Every text that comes from a table is escaped before it reaches a figure, because Plotly reads a
subset of HTML in titles, ticks and hover boxes.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
