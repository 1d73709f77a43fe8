-- Version 2: how far a crawl has come, what is known of detail pages and of robots.txt.

-- A full check begins on a day and may take several: until it is done, nothing that was asked for
-- conditionally since then counts as checked.
ALTER TABLE crawl_run ADD COLUMN full_check_from TEXT;
ALTER TABLE crawl_run ADD COLUMN full_check_left INTEGER NOT NULL DEFAULT 0;  -- pages still to do
ALTER TABLE crawl_run ADD COLUMN identity TEXT NOT NULL DEFAULT '';           -- who asked, one line
ALTER TABLE crawl_run ADD COLUMN n_taken_over INTEGER NOT NULL DEFAULT 0;     -- pages of a run that ended early

-- How far a board's last crawl came; written after every request. A dry run has no other line.
CREATE TABLE checkpoint (
    board_id         TEXT    PRIMARY KEY,
    run_id           TEXT    NOT NULL,
    phase            TEXT    NOT NULL,
    pass_no          INTEGER NOT NULL,
    n_done           INTEGER NOT NULL,
    n_pages          INTEGER NOT NULL,              -- 0: not known yet
    n_requests       INTEGER NOT NULL,
    delay_s          REAL    NOT NULL,
    last_fault       TEXT    NOT NULL,              -- code and Korean sentence, '' for none
    noted_at         TEXT    NOT NULL,              -- by the run's clock
    noted_at_pc      TEXT    NOT NULL,              -- by the PC's, which a rehearsed run does not follow
    ends_at          TEXT
) STRICT;

-- Detail pages and files as the last accepted visit left them.
CREATE TABLE known_page (
    board_id         TEXT    NOT NULL,
    method           TEXT    NOT NULL,
    url              TEXT    NOT NULL,
    body             TEXT    NOT NULL,              -- form body, '' for none
    natural_key      TEXT    NOT NULL,              -- the record that led to it
    kind             TEXT    NOT NULL CHECK (kind IN ('detail', 'file')),
    etag             TEXT    NOT NULL,
    last_modified    TEXT    NOT NULL,
    n_new_validators INTEGER NOT NULL,
    sha256           TEXT    NOT NULL,
    raw_dir          TEXT    NOT NULL,              -- the folder that holds the body
    asked_by         TEXT    NOT NULL,
    fetched_at       TEXT    NOT NULL,
    full_checked_on  TEXT    NOT NULL,
    row_digest       TEXT    NOT NULL,
    content_digest   TEXT    NOT NULL,              -- of what was read from a detail page
    is_whole         INTEGER NOT NULL,              -- 0: files of it are still to come
    run_id           TEXT    NOT NULL REFERENCES crawl_run (run_id),  -- the accepted run that says so
    PRIMARY KEY (board_id, method, url, body)
) STRICT;

-- The answer to robots.txt that a board's last accepted run got, so that a change can be told.
CREATE TABLE robots_seen (
    board_id         TEXT    PRIMARY KEY,
    day              TEXT    NOT NULL,
    run_id           TEXT    NOT NULL REFERENCES crawl_run (run_id),
    status           INTEGER NOT NULL,
    sha256           TEXT    NOT NULL,              -- of the body
    body             BLOB    NOT NULL               -- as much of it as is parsed
) STRICT;
