"""Stage 1: what is due → bytes on disk. The only stage that meets the network.

In: the settings of one board, the requests and the time that are left. Out: the kept pages of one
run, or a `Fault` that says why they are not complete. Effects: HTTP requests, one at a time and
only through `fetcher.Fetcher` (robots.txt before everything else); files below `raw/`, only
through `raw_store.RawStore`. Later stages read what the raw store gives back from disk, never an
answer in memory.

Order of use: `frontier` → `robots` → `throttle` → `fetcher` → `raw_store`.
"""
