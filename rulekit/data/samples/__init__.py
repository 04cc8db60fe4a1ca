"""Tables to begin with: the bundled ones, and tables made with a known rule."""
