"""Rules as shapes: boxes of a cube, curves of B-space."""
