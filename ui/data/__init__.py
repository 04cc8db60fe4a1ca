"""The Data page's own parts; no other page's folder is imported here."""
