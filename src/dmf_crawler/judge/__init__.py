"""Stage 3, snapshot → verdict: is this what the site really says?

In: one read of the list and what the history knows. Out: gates, each with its number, its limit
and a sentence; together they let a run pass, hold it for a person, or refuse it. Pure.
"""
