"""Rules by column generation, and single clauses with a proof.

What belongs here: pricing, the restricted master, the choice among generated clauses, and the
branch and bound of one clause: the best one, and all that are near it. May import `box_search`
(pricing improves boxes) and `lp`.
"""
