-- Schema 15, also of a team: whether no check can prove a job's refusals soon. Before, only the note said it, and another
-- note could hide it.
ALTER TABLE job ADD COLUMN not_provable BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE job SET not_provable = TRUE WHERE unproven IS NOT NULL AND reason_code(note) = 'not_provable';
