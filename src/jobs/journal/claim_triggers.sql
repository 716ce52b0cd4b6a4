-- Schema 2, and again schema 12. Lists of more than two words are a CASE: SQLite would fill a temporary table for each of
-- them and each row.

-- A claim follows its row. A row that was certainly not sent gives its claim back.
CREATE TRIGGER claim_back AFTER UPDATE OF bucket ON row
WHEN old.bucket <> new.bucket
    AND CASE new.bucket WHEN 'not_done' THEN 1 WHEN 'dropped' THEN 1 WHEN 'ask' THEN 1 WHEN 'left_out' THEN 1
                        WHEN 'invalid' THEN 1 ELSE 0 END
BEGIN
    DELETE FROM claim WHERE job = new.job AND no = new.no AND NOT again
        AND (new.bucket IN ('not_done', 'dropped') OR state = 'reserved');
    UPDATE claim SET state = CASE new.bucket WHEN 'not_done' THEN 'open' WHEN 'dropped' THEN 'open'
                                             WHEN 'ask' THEN 'open' ELSE 'kept' END
        WHERE job = new.job AND no = new.no;
END;
CREATE TRIGGER claim_follows AFTER UPDATE OF bucket ON row
WHEN CASE new.bucket WHEN 'ready' THEN 1
                     WHEN 'sending' THEN 2 WHEN 'in_doubt' THEN 2 WHEN 'unbound' THEN 2 WHEN 'not_seen' THEN 2
                     WHEN 'not_done' THEN 0 WHEN 'dropped' THEN 0 WHEN 'ask' THEN 0 WHEN 'left_out' THEN 0
                     WHEN 'invalid' THEN 0 ELSE 3 END
    NOT IN (0, CASE old.bucket WHEN 'ready' THEN 1
                     WHEN 'sending' THEN 2 WHEN 'in_doubt' THEN 2 WHEN 'unbound' THEN 2 WHEN 'not_seen' THEN 2
                     WHEN 'not_done' THEN 4 WHEN 'dropped' THEN 4 WHEN 'ask' THEN 4 WHEN 'left_out' THEN 4
                     WHEN 'invalid' THEN 4 ELSE 3 END)
BEGIN
    UPDATE claim SET again = again OR (old.bucket IN ('not_seen', 'ask') AND new.bucket = 'ready'),
            state = CASE new.bucket WHEN 'ready' THEN 'reserved'
                                    WHEN 'sending' THEN 'open' WHEN 'in_doubt' THEN 'open'
                                    WHEN 'unbound' THEN 'open' WHEN 'not_seen' THEN 'open' ELSE 'kept' END
        WHERE job = new.job AND no = new.no;
END;

-- The last defence: no intent without a claim.
CREATE TRIGGER claim_needed BEFORE UPDATE OF bucket ON row
WHEN new.bucket = 'sending' AND (SELECT kind FROM job WHERE id = new.job) = 'issue'
    AND NOT EXISTS (SELECT 1 FROM claim WHERE job = new.job AND no = new.no AND state = 'reserved')
BEGIN
    SELECT RAISE(ABORT, 'a row is sent without its claim');
END;
