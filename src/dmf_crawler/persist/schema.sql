-- The history, version 1. Times are ISO 8601 in KST with seconds and +09:00, so text sorts.

CREATE TABLE crawl_run (
    run_id           TEXT    PRIMARY KEY,           -- 20261130T060000-dmf_registry
    board_id         TEXT    NOT NULL,
    day              TEXT    NOT NULL,              -- 06:00 to 06:00 KST
    started_at       TEXT    NOT NULL,
    finished_at      TEXT,
    status           TEXT    NOT NULL CHECK (status IN ('RUNNING', 'OK', 'HELD', 'REJECTED', 'FAILED')),
    reject_reason    TEXT,                          -- Korean sentence
    error_code       TEXT,                          -- English code
    exit_code        INTEGER,
    n_rows           INTEGER,
    n_pages          INTEGER,
    n_requests       INTEGER NOT NULL DEFAULT 0,
    n_new            INTEGER NOT NULL DEFAULT 0,
    n_modified       INTEGER NOT NULL DEFAULT 0,
    n_withdrawn      INTEGER NOT NULL DEFAULT 0,
    n_reappeared     INTEGER NOT NULL DEFAULT 0,
    n_cosmetic       INTEGER NOT NULL DEFAULT 0,
    n_missing        INTEGER NOT NULL DEFAULT 0,
    duration_ms      INTEGER,
    selector_version INTEGER NOT NULL,
    is_baseline      INTEGER NOT NULL DEFAULT 0,
    raw_dir          TEXT    NOT NULL,              -- relative to the home folder
    warnings_json    TEXT    NOT NULL DEFAULT '[]',
    reparse_of       TEXT    REFERENCES crawl_run (run_id),  -- a correcting run: whose pages it read
    CHECK ((status = 'RUNNING') = (finished_at IS NULL))
) STRICT;
CREATE INDEX ix_run_board_day ON crawl_run (board_id, day, started_at);

-- Kimball's slowly changing dimension, type 2; half-open [valid_from, valid_to).
CREATE TABLE dmf_record (
    sk               INTEGER PRIMARY KEY AUTOINCREMENT,
    board_id         TEXT    NOT NULL,
    natural_key      TEXT    NOT NULL,
    reg_no           TEXT,
    ingredient_name  TEXT,
    company          TEXT,
    registered_on    TEXT,
    status           TEXT,
    detail_url       TEXT,
    payload_json     TEXT    NOT NULL,              -- field id -> value
    shown_json       TEXT    NOT NULL DEFAULT '{}', -- field id -> text as it stood, where it differs
    body_simhash     INTEGER,                       -- signed 64 bits
    source_sha256    TEXT    NOT NULL,              -- the page that this version was read from
    source_url       TEXT    NOT NULL,
    source_row       INTEGER NOT NULL,
    valid_from       TEXT    NOT NULL,
    valid_to         TEXT,
    is_current       INTEGER NOT NULL DEFAULT 1,
    first_seen_run   TEXT    NOT NULL REFERENCES crawl_run (run_id),
    last_seen_run    TEXT    NOT NULL REFERENCES crawl_run (run_id),
    CHECK (is_current = (valid_to IS NULL)),
    CHECK (valid_to IS NULL OR valid_to > valid_from)
) STRICT;
CREATE UNIQUE INDEX ux_record_current ON dmf_record (board_id, natural_key) WHERE is_current = 1;
CREATE INDEX ix_record_key ON dmf_record (board_id, natural_key, valid_from);

-- Event log: appended to, never changed.
CREATE TABLE dmf_event (
    event_id         INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id           TEXT    NOT NULL REFERENCES crawl_run (run_id),
    occurred_at      TEXT    NOT NULL,
    board_id         TEXT    NOT NULL,
    natural_key      TEXT    NOT NULL,
    event_type       TEXT    NOT NULL CHECK (event_type IN ('NEW', 'MODIFIED', 'WITHDRAWN', 'REAPPEARED')),
    reason           TEXT    CHECK (reason IN ('status', 'missing', 'delisted', 'returned', 'restored', 'rekeyed')),
    grade            TEXT    CHECK (grade IN ('cosmetic', 'minor', 'substantive', 'major')),  -- highest of the changes
    missing_since    TEXT,                          -- YYYY-MM-DD
    changes_json     TEXT    NOT NULL,              -- [{field, before, after, kind, grade}, ...]
    record_json      TEXT    NOT NULL,              -- the record after it
    UNIQUE (run_id, natural_key)
) STRICT;
CREATE INDEX ix_event_key ON dmf_event (board_id, natural_key, event_id);
CREATE INDEX ix_event_time ON dmf_event (board_id, occurred_at);
CREATE TRIGGER dmf_event_no_update BEFORE UPDATE ON dmf_event
    BEGIN SELECT RAISE (ABORT, 'dmf_event is append-only'); END;
CREATE TRIGGER dmf_event_no_delete BEFORE DELETE ON dmf_event
    BEGIN SELECT RAISE (ABORT, 'dmf_event is append-only'); END;
-- REPLACE deletes without asking the trigger above (unless PRAGMA recursive_triggers is on).
CREATE TRIGGER dmf_event_no_replace BEFORE INSERT ON dmf_event
    WHEN EXISTS (SELECT 1 FROM dmf_event WHERE event_id = NEW.event_id)
      OR EXISTS (SELECT 1 FROM dmf_event WHERE run_id = NEW.run_id AND natural_key = NEW.natural_key)
    BEGIN SELECT RAISE (ABORT, 'dmf_event is append-only'); END;

-- One row a board and day with an accepted run after the baseline; sums the runs of a day.
CREATE TABLE change_observation (
    board_id         TEXT    NOT NULL,
    observed_on      TEXT    NOT NULL,
    changed          INTEGER NOT NULL,
    n_new            INTEGER NOT NULL,
    n_modified       INTEGER NOT NULL,
    n_withdrawn      INTEGER NOT NULL,
    PRIMARY KEY (board_id, observed_on)
) STRICT;

-- What a column looked like on a day; the last accepted run of the day counts.
CREATE TABLE drift_baseline (
    board_id         TEXT    NOT NULL,
    field            TEXT    NOT NULL,
    observed_on      TEXT    NOT NULL,
    features_json    TEXT    NOT NULL,
    PRIMARY KEY (board_id, field, observed_on)
) STRICT;

CREATE TABLE gate_result (
    run_id           TEXT    NOT NULL REFERENCES crawl_run (run_id),
    position         INTEGER NOT NULL,
    code             TEXT    NOT NULL,
    outcome          TEXT    NOT NULL CHECK (outcome IN ('pass', 'warn', 'hold', 'reject')),
    observed         REAL,
    limit_value      REAL,
    message          TEXT    NOT NULL,
    fault_code       TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (run_id, code)
) STRICT;

-- A spell of reads without a key; open while ended_run is NULL.
CREATE TABLE missing_spell (
    spell_id         INTEGER PRIMARY KEY AUTOINCREMENT,
    board_id         TEXT    NOT NULL,
    natural_key      TEXT    NOT NULL,
    first_run        TEXT    NOT NULL REFERENCES crawl_run (run_id),
    since_day        TEXT    NOT NULL,
    last_missed_on   TEXT    NOT NULL,
    n_reads          INTEGER NOT NULL,              -- at most one a day
    ended_run        TEXT    REFERENCES crawl_run (run_id),
    ended_as         TEXT    CHECK (ended_as IN ('came_back', 'withdrawn'))
) STRICT;
CREATE UNIQUE INDEX ux_spell_open ON missing_spell (board_id, natural_key) WHERE ended_run IS NULL;

-- Numbers that several records share; each of these has a composite key for good.
CREATE TABLE split_number (
    board_id         TEXT    NOT NULL,
    number           TEXT    NOT NULL,
    since_run        TEXT    NOT NULL REFERENCES crawl_run (run_id),
    PRIMARY KEY (board_id, number)
) STRICT;

-- A server said Retry-After: nobody asks it before that moment.
CREATE TABLE host_wait (
    host             TEXT    PRIMARY KEY,
    not_before       TEXT    NOT NULL
) STRICT;

-- Starts by the schedule, written before any work; one without an end was killed.
CREATE TABLE attempt (
    attempt_id       INTEGER PRIMARY KEY AUTOINCREMENT,
    day              TEXT    NOT NULL,
    started_at       TEXT    NOT NULL,
    ended_at         TEXT,
    exit_code        INTEGER
) STRICT;
CREATE INDEX ix_attempt_day ON attempt (day);

-- Consistent reads of a list; a correction read the pages of an earlier run, on that run's day.
CREATE VIEW accepted_read AS
    SELECT c.run_id, c.board_id, c.started_at, coalesce(o.day, c.day) AS day
    FROM crawl_run c LEFT JOIN crawl_run o ON o.run_id = c.reparse_of
    WHERE c.status = 'OK';

-- From when to when a key was missing; half-open [since, until).
CREATE VIEW missing_interval AS
    SELECT s.*, f.started_at AS since, e.started_at AS until
    FROM missing_spell s JOIN crawl_run f ON f.run_id = s.first_run
    LEFT JOIN crawl_run e ON e.run_id = s.ended_run;

-- Each event with the next one of its key, and whether the record left the list by it.
CREATE VIEW event_interval AS
    SELECT *, lead(occurred_at) OVER (PARTITION BY board_id, natural_key ORDER BY event_id) AS next_at,
        coalesce(reason IN ('missing', 'delisted') OR reason = 'rekeyed' AND event_type <> 'NEW', 0) AS closes
    FROM dmf_event;
