-- Schema 2. Times are the service's own, without a zone. What came from the service is kept as it came; what
-- is derived from it is kept beside it, so that it can be counted and compared.

-- Whose history this is, and how far it was read: small JSON values by name.
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE badge (
    id          TEXT PRIMARY KEY,
    template    TEXT,
    title       TEXT,
    name        TEXT,
    email       TEXT,
    status      TEXT,
    mail        TEXT,
    valid_until TEXT,
    issued_at   TEXT,
    reg_date    TEXT,
    revoke_at   TEXT,
    -- Where it stands, whatever the time is: waiting, issued, revoking, revoked, expired, other.
    base        TEXT NOT NULL,
    -- When it expires by itself, if it does: YYYY-MM-DD HH:MM:SS, as all moments below.
    ends        TEXT,
    reg         TEXT,
    -- Days: YYYY-MM-DD.
    issued      TEXT,
    revoked     TEXT,
    -- Of the address, folded; and whether the mail failed. Earlier versions took
    -- every word other than SENT for a failure, so that the word is compared again where this is read.
    domain      TEXT,
    failed      INTEGER NOT NULL,
    -- The reading of the history that saw it last.
    reading     INTEGER NOT NULL,
    type        TEXT,
    category    TEXT,
    level       INTEGER,
    level_name  TEXT,
    issuer      TEXT,
    -- Whether the five columns above were kept. Schema 1 did not have them.
    whole       INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX badge_reg ON badge (reg, id);
CREATE INDEX badge_base ON badge (base, ends);
CREATE INDEX badge_issued ON badge (issued, base);
CREATE INDEX badge_revoked ON badge (revoked, base) WHERE revoked IS NOT NULL;
CREATE INDEX badge_template ON badge (template, base);
CREATE INDEX badge_domain ON badge (domain, failed);
CREATE INDEX badge_reading ON badge (reading);
CREATE INDEX badge_part ON badge (whole) WHERE whole = 0;

-- What only a badge's own record says.
CREATE TABLE detail (
    id          TEXT PRIMARY KEY,
    cert_no     TEXT,
    -- The same for comparing: without spaces and signs, in upper case.
    cert_key    TEXT,
    valid_until TEXT,
    -- Seconds of the service's UTC.
    noted       INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX detail_cert ON detail (cert_key) WHERE cert_key IS NOT NULL;
