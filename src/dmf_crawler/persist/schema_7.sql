-- Version 7: what nobody may rewrite, whatever program has the file open.
--
-- REPLACE deletes without asking a trigger on DELETE (unless PRAGMA recursive_triggers is on), so what it
-- would delete is asked for before the INSERT.

-- A run that has ended stays as it ended; a held one still waits for a decision.
CREATE TRIGGER crawl_run_no_delete BEFORE DELETE ON crawl_run
    BEGIN SELECT RAISE (ABORT, 'crawl_run is append-only'); END;
CREATE TRIGGER crawl_run_no_replace BEFORE INSERT ON crawl_run
    WHEN EXISTS (SELECT 1 FROM crawl_run WHERE run_id = NEW.run_id)
    BEGIN SELECT RAISE (ABORT, 'crawl_run is append-only'); END;
CREATE TRIGGER crawl_run_no_rename BEFORE UPDATE OF run_id, board_id, day, started_at, raw_dir, reparse_of ON crawl_run
    BEGIN SELECT RAISE (ABORT, 'crawl_run: the beginning of a run stays'); END;
CREATE TRIGGER crawl_run_no_rewrite BEFORE UPDATE ON crawl_run
    WHEN OLD.status NOT IN ('RUNNING', 'HELD')
    BEGIN SELECT RAISE (ABORT, 'crawl_run: what has ended stays'); END;

-- A version may be closed, seen again, and filled up while it is open; a closed one is the past.
CREATE TRIGGER dmf_record_no_delete BEFORE DELETE ON dmf_record
    BEGIN SELECT RAISE (ABORT, 'dmf_record is append-only'); END;
CREATE TRIGGER dmf_record_no_replace BEFORE INSERT ON dmf_record
    WHEN EXISTS (SELECT 1 FROM dmf_record WHERE sk = NEW.sk)
      OR NEW.is_current = 1 AND EXISTS (SELECT 1 FROM dmf_record WHERE board_id = NEW.board_id
         AND natural_key = NEW.natural_key AND is_current = 1)
    BEGIN SELECT RAISE (ABORT, 'dmf_record is append-only'); END;
CREATE TRIGGER dmf_record_no_rename BEFORE UPDATE OF
    sk, board_id, natural_key, shown_json, source_sha256, source_url, source_row, valid_from, first_seen_run ON dmf_record
    BEGIN SELECT RAISE (ABORT, 'dmf_record: where a version comes from stays'); END;
CREATE TRIGGER dmf_record_no_rewrite BEFORE UPDATE ON dmf_record
    WHEN OLD.is_current = 0
    BEGIN SELECT RAISE (ABORT, 'dmf_record: a closed version stays'); END;

-- A spell of missing reads that has ended.
CREATE TRIGGER missing_spell_no_delete BEFORE DELETE ON missing_spell
    BEGIN SELECT RAISE (ABORT, 'missing_spell is append-only'); END;
CREATE TRIGGER missing_spell_no_replace BEFORE INSERT ON missing_spell
    WHEN EXISTS (SELECT 1 FROM missing_spell WHERE spell_id = NEW.spell_id)
    BEGIN SELECT RAISE (ABORT, 'missing_spell is append-only'); END;
CREATE TRIGGER missing_spell_no_rename BEFORE UPDATE OF spell_id, board_id, natural_key, first_run, since_day ON missing_spell
    BEGIN SELECT RAISE (ABORT, 'missing_spell: the beginning of a spell stays'); END;
CREATE TRIGGER missing_spell_no_rewrite BEFORE UPDATE ON missing_spell
    WHEN OLD.ended_run IS NOT NULL
    BEGIN SELECT RAISE (ABORT, 'missing_spell: what has ended stays'); END;

-- A number is split for good.
CREATE TRIGGER split_number_no_update BEFORE UPDATE ON split_number
    BEGIN SELECT RAISE (ABORT, 'split_number is append-only'); END;
CREATE TRIGGER split_number_no_delete BEFORE DELETE ON split_number
    BEGIN SELECT RAISE (ABORT, 'split_number is append-only'); END;
CREATE TRIGGER split_number_no_replace BEFORE INSERT ON split_number
    WHEN EXISTS (SELECT 1 FROM split_number WHERE board_id = NEW.board_id AND number = NEW.number)
    BEGIN SELECT RAISE (IGNORE); END;

-- What a run's gates and selectors saw; written again only when a held run is accepted.
CREATE TRIGGER gate_result_no_update BEFORE UPDATE ON gate_result
    BEGIN SELECT RAISE (ABORT, 'gate_result is append-only'); END;
CREATE TRIGGER gate_result_no_delete BEFORE DELETE ON gate_result
    WHEN EXISTS (SELECT 1 FROM crawl_run WHERE run_id = OLD.run_id AND status NOT IN ('RUNNING', 'HELD'))
    BEGIN SELECT RAISE (ABORT, 'gate_result is append-only'); END;
CREATE TRIGGER gate_result_no_replace BEFORE INSERT ON gate_result
    WHEN EXISTS (SELECT 1 FROM gate_result WHERE run_id = NEW.run_id AND code = NEW.code)
    BEGIN SELECT RAISE (ABORT, 'gate_result is append-only'); END;
CREATE TRIGGER gate_example_no_update BEFORE UPDATE ON gate_example
    BEGIN SELECT RAISE (ABORT, 'gate_example is append-only'); END;
CREATE TRIGGER gate_example_no_delete BEFORE DELETE ON gate_example
    WHEN EXISTS (SELECT 1 FROM crawl_run WHERE run_id = OLD.run_id AND status NOT IN ('RUNNING', 'HELD'))
    BEGIN SELECT RAISE (ABORT, 'gate_example is append-only'); END;
CREATE TRIGGER gate_example_no_replace BEFORE INSERT ON gate_example
    WHEN EXISTS (SELECT 1 FROM gate_example WHERE run_id = NEW.run_id AND code = NEW.code AND position = NEW.position)
    BEGIN SELECT RAISE (ABORT, 'gate_example is append-only'); END;
CREATE TRIGGER delivery_no_update BEFORE UPDATE ON delivery
    BEGIN SELECT RAISE (ABORT, 'delivery is append-only'); END;
CREATE TRIGGER delivery_no_delete BEFORE DELETE ON delivery
    WHEN EXISTS (SELECT 1 FROM crawl_run WHERE run_id = OLD.run_id AND status NOT IN ('RUNNING', 'HELD'))
    BEGIN SELECT RAISE (ABORT, 'delivery is append-only'); END;
CREATE TRIGGER delivery_no_replace BEFORE INSERT ON delivery
    WHEN EXISTS (SELECT 1 FROM delivery WHERE run_id = NEW.run_id AND field = NEW.field AND position = NEW.position AND selector = NEW.selector)
    BEGIN SELECT RAISE (ABORT, 'delivery is append-only'); END;

-- What was seen of whole pages, what people said, and what they were told.
CREATE TRIGGER page_visit_no_update BEFORE UPDATE ON page_visit
    BEGIN SELECT RAISE (ABORT, 'page_visit is append-only'); END;
CREATE TRIGGER page_visit_no_delete BEFORE DELETE ON page_visit
    BEGIN SELECT RAISE (ABORT, 'page_visit is append-only'); END;
CREATE TRIGGER page_visit_no_replace BEFORE INSERT ON page_visit
    WHEN EXISTS (SELECT 1 FROM page_visit WHERE run_id = NEW.run_id)
    BEGIN SELECT RAISE (ABORT, 'page_visit is append-only'); END;
CREATE TRIGGER page_calibration_no_update BEFORE UPDATE ON page_calibration
    BEGIN SELECT RAISE (ABORT, 'page_calibration is append-only'); END;
CREATE TRIGGER page_calibration_no_delete BEFORE DELETE ON page_calibration
    BEGIN SELECT RAISE (ABORT, 'page_calibration is append-only'); END;
CREATE TRIGGER page_calibration_no_replace BEFORE INSERT ON page_calibration
    WHEN EXISTS (SELECT 1 FROM page_calibration WHERE calibration_id = NEW.calibration_id)
    BEGIN SELECT RAISE (ABORT, 'page_calibration is append-only'); END;
CREATE TRIGGER terms_confirmation_no_update BEFORE UPDATE ON terms_confirmation
    BEGIN SELECT RAISE (ABORT, 'terms_confirmation is append-only'); END;
CREATE TRIGGER terms_confirmation_no_delete BEFORE DELETE ON terms_confirmation
    BEGIN SELECT RAISE (ABORT, 'terms_confirmation is append-only'); END;
CREATE TRIGGER terms_confirmation_no_replace BEFORE INSERT ON terms_confirmation
    WHEN EXISTS (SELECT 1 FROM terms_confirmation WHERE confirmation_id = NEW.confirmation_id)
    BEGIN SELECT RAISE (ABORT, 'terms_confirmation is append-only'); END;
CREATE TRIGGER alert_no_update BEFORE UPDATE ON alert
    BEGIN SELECT RAISE (ABORT, 'alert is append-only'); END;
CREATE TRIGGER alert_no_delete BEFORE DELETE ON alert
    BEGIN SELECT RAISE (ABORT, 'alert is append-only'); END;
CREATE TRIGGER alert_no_replace BEFORE INSERT ON alert
    WHEN EXISTS (SELECT 1 FROM alert WHERE alert_id = NEW.alert_id OR alert_key = NEW.alert_key)
    BEGIN SELECT RAISE (IGNORE); END;

-- What waits for a person is ended once, and stays so.
CREATE TRIGGER page_review_no_delete BEFORE DELETE ON page_review
    BEGIN SELECT RAISE (ABORT, 'page_review is append-only'); END;
CREATE TRIGGER page_review_no_replace BEFORE INSERT ON page_review
    WHEN EXISTS (SELECT 1 FROM page_review WHERE review_id = NEW.review_id OR run_id = NEW.run_id)
    BEGIN SELECT RAISE (IGNORE); END;
CREATE TRIGGER page_review_no_rename BEFORE UPDATE OF review_id, board_id, run_id, is_terms ON page_review
    BEGIN SELECT RAISE (ABORT, 'page_review is append-only'); END;
CREATE TRIGGER page_review_done_once BEFORE UPDATE ON page_review
    WHEN OLD.done_at IS NOT NULL
    BEGIN SELECT RAISE (ABORT, 'page_review: what is done stays'); END;
CREATE TRIGGER terms_stop_no_delete BEFORE DELETE ON terms_stop
    BEGIN SELECT RAISE (ABORT, 'terms_stop is append-only'); END;
CREATE TRIGGER terms_stop_no_replace BEFORE INSERT ON terms_stop
    WHEN EXISTS (SELECT 1 FROM terms_stop WHERE stop_id = NEW.stop_id)
    BEGIN SELECT RAISE (ABORT, 'terms_stop is append-only'); END;
CREATE TRIGGER terms_stop_no_rename BEFORE UPDATE OF
    stop_id, site, board_id, run_id, pattern, passage, source_url, source_sha256, found_at ON terms_stop
    BEGIN SELECT RAISE (ABORT, 'terms_stop is append-only'); END;
CREATE TRIGGER terms_stop_decided_once BEFORE UPDATE ON terms_stop
    WHEN OLD.decided_at IS NOT NULL
    BEGIN SELECT RAISE (ABORT, 'terms_stop: a decision stays'); END;
