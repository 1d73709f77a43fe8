-- Version 5: limits from the list's own accepted days, examples of what a gate saw, decisions.

ALTER TABLE gate_result ADD COLUMN limit_from TEXT NOT NULL DEFAULT '';

-- The most telling places of a gate that did not pass, at most ten a gate.
CREATE TABLE gate_example (
    run_id           TEXT    NOT NULL REFERENCES crawl_run (run_id),
    code             TEXT    NOT NULL,
    position         INTEGER NOT NULL,
    natural_key      TEXT    NOT NULL,
    field            TEXT    NOT NULL,              -- field id, '' for the whole record
    before_json      TEXT    NOT NULL,              -- value in the last accepted list, null for none
    after_json       TEXT    NOT NULL,              -- value as read, null for none
    source_sha256    TEXT    NOT NULL,              -- the page that shows it, '' for none
    source_url       TEXT    NOT NULL,
    source_row       INTEGER NOT NULL,
    PRIMARY KEY (run_id, code, position)
) STRICT;

-- 1: a gate held the run, and a person let it pass: its unusual numbers teach the limits clipped.
ALTER TABLE drift_baseline ADD COLUMN was_held INTEGER NOT NULL DEFAULT 0;

-- What became of a held run: '', 'approved', 'rejected' or 'superseded'.
ALTER TABLE crawl_run ADD COLUMN decision TEXT NOT NULL DEFAULT '';
ALTER TABLE crawl_run ADD COLUMN decided_at TEXT;
ALTER TABLE crawl_run ADD COLUMN decision_note TEXT NOT NULL DEFAULT '';
UPDATE crawl_run SET decision = 'superseded' WHERE error_code = 'superseded';

-- How often the list changes, as estimated at each accepted day: changes a day, with the bounds of
-- a 95 % interval; NULL below the observations that an estimate needs. An upper bound is also NULL
-- where every one of them saw a change.
CREATE TABLE change_rate (
    board_id         TEXT    NOT NULL,
    observed_on      TEXT    NOT NULL,
    n_observations   INTEGER NOT NULL,
    recent_rate      REAL,                          -- of the last 14 observations
    recent_low       REAL,
    recent_high      REAL,
    whole_rate       REAL,                          -- of all
    whole_low        REAL,
    whole_high       REAL,
    PRIMARY KEY (board_id, observed_on)
) STRICT;

-- Where another source of a list differs from it, as it stood in the last accepted run that compared
-- the two; not what may only be late. It counts as known while it stays the same.
CREATE TABLE source_difference (
    board_id         TEXT    NOT NULL,
    primary_source   TEXT    NOT NULL,              -- html, export or openapi: the list's
    source           TEXT    NOT NULL,              -- what it was compared with
    natural_key      TEXT    NOT NULL,
    field            TEXT    NOT NULL,              -- field id, '' for the whole record
    here_json        TEXT    NOT NULL,              -- value in the list; of a whole record its key, or null
    there_json       TEXT    NOT NULL,              -- value in the other source, likewise
    run_id           TEXT    NOT NULL REFERENCES crawl_run (run_id),
    PRIMARY KEY (board_id, primary_source, source, natural_key, field)
) STRICT;

-- A run reads the last days of a board; its cost must not grow with the days before them.
CREATE INDEX ix_baseline_day ON drift_baseline (board_id, observed_on);
