"""What processes of jobs share: imported once, by the process that they are forked from."""

import gc
import importlib
import logging
import os

from rulekit.search.machine_code import QUICK

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
os.nice(5)  # priority of pages: on a shared core they get three quarters
# Streamlit warns that there is no server.
logging.getLogger("streamlit.runtime.caching.cache_data_api").disabled = True
for name in (
    "ui.models.run",
    *QUICK,
    "ui.models.picked_rule",
    "ui.rules.trust",
    "ui.binning.cards",
):
    importlib.import_module(name)
gc.collect()
gc.freeze()  # no later collection visits these objects, which would copy their memory
