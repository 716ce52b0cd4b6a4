-- Schema 10: the kind of a row by the rows before it, as the last duplicate check found it. Rows that a file adds are no
-- longer counted one by one and put into the index of addresses, which took longer than all the rest.
ALTER TABLE row ADD COLUMN repeats TEXT;
UPDATE row SET repeats =
    (SELECT CASE WHEN max(CASE WHEN other.name = row.name THEN 1 ELSE 0 END) = 1 THEN 'twin'
                 WHEN count(*) > 0 THEN 'shared_address' END
     FROM row AS other INDEXED BY row_key WHERE other.email_key = row.email_key AND other.job = row.job AND other.no < row.no
       AND other.bucket <> 'invalid')
WHERE class IS NOT NULL;
CREATE INDEX row_class ON row(job, class, no) WHERE class IS NOT NULL;
DROP INDEX row_key;
CREATE INDEX row_key ON row(email_key, job) WHERE request IS NOT NULL;
DROP TRIGGER row_in;
