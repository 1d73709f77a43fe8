"""Stage 5: the history → what people read.

In: a `dmf_crawler.model.Report`, complete and checked. Out: one workbook a day; and the list of a
day, events or all tables as files, where somebody asks for them. Effects: writes the files that are
named, each whole or not at all; reads no clock, no database and no network. What the site wrote is
shown as text and never becomes a formula, a link or markup.
"""
