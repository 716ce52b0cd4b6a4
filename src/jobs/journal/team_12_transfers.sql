-- Jobs that an earlier version moved back are no mark: the team may have begun others.
ALTER TABLE store ADD COLUMN name TEXT COLLATE "C" NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '');
CREATE TABLE transfer (
    account BIGINT NOT NULL REFERENCES account(id),
    other   TEXT COLLATE "C" NOT NULL,
    place   TEXT COLLATE "C" NOT NULL,
    state   TEXT COLLATE "C" NOT NULL CHECK (state IN ('coming', 'going', 'gone')),
    PRIMARY KEY (account, other)
);
INSERT INTO transfer
SELECT account_key.account, '', substr(max(handover.file), 6), 'going'
FROM job JOIN handover ON handover.id = job.handover
JOIN account_key ON account_key.base_url = job.base_url AND account_key.key = job.account
WHERE job.phase = 'moved' AND handover.state = 'begun' AND handover.file LIKE 'file %'
GROUP BY account_key.account;
