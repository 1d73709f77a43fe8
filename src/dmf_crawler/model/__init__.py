"""The values that travel between the stages, in order of appearance.

All are frozen. A type that only one stage uses stays in that stage. Words: a *run* is one crawl of
one board; it keeps *pages*; a page holds one *table*; its rows become *records*; the records of
all pages are one *snapshot*; a *gate* judges it; a *change* is the difference of one key to the
last accepted list; an *event* is a change in the history; a *version* is a record between two
changes.
"""
