-- Version 3: which selectors found the values of each list.

-- Share of fields all of whose values the primary selector found, 0 to 1; NULL where no list was read.
ALTER TABLE crawl_run ADD COLUMN reuse_rate REAL;

-- Of every run that read a list; the primary selector of a field is there with 0 rows where it gave way.
CREATE TABLE delivery (
    run_id           TEXT    NOT NULL REFERENCES crawl_run (run_id),
    field            TEXT    NOT NULL,              -- field id, 'row' for the rows themselves
    position         INTEGER NOT NULL,              -- 0: the primary selector, 1: the first fallback
    selector         TEXT    NOT NULL,              -- as the selectors file of that day worded it
    n_rows           INTEGER NOT NULL,
    PRIMARY KEY (run_id, field, position, selector)
) STRICT;
