"""Stage 4, verdict → history: what changed, recorded once and provably.

In: one accepted snapshot. Out: versions (SCD2) and an append-only event log in var/dmf.sqlite3,
all of a run in one transaction. Effects: that one file. `diff` is pure.
"""
