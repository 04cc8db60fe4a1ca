"""The families of learners on the pages: name, form and cards of each."""
