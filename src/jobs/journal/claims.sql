-- Schema 2: which row of which job may give a person a badge of a template. One account is a service and an
-- organisation of it, whatever keys and spellings of the address are used.

CREATE TABLE store (
    -- Key of the hash that stands for a person. It leaves this file only with purged jobs that move to another journal.
    salt BLOB NOT NULL
);

CREATE TABLE account (
    id INTEGER PRIMARY KEY
);
-- The keys of an account, by fingerprint, and the names that profiles give its organisation.
CREATE TABLE account_key (
    base_url TEXT NOT NULL,
    key      TEXT NOT NULL,
    account  INTEGER NOT NULL REFERENCES account(id),
    PRIMARY KEY (base_url, key)
) WITHOUT ROWID;
CREATE TABLE account_name (
    base_url TEXT NOT NULL,
    name     TEXT NOT NULL,
    account  INTEGER NOT NULL REFERENCES account(id),
    PRIMARY KEY (base_url, name)
) WITHOUT ROWID;

-- HMAC of the e-mail key: it stays when a purge empties the address.
ALTER TABLE row ADD COLUMN person BLOB;
-- The highest slot of another row that the review of this row named.
ALTER TABLE row ADD COLUMN seen INTEGER;
-- Whether the reading showed the badge as expired, revoked or being revoked.
ALTER TABLE baseline ADD COLUMN over INTEGER NOT NULL DEFAULT 0;

-- A row may be sent only with a claim. A higher slot is a renewal, or a row that a person approved although
-- there were others.
CREATE TABLE claim (
    account  INTEGER NOT NULL REFERENCES account(id),
    template TEXT NOT NULL,
    person   BLOB NOT NULL,
    slot     INTEGER NOT NULL CHECK (slot >= 0),
    job      INTEGER NOT NULL,
    no       INTEGER NOT NULL,
    -- reserved: not sent; open: sent, and the badge is not known; kept: the badge is known.
    state    TEXT NOT NULL CHECK (state IN ('reserved', 'open', 'kept')),
    -- Who allowed it, where a person had to.
    decision INTEGER REFERENCES decision(id),
    -- A person sends the row again after an answer was lost: the first request may have worked all the same.
    again    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account, template, person, slot),
    FOREIGN KEY (job, no) REFERENCES row(job, no)
) WITHOUT ROWID;
CREATE UNIQUE INDEX claim_row ON claim(job, no);
