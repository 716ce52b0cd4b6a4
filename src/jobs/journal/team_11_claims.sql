-- Triggers check the claims of all rows of a statement at once.
ALTER TABLE claim DROP CONSTRAINT claim_account_fkey;
ALTER TABLE claim DROP CONSTRAINT claim_job_no_fkey;
ALTER TABLE claim SET (fillfactor = 50);
DROP TRIGGER IF EXISTS claim_needed ON row;
DROP FUNCTION IF EXISTS claim_needed();
