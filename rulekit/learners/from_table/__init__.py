"""Learning from a table in a database: its engine draws samples and counts rows."""
