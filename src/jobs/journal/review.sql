-- Schema 6: what the decisions of a review changed, until the job begins. Undo puts it back.
CREATE TABLE review (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    job  INTEGER NOT NULL REFERENCES job(id) ON DELETE CASCADE,
    -- allow, leave_out or correct
    what TEXT NOT NULL
);
CREATE INDEX review_job ON review(job);
-- The rows as they were before the decision.
CREATE TABLE review_row (
    review    INTEGER NOT NULL REFERENCES review(id) ON DELETE CASCADE,
    no        INTEGER NOT NULL,
    name      TEXT NOT NULL,
    email     TEXT NOT NULL,
    email_key TEXT NOT NULL,
    person    BLOB,
    bucket    TEXT NOT NULL,
    why       TEXT,
    guarded   INTEGER NOT NULL,
    allowed   TEXT,
    PRIMARY KEY (review, no)
) WITHOUT ROWID;
