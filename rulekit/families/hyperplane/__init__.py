"""Rules from linear classifiers: a hyperplane, and the boxes on its sides."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
