-- Schema 1. Times named *_at and those without a suffix in `row` and `request` are seconds of the
-- service's UTC, as lapel knows it; `created` and `at` are milliseconds of this computer's UTC.

CREATE TABLE job (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    kind        TEXT NOT NULL,
    phase       TEXT NOT NULL,
    created     INTEGER NOT NULL,
    -- Who: the profile's name, and the service and key that the job belongs to.
    profile     TEXT NOT NULL,
    base_url    TEXT NOT NULL,
    account     TEXT NOT NULL,
    template    TEXT,
    -- The template's title; of a revocation its reason, as it is sent.
    title       TEXT NOT NULL,
    -- JSON: name, sha256, columns, read_as, map.
    origin      TEXT,
    stop        TEXT,
    stop_why    TEXT,
    -- The request whose refusal has to be proven by a scan before anything else is sent (422).
    unproven    INTEGER,
    note        TEXT,
    -- Why the last look failed.
    look_note   TEXT,
    guarded_at  INTEGER,
    -- Entries of a request, where they have to be fewer than usual.
    batch       INTEGER,
    -- The job whose badges this one revokes, or whose end it waits for.
    follows     INTEGER REFERENCES job(id),
    -- Whether its rows wait until every row of `follows` is Issued.
    after       INTEGER NOT NULL DEFAULT 0,
    next_look   INTEGER,
    owner       TEXT,
    owner_label TEXT,
    purged      INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE row (
    job         INTEGER NOT NULL REFERENCES job(id) ON DELETE CASCADE,
    no          INTEGER NOT NULL,
    line        INTEGER,
    -- JSON array of the original cells.
    cells       TEXT,
    name        TEXT NOT NULL,
    email       TEXT NOT NULL,
    email_key   TEXT NOT NULL,
    title       TEXT,
    badge       TEXT,
    bucket      TEXT NOT NULL,
    why         TEXT,
    -- What the guard found, in a word and in words, and whether it moved the row.
    class       TEXT,
    class_why   TEXT,
    guarded     INTEGER NOT NULL DEFAULT 0,
    -- What a person has allowed of it: the class at that time, or 'new'.
    allowed     TEXT,
    -- The last request that it was in.
    request     INTEGER REFERENCES request(id),
    -- The row of an issue job whose badge this one revokes.
    of_job      INTEGER,
    of_no       INTEGER,
    accepted    INTEGER,
    status      TEXT,
    mail        TEXT,
    issued_at   TEXT,
    valid_until TEXT,
    revoke_at   TEXT,
    -- When a look first agreed that nothing is there: no such badge, or no revocation.
    absent      INTEGER,
    tries       INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (job, no)
) WITHOUT ROWID;
CREATE INDEX row_bucket ON row(job, bucket, no);
CREATE INDEX row_key ON row(email_key, job);
CREATE INDEX row_badge ON row(badge) WHERE badge IS NOT NULL;
CREATE INDEX row_request ON row(request) WHERE request IS NOT NULL;
CREATE INDEX row_of ON row(of_job, of_no) WHERE of_job IS NOT NULL;

-- How many rows are in each bucket: kept by triggers, so that it always adds up.
CREATE TABLE tally (
    job    INTEGER NOT NULL,
    bucket TEXT NOT NULL,
    n      INTEGER NOT NULL,
    PRIMARY KEY (job, bucket)
) WITHOUT ROWID;
CREATE TRIGGER row_in AFTER INSERT ON row BEGIN
    INSERT INTO tally VALUES (new.job, new.bucket, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER row_out AFTER DELETE ON row BEGIN
    UPDATE tally SET n = n - 1 WHERE job = old.job AND bucket = old.bucket;
END;
CREATE TRIGGER row_moved AFTER UPDATE OF bucket ON row WHEN old.bucket <> new.bucket BEGIN
    UPDATE tally SET n = n - 1 WHERE job = old.job AND bucket = old.bucket;
    INSERT INTO tally VALUES (new.job, new.bucket, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;

-- What people held before anything was sent: whatever is found later and is not here may be the job's.
CREATE TABLE baseline (
    job       INTEGER NOT NULL REFERENCES job(id) ON DELETE CASCADE,
    email_key TEXT NOT NULL,
    badge     TEXT NOT NULL,
    PRIMARY KEY (job, email_key, badge)
) WITHOUT ROWID;

-- Every request that acts: written before its first byte leaves, and answered afterwards.
CREATE TABLE request (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    job      INTEGER NOT NULL REFERENCES job(id) ON DELETE CASCADE,
    rows     INTEGER NOT NULL,
    sha256   TEXT NOT NULL,
    intent   INTEGER NOT NULL,
    -- Whether `intent` is by the service's own clock.
    heard    INTEGER NOT NULL,
    answered INTEGER,
    outcome  TEXT,
    status   INTEGER,
    accepted INTEGER,
    why      TEXT
);
CREATE INDEX request_job ON request(job);

-- What people decided, and why.
CREATE TABLE decision (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    at   INTEGER NOT NULL,
    job  INTEGER NOT NULL,
    no   INTEGER,
    what TEXT NOT NULL,
    who  TEXT NOT NULL,
    why  TEXT
);

-- What the service has shown of itself, with evidence.
CREATE TABLE fact (
    account  TEXT NOT NULL,
    name     TEXT NOT NULL,
    value    TEXT NOT NULL,
    evidence TEXT NOT NULL,
    first    INTEGER NOT NULL,
    last     INTEGER NOT NULL,
    times    INTEGER NOT NULL,
    PRIMARY KEY (account, name, value)
) WITHOUT ROWID;

-- What is offered again: column maps by header, reasons, files.
CREATE TABLE kept (
    what  TEXT NOT NULL,
    key   TEXT NOT NULL,
    value TEXT NOT NULL,
    at    INTEGER NOT NULL,
    PRIMARY KEY (what, key)
) WITHOUT ROWID;
