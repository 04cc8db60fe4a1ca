"""Sample tables: bundled ones, and generated ones with a known rule."""
