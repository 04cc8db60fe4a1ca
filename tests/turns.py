"""Who answers: machine code and its NumPy twin, turn after turn, as a test asks for it."""


class Room:
    """A compiled module that is ready when `turns` says so, turn after turn."""

    def __init__(self, module, turns):
        self.module, self.turns, self.asked = module, turns, 0

    def ready(self):
        self.asked += 1
        return self.module if self.turns[self.asked % len(self.turns)] else None
