"""Stage 2: kept bytes → one snapshot. Pure: no file, clock, network or database.

decode → table guard → parser (one page: `PageTable` or `Fault`) → dedup (all pages: `Snapshot` or
`Fault`). What cannot be read with certainty is a fault with its reason, never "no rows".
"""
