-- Schema 12: a job's claims are beside each other, in the order in which it sends its rows. In the order of recipients,
-- every request rewrote nearly all pages of the table.

DROP TRIGGER claim_back;
DROP TRIGGER claim_follows;
DROP TRIGGER claim_needed;
ALTER TABLE claim RENAME TO claim_by_recipient;
CREATE TABLE claim (
    account  INTEGER NOT NULL REFERENCES account(id),
    template TEXT NOT NULL,
    person   BLOB NOT NULL,
    slot     INTEGER NOT NULL CHECK (slot >= 0),
    job      INTEGER NOT NULL,
    no       INTEGER NOT NULL,
    -- reserved: not sent; open: sent, and the badge is not known; kept: the badge is known.
    state    TEXT NOT NULL CHECK (state = 'reserved' OR state = 'open' OR state = 'kept'),
    -- Who allowed it, where a person had to.
    decision INTEGER REFERENCES decision(id),
    -- A person sends the row again after an answer was lost: the first request may have worked all the same.
    again    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (job, no),
    FOREIGN KEY (job, no) REFERENCES row(job, no)
) WITHOUT ROWID;
INSERT INTO claim (account, template, person, slot, job, no, state, decision, again)
    SELECT account, template, person, slot, job, no, state, decision, again FROM claim_by_recipient ORDER BY job, no;
DROP TABLE claim_by_recipient;
CREATE UNIQUE INDEX claim_recipient ON claim(account, template, person, slot);
