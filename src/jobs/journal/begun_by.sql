-- Schema 9: who began a job, for the others of a team.
ALTER TABLE job ADD COLUMN begun_by TEXT;
