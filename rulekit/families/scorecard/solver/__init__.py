"""Few conditions with small whole numbers, chosen together for the logistic loss; arrays only."""
