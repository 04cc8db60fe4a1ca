"""What columns are, and the one conversion of tables to columns of rules."""
