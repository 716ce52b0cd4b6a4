-- What each role may do with the tables. lapel journal init does this too, if the roles exist before the tables.
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'lapel' AND tablename = 'store')
        OR (SELECT count(*) < 2 FROM pg_roles WHERE rolname IN ('lapel_issuer', 'lapel_reader'))
    THEN
        RETURN;
    END IF;
    REVOKE EXECUTE ON FUNCTION lapel.begin_write, lapel.note_opening, lapel.analyze_rows FROM PUBLIC;
    REVOKE EXECUTE ON FUNCTION lapel.origin_now, lapel.has_other_origin, lapel.schema_now, lapel.note_loss, lapel.rows_of FROM PUBLIC;

    GRANT USAGE ON SCHEMA lapel TO lapel_issuer;
    GRANT EXECUTE ON FUNCTION lapel.begin_write, lapel.note_opening, lapel.analyze_rows TO lapel_issuer;
    GRANT EXECUTE ON FUNCTION lapel.origin_now, lapel.has_other_origin, lapel.schema_now, lapel.note_loss, lapel.rows_of TO lapel_issuer;
    -- A write locks the row of store, which needs a right to change something: this column has one possible value.
    GRANT SELECT, UPDATE (single) ON lapel.store TO lapel_issuer;
    GRANT SELECT, INSERT, UPDATE, DELETE ON lapel.process, lapel.job, lapel.claim, lapel.tally TO lapel_issuer;
    GRANT SELECT, INSERT, UPDATE, DELETE ON lapel.baseline, lapel.transfer TO lapel_issuer;
    GRANT SELECT, INSERT, UPDATE ON lapel.account_key, lapel.account_name, lapel.request, lapel.row TO lapel_issuer;
    GRANT SELECT, INSERT, UPDATE ON lapel.fact, lapel.kept TO lapel_issuer;
    GRANT SELECT, INSERT, DELETE ON lapel.applied, lapel.account, lapel.review TO lapel_issuer;
    GRANT SELECT, INSERT, UPDATE ON lapel.handover, lapel.imported TO lapel_issuer;
    -- Nobody changes or removes a decision.
    GRANT SELECT, INSERT ON lapel.decision, lapel.review_row TO lapel_issuer;

    GRANT USAGE ON SCHEMA lapel TO lapel_reader;
    -- The name of everybody who opens a wallet from a possible match or a badge id is recorded.
    GRANT EXECUTE ON FUNCTION lapel.begin_write, lapel.note_opening, lapel.has_other_origin, lapel.schema_now, lapel.rows_of
        TO lapel_reader;
    GRANT SELECT (schema), SELECT (noticed), SELECT (name), SELECT (single) ON lapel.store TO lapel_reader;
    GRANT SELECT ON lapel.applied, lapel.account, lapel.account_key, lapel.account_name TO lapel_reader;
    GRANT SELECT ON lapel.process, lapel.job, lapel.request, lapel.row, lapel.claim, lapel.tally TO lapel_reader;
    GRANT SELECT ON lapel.baseline, lapel.kept, lapel.review, lapel.review_row, lapel.fact TO lapel_reader;
    GRANT SELECT ON lapel.decision, lapel.handover, lapel.imported, lapel.transfer TO lapel_reader;
END $$;
