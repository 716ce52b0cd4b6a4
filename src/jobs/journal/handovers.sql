-- Schema 5: what a moved job was, its backup, and the table of backups.
ALTER TABLE job ADD COLUMN handover TEXT;
ALTER TABLE job ADD COLUMN was TEXT;
-- Backups that this journal was copied to or comes from. `state` is the copy's: begun, ready, taking, taken;
-- `taken_by` the computer that has put it back.
CREATE TABLE handover (
    id       TEXT PRIMARY KEY,
    at       INTEGER NOT NULL,
    computer TEXT NOT NULL,
    file     TEXT NOT NULL,
    moves    INTEGER NOT NULL,
    state    TEXT NOT NULL,
    taken_by TEXT
) WITHOUT ROWID;
