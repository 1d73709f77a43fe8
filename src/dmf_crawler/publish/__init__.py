"""Stage 5: the history → what people read.

In: a `dmf_crawler.model.Report`, complete and checked. Out: one workbook a day. Effects: writes
that one file, atomically; reads no clock, no database and no network. What the site wrote is
shown as text and never becomes a formula, a link or markup.
"""
