"""Columns that some best clause does without, with certificates, and proved best clauses."""
