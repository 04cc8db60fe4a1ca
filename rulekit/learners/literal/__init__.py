"""Learners of rules made of literals."""
