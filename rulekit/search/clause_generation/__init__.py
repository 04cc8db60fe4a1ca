"""Rules by column generation, and single clauses by branch and bound, with a proof."""
