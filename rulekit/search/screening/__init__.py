"""Which columns some best clause does without, each removal with a certificate.

What belongs here: bounds, the tests that remove, the check of their certificates, and the proof of
a clause over any number of columns. May import `columns` and `lp`.
"""
