ALTER TABLE row ADD COLUMN repeats TEXT COLLATE "C";
UPDATE row SET repeats =
    (SELECT CASE WHEN max(CASE WHEN other.name = row.name THEN 1 ELSE 0 END) = 1 THEN 'twin'
                 WHEN count(*) > 0 THEN 'shared_address' END
     FROM row AS other WHERE other.email_key = row.email_key AND other.job = row.job AND other.no < row.no
       AND other.bucket <> 'invalid')
WHERE class IS NOT NULL;
CREATE INDEX row_class ON row(job, class, no) WHERE class IS NOT NULL;
