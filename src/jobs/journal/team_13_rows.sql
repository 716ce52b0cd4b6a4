-- Triggers check the jobs and requests of all rows of a statement at once. Rows with an address are found by their
-- claims.
DROP INDEX row_key;
ALTER TABLE row DROP CONSTRAINT row_job_fkey;
ALTER TABLE row DROP CONSTRAINT row_request_fkey;
