-- Version 4: lists that are read from a source which does not have all of them.

-- Current records, withdrawn by status, that the run's source does not list: neither seen nor missing.
ALTER TABLE crawl_run ADD COLUMN n_unlisted INTEGER NOT NULL DEFAULT 0;

-- 1 while the nested columns hold one text, into which the open API joined the values of several
-- sites; the next source that has the values themselves puts them in, without an event.
ALTER TABLE dmf_record ADD COLUMN is_joined INTEGER NOT NULL DEFAULT 0;
