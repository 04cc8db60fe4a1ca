"""One clause: the best OR of columns, for one price or along all prices."""
