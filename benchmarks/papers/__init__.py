"""The papers again: their methods and protocols, their printed figures, and ours beside them."""
