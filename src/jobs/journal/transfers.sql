-- Schema 14; the name of the journal follows.
-- Random, and another one after a restore.
ALTER TABLE store ADD COLUMN name TEXT NOT NULL DEFAULT '';
CREATE TABLE transfer (
    account INTEGER NOT NULL REFERENCES account(id),
    -- The name of the other journal, empty if an earlier version moved the jobs; and its place, for people.
    other   TEXT NOT NULL,
    place   TEXT NOT NULL,
    -- coming: the jobs of the account come from there, and not all are here. going: they go there, and not all are
    -- there. gone: they are there.
    state   TEXT NOT NULL CHECK (state IN ('coming', 'going', 'gone')),
    PRIMARY KEY (account, other)
) WITHOUT ROWID;
INSERT INTO transfer
SELECT account_key.account, '', substr(max(handover.file), 6),
       CASE WHEN max(handover.state = 'begun') THEN 'going' ELSE 'gone' END
FROM job JOIN handover ON handover.id = job.handover
JOIN account_key ON account_key.base_url = job.base_url AND account_key.key = job.account
WHERE job.phase = 'moved' AND handover.state IN ('begun', 'taken') AND handover.file LIKE 'team %'
GROUP BY account_key.account;
