"""Long work in separate processes, started and stopped from a page."""
