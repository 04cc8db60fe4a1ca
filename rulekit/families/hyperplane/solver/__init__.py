"""Half-spaces, the boxes that cover one, and the 1-norm support vector machine; arrays only."""
