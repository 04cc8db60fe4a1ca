"""Long work in processes of its own, begun and stopped from a page."""
