-- Version 6: whole pages, terms of use, alerts.

-- People ask for a record by its number.
CREATE INDEX ix_record_number ON dmf_record (reg_no);

-- What each accepted run of a page board saw. The page's text and fields are a record like any other
-- (natural_key = board_id); noise opens no version of it.
CREATE TABLE page_visit (
    run_id           TEXT    PRIMARY KEY REFERENCES crawl_run (run_id),
    board_id         TEXT    NOT NULL,
    day              TEXT    NOT NULL,
    movement         TEXT    NOT NULL CHECK (movement IN ('first', 'none', 'noise', 'content', 'field')),
    distance         INTEGER,                       -- bits, 0 to 64; NULL for a first read
    threshold        INTEGER,                       -- NULL: any difference is content
    n_characters     INTEGER NOT NULL,              -- of the compared text
    simhash          INTEGER NOT NULL,              -- signed 64 bits
    source_sha256    TEXT    NOT NULL,
    why              TEXT    NOT NULL DEFAULT ''    -- Korean sentence of the judgement
) STRICT;
CREATE INDEX ix_page_visit_day ON page_visit (board_id, day);

-- How much a page moves by itself; the last row of a board counts.
CREATE TABLE page_calibration (
    calibration_id   INTEGER PRIMARY KEY AUTOINCREMENT,
    board_id         TEXT    NOT NULL,
    measured_at      TEXT    NOT NULL,
    n_reads          INTEGER NOT NULL,
    largest_distance INTEGER,                       -- NULL: all reads said the same
    threshold        INTEGER,                       -- NULL: any difference is content
    most_moving      INTEGER,                       -- blocks; NULL: all reads said the same
    schema_version   INTEGER NOT NULL               -- of the selectors file it was measured with
) STRICT;

-- Changes of a page that a person has to look at (검토대기).
CREATE TABLE page_review (
    review_id        INTEGER PRIMARY KEY AUTOINCREMENT,
    board_id         TEXT    NOT NULL,
    run_id           TEXT    NOT NULL UNIQUE REFERENCES page_visit (run_id),
    is_terms         INTEGER NOT NULL,
    done_at          TEXT,
    note             TEXT    NOT NULL DEFAULT ''
) STRICT;

-- A person has read a site's terms of use and says that they allow this.
CREATE TABLE terms_confirmation (
    confirmation_id  INTEGER PRIMARY KEY AUTOINCREMENT,
    site             TEXT    NOT NULL,              -- scheme, host and port
    confirmed_at     TEXT    NOT NULL,
    note             TEXT    NOT NULL
) STRICT;

-- A page said that crawling is forbidden; no run asks the site for anything while decided_at is NULL.
CREATE TABLE terms_stop (
    stop_id          INTEGER PRIMARY KEY AUTOINCREMENT,
    site             TEXT    NOT NULL,
    board_id         TEXT    NOT NULL,
    run_id           TEXT    NOT NULL,
    pattern          TEXT    NOT NULL,
    passage          TEXT    NOT NULL,
    source_url       TEXT    NOT NULL,
    source_sha256    TEXT    NOT NULL,
    found_at         TEXT    NOT NULL,
    decided_at       TEXT,
    note             TEXT    NOT NULL DEFAULT ''
) STRICT;

-- What people were told; the same thing once.
CREATE TABLE alert (
    alert_id         INTEGER PRIMARY KEY AUTOINCREMENT,
    alert_key        TEXT    NOT NULL UNIQUE,
    day              TEXT    NOT NULL,
    code             TEXT    NOT NULL,
    title            TEXT    NOT NULL,
    text             TEXT    NOT NULL,
    raised_at        TEXT    NOT NULL
) STRICT;
