"""The families of learners as the pages know them: what each is called, asks and shows."""
