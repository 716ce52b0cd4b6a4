-- Schema 2: claims of rows that were or may have been sent; ?1 is the decision. An unsent row gets none if another row has
-- one. It is judged when its job is resumed.
INSERT INTO claim (account, template, person, slot, job, no, state, decision)
SELECT account, template, person, place - 1, job, no, state, CASE WHEN place > 1 THEN ?1 END
FROM (SELECT *, row_number() OVER (PARTITION BY account, template, person
                                   ORDER BY state = 'reserved', job, no) AS place
      FROM (SELECT account_key.account, job.template, row.person, row.job, row.no,
                   CASE WHEN row.bucket IN ('sending', 'in_doubt', 'unbound', 'not_seen')
                          OR row.bucket = 'ask' AND row.request IS NOT NULL THEN 'open'
                        WHEN row.bucket IN ('waiting', 'overdue', 'issued', 'other', 'revoking',
                                            'revoked')
                          OR row.bucket = 'left_out'
                             AND request.outcome IN ('accepted', 'in_doubt', 'lost') THEN 'kept'
                        WHEN row.bucket = 'ready' AND job.phase <> 'cancelled' THEN 'reserved' END
                   AS state
            FROM row JOIN job ON job.id = row.job
            JOIN account_key ON account_key.base_url = job.base_url AND account_key.key = job.account
            LEFT JOIN request ON request.id = row.request
            WHERE job.kind = 'issue' AND job.phase <> 'draft' AND job.template IS NOT NULL
              AND row.person IS NOT NULL)
      WHERE state IS NOT NULL)
WHERE state <> 'reserved' OR place = 1
