-- Schema 8: when the number of rows with a status last changed, in seconds of this computer's UTC.
ALTER TABLE tally ADD COLUMN changed INTEGER;
DROP TRIGGER row_in;
DROP TRIGGER row_out;
DROP TRIGGER row_moved;
CREATE TRIGGER row_in AFTER INSERT ON row BEGIN
    INSERT INTO tally (job, bucket, n, changed) VALUES (new.job, new.bucket, 1, unixepoch())
        ON CONFLICT DO UPDATE SET n = n + 1, changed = unixepoch();
END;
CREATE TRIGGER row_out AFTER DELETE ON row BEGIN
    UPDATE tally SET n = n - 1, changed = unixepoch() WHERE job = old.job AND bucket = old.bucket;
END;
CREATE TRIGGER row_moved AFTER UPDATE OF bucket ON row WHEN old.bucket <> new.bucket BEGIN
    UPDATE tally SET n = n - 1, changed = unixepoch() WHERE job = old.job AND bucket = old.bucket;
    INSERT INTO tally (job, bucket, n, changed) VALUES (new.job, new.bucket, 1, unixepoch())
        ON CONFLICT DO UPDATE SET n = n + 1, changed = unixepoch();
END;
