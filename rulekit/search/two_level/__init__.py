"""Methods for rules of several clauses (Su, Wei, Varshney, Malioutov, 2015), and local search."""
