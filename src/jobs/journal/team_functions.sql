-- The functions and triggers of a team's journal. A migration makes all of them again, so a step drops only those that
-- are no longer here, or that return something else.

SET LOCAL search_path = lapel, pg_temp;

-- Functions of SQLite.

CREATE OR REPLACE FUNCTION unixepoch() RETURNS BIGINT LANGUAGE sql AS
    $$ SELECT extract(epoch FROM clock_timestamp())::bigint $$;
CREATE OR REPLACE FUNCTION instr(hay TEXT, needle TEXT) RETURNS INTEGER IMMUTABLE LANGUAGE sql AS
    $$ SELECT strpos(hay, needle) $$;

-- A number that changes with every write of a job: the transactions that wrote its row and its counts last.
CREATE OR REPLACE FUNCTION job_stamp(job BIGINT, written XID) RETURNS BIGINT LANGUAGE sql STABLE AS $$
    SELECT written::text::bigint + coalesce(sum(tally.xmin::text::bigint)::bigint, 0)
    FROM tally WHERE tally.job = job_stamp.job $$;

-- Begins a write: waits for all others. Returns whether it was not done before. A reader may begin one, for
-- `note_opening`.
CREATE OR REPLACE FUNCTION begin_write(op TEXT) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = lapel, pg_temp AS $$
BEGIN
    PERFORM FROM store FOR NO KEY UPDATE;
    -- When it is committed, the others look at once for what has changed. It says no more than that.
    PERFORM pg_notify('lapel', '');
    INSERT INTO applied (op) VALUES (begin_write.op) ON CONFLICT DO NOTHING;
    RETURN FOUND;
END $$;

-- The history of writes that the database has: another one after a failover, and after a backup was restored. A
-- failover begins a timeline, and a restored dump makes another table. `NULL` on a standby. A part that the server
-- does not tell is left out.
CREATE OR REPLACE FUNCTION origin_now() RETURNS TEXT LANGUAGE plpgsql SECURITY DEFINER SET search_path = lapel, pg_temp AS $$
DECLARE
    origin TEXT := 'lapel.store'::regclass::oid::text;
BEGIN
    IF pg_is_in_recovery() THEN
        RETURN NULL;
    END IF;
    BEGIN
        origin := origin || ' ' || (SELECT system_identifier FROM pg_control_system());
    EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
        NULL;
    END;
    BEGIN
        origin := origin || ' ' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
    EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported
                   OR object_not_in_prerequisite_state THEN
        NULL;
    END;
    RETURN origin;
END $$;

-- Whether the database has another history of writes than when lapel looked last.
CREATE OR REPLACE FUNCTION has_other_origin() RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = lapel, pg_temp AS
    $$ BEGIN RETURN coalesce((SELECT origin <> origin_now() FROM store), FALSE); END $$;

-- The journal's schema. A function sees what was committed while `begin_write` waited, its statement does not.
CREATE OR REPLACE FUNCTION schema_now() RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = lapel, pg_temp AS
    $$ BEGIN RETURN (SELECT schema FROM store); END $$;

-- Records that writes were lost. Numbers of lost jobs and requests must not come again: processes and people know them.
CREATE OR REPLACE FUNCTION note_loss() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = lapel, pg_temp AS $$
DECLARE
    jobs     REGCLASS := pg_get_serial_sequence('lapel.job', 'id');
    requests REGCLASS := pg_get_serial_sequence('lapel.request', 'id');
BEGIN
    UPDATE store SET origin = coalesce(origin_now(), origin), noticed = clock_timestamp();
    PERFORM setval(jobs, nextval(jobs) + 1000), setval(requests, nextval(requests) + 100000);
END $$;

-- Records that a person opened a wallet, also for a reader.
CREATE OR REPLACE FUNCTION note_opening(at BIGINT, what TEXT, who TEXT, why TEXT) RETURNS VOID LANGUAGE sql SECURITY DEFINER
    SET search_path = lapel, pg_temp AS $$
    INSERT INTO decision (at, job, what, who, why) VALUES (note_opening.at, 0, note_opening.what,
        note_opening.who || ' (' || session_user || ')', note_opening.why) $$;

-- After many rows were added: until the server does so by itself, it plans for few. Only an owner may.
CREATE OR REPLACE FUNCTION analyze_rows() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = lapel, pg_temp AS
    $$ BEGIN ANALYZE row; END $$;

-- Reasons are JSON objects.

CREATE OR REPLACE FUNCTION reason_code(why TEXT) RETURNS TEXT IMMUTABLE LANGUAGE sql AS
    $$ SELECT CASE WHEN why LIKE '{%' THEN why::jsonb ->> 'code' END $$;
CREATE OR REPLACE FUNCTION reason_with(why TEXT, name TEXT, argument TEXT) RETURNS TEXT IMMUTABLE LANGUAGE sql AS
    $$ SELECT jsonb_set(why::jsonb, '{args}', jsonb_build_object(name, argument::jsonb))::text $$;
CREATE OR REPLACE FUNCTION reason_with_text(why TEXT, name TEXT, argument TEXT) RETURNS TEXT IMMUTABLE LANGUAGE sql AS
    $$ SELECT jsonb_set(why::jsonb, '{args}', jsonb_build_object(name, argument))::text $$;
CREATE OR REPLACE FUNCTION reason_both(code TEXT, one TEXT, other TEXT) RETURNS TEXT IMMUTABLE LANGUAGE sql AS
    $$ SELECT json_build_object('code', code, 'args',
                                json_build_object('all', json_build_array(one::json, other::json)))::text $$;
CREATE OR REPLACE FUNCTION reason_group(why TEXT) RETURNS TEXT IMMUTABLE LANGUAGE sql AS $$
    SELECT CASE WHEN why NOT LIKE '{%' THEN why
        WHEN why::jsonb ->> 'code' = 'domain_slip' THEN 'e-mail address:did you mean {meant}?'
        WHEN why::jsonb ->> 'code' = 'findings' THEN
            (SELECT string_agg(
                 coalesce(part #>> '{args,field,text}', part #>> '{args,field,code}', '') || ':'
                 || coalesce(part #>> '{args,what,text}', part #>> '{args,what,args,text}',
                             part #>> '{args,what,code}', part::text), chr(10) ORDER BY place)
             FROM jsonb_array_elements(why::jsonb #> '{args,all}') WITH ORDINALITY AS element(part, place))
        ELSE coalesce(why::jsonb ->> 'text', why::jsonb #>> '{args,text}', '') || ':' || (why::jsonb ->> 'code')
    END $$;

-- The rows with an address that were or may have been sent, by their claims: an index of addresses was written at every
-- change of a row. A reader may not read the salt, and learns nothing here about an address that was purged.
CREATE OR REPLACE FUNCTION rows_of(one BIGINT, other BIGINT, address TEXT) RETURNS TABLE (job BIGINT, no BIGINT)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = lapel, pg_temp AS $$
#variable_conflict use_column
DECLARE
    inner_key BYTEA;
    outer_key BYTEA;
    recipient BYTEA;
BEGIN
    -- HMAC-SHA-256.
    SELECT salt || decode(repeat('00', 64 - length(salt)), 'hex') INTO inner_key FROM store;
    outer_key := inner_key;
    FOR place IN 0..63 LOOP
        outer_key := set_byte(outer_key, place, get_byte(inner_key, place) # 92);
        inner_key := set_byte(inner_key, place, get_byte(inner_key, place) # 54);
    END LOOP;
    recipient := substr(sha256(outer_key || sha256(inner_key || convert_to(address, 'UTF8'))), 1, 16);
    RETURN QUERY SELECT row.job, row.no
        FROM (SELECT DISTINCT template FROM job WHERE kind = 'issue') AS issued
        JOIN claim ON claim.account IN (one, other) AND claim.template = issued.template AND claim.person = recipient
        JOIN row ON row.job = claim.job AND row.no = claim.no
        WHERE row.email_key = address AND address <> '';
END $$;

-- The jobs and requests of rows, and the counts of each job.

CREATE OR REPLACE FUNCTION jobs_out() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = lapel, pg_temp AS
    $$ BEGIN DELETE FROM row USING old_jobs WHERE row.job = old_jobs.id; RETURN NULL; END $$;
CREATE OR REPLACE TRIGGER job_out AFTER DELETE ON job REFERENCING OLD TABLE AS old_jobs
    FOR EACH STATEMENT EXECUTE FUNCTION jobs_out();
CREATE OR REPLACE FUNCTION rows_in() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT FROM (SELECT DISTINCT job, request FROM new_rows) AS added
               WHERE NOT EXISTS (SELECT FROM job WHERE job.id = added.job)
                  OR request IS NOT NULL AND NOT EXISTS (SELECT FROM request WHERE request.id = added.request))
    THEN
        RAISE foreign_key_violation USING MESSAGE = 'a row has no job or no request';
    END IF;
    INSERT INTO tally (job, bucket, n, changed)
        SELECT job, bucket, count(*), unixepoch() FROM new_rows GROUP BY job, bucket
        ON CONFLICT (job, bucket) DO UPDATE SET n = tally.n + excluded.n, changed = excluded.changed;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION rows_out() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    is_claimed BOOLEAN;
BEGIN
    IF NOT EXISTS (SELECT FROM old_rows) THEN
        RETURN NULL;
    END IF;
    EXECUTE 'SELECT EXISTS (SELECT FROM old_rows JOIN claim USING (job, no))' INTO is_claimed;
    IF is_claimed THEN
        RAISE foreign_key_violation USING MESSAGE = 'a removed row has a claim';
    END IF;
    UPDATE tally SET n = tally.n - gone.n, changed = unixepoch()
        FROM (SELECT job, bucket, count(*) AS n FROM old_rows GROUP BY job, bucket) AS gone
        WHERE tally.job = gone.job AND tally.bucket = gone.bucket;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER row_in AFTER INSERT ON row REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION rows_in();
CREATE OR REPLACE TRIGGER row_out AFTER DELETE ON row REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION rows_out();

-- The rows and accounts of claims.

CREATE OR REPLACE FUNCTION claims_in() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    is_lost BOOLEAN;
BEGIN
    IF NOT EXISTS (SELECT FROM new_claims) THEN
        RETURN NULL;
    END IF;
    -- EXECUTE, as in `rows_moved`.
    EXECUTE $sql$
        SELECT EXISTS (SELECT FROM new_claims AS claim
                       WHERE NOT EXISTS (SELECT FROM row WHERE row.job = claim.job AND row.no = claim.no))
            OR EXISTS (SELECT FROM new_claims AS claim
                       WHERE NOT EXISTS (SELECT FROM account WHERE account.id = claim.account))
    $sql$ INTO is_lost;
    IF is_lost THEN
        RAISE foreign_key_violation USING MESSAGE = 'a claim has no row or no account';
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION claim_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF NOT EXISTS (SELECT FROM row WHERE row.job = new.job AND row.no = new.no)
        OR NOT EXISTS (SELECT FROM account WHERE account.id = new.account)
    THEN
        RAISE foreign_key_violation USING MESSAGE = 'a claim has no row or no account';
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION accounts_out() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT FROM claim WHERE account = old.id) THEN
        RAISE foreign_key_violation USING MESSAGE = 'a removed account has claims';
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER claim_in AFTER INSERT ON claim REFERENCING NEW TABLE AS new_claims
    FOR EACH STATEMENT EXECUTE FUNCTION claims_in();
CREATE OR REPLACE TRIGGER claim_changed AFTER UPDATE OF account, job, no ON claim
    FOR EACH ROW EXECUTE FUNCTION claim_changed();
CREATE OR REPLACE TRIGGER account_out AFTER DELETE ON account
    FOR EACH ROW EXECUTE FUNCTION accounts_out();

-- Counts follow their rows, and so do claims: a row that was certainly not sent gives its claim back.

CREATE OR REPLACE FUNCTION claim_place(bucket TEXT) RETURNS INTEGER IMMUTABLE LANGUAGE sql AS $$
    SELECT CASE WHEN bucket = 'ready' THEN 1
                WHEN bucket IN ('sending', 'in_doubt', 'unbound', 'not_seen') THEN 2
                WHEN bucket IN ('not_done', 'dropped', 'ask', 'left_out', 'invalid') THEN 4 ELSE 3 END $$;

-- EXECUTE plans anew each time: a plan for one row would take minutes for a hundred thousand.
CREATE OR REPLACE FUNCTION rows_moved() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    is_unclaimed BOOLEAN;
BEGIN
    -- Many updates of a job find no row.
    IF NOT EXISTS (SELECT FROM new_rows) THEN
        RETURN NULL;
    END IF;
    IF EXISTS (SELECT FROM (SELECT DISTINCT request FROM new_rows WHERE request IS NOT NULL) AS named
               WHERE NOT EXISTS (SELECT FROM request WHERE request.id = named.request))
    THEN
        RAISE foreign_key_violation USING MESSAGE = 'a row has no request';
    END IF;
    EXECUTE $sql$
        WITH moved AS MATERIALIZED (
            SELECT job, no, was.bucket AS old, now.bucket AS new, claim_place(was.bucket) AS from_place,
                   claim_place(now.bucket) AS to_place
            FROM new_rows AS now JOIN old_rows AS was USING (job, no) WHERE now.bucket <> was.bucket),
        changed AS (
            SELECT job, old, new, count(*) AS n FROM moved GROUP BY job, old, new),
        counted AS (
            INSERT INTO tally (job, bucket, n, changed)
                SELECT job, bucket, sum(n)::bigint, unixepoch()
                FROM (SELECT job, new AS bucket, n FROM changed UNION ALL SELECT job, old, -n FROM changed) AS change
                GROUP BY job, bucket
                ON CONFLICT (job, bucket) DO UPDATE SET n = tally.n + excluded.n, changed = excluded.changed),
        given_back AS (
            DELETE FROM claim USING moved
                WHERE claim.job = moved.job AND claim.no = moved.no AND to_place = 4 AND NOT again
                  AND (new IN ('not_done', 'dropped') OR state = 'reserved')),
        followed AS (
            UPDATE claim
                SET again = again OR (old IN ('not_seen', 'ask') AND new = 'ready'),
                    state = CASE to_place WHEN 1 THEN 'reserved' WHEN 2 THEN 'open' WHEN 3 THEN 'kept'
                            ELSE CASE WHEN new IN ('not_done', 'dropped', 'ask') THEN 'open' ELSE 'kept' END END
                FROM moved
                WHERE claim.job = moved.job AND claim.no = moved.no AND (to_place = 4 OR to_place <> from_place)
                  AND NOT (to_place = 4 AND NOT again AND (new IN ('not_done', 'dropped') OR state = 'reserved'))
                  AND (new <> 'sending' OR state = 'reserved')
                RETURNING new)
        -- The last defence: no intent without a claim that is not used.
        SELECT (SELECT coalesce(sum(n), 0) FROM changed JOIN job ON job.id = changed.job
                WHERE new = 'sending' AND kind = 'issue')
            <> (SELECT count(*) FROM followed WHERE new = 'sending')
    $sql$ INTO is_unclaimed;
    IF is_unclaimed THEN
        RAISE EXCEPTION 'a row is sent without its claim';
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER row_moved AFTER UPDATE ON row REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION rows_moved();

-- The shared pace of a key: see `src/api/pace/team.rs`.

-- Locks the pace of a key and returns the time, which never goes back: if the clock does, all ends move with it.
CREATE OR REPLACE FUNCTION pace_lock(pace_id TEXT) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    before BIGINT;
    moment BIGINT;
BEGIN
    INSERT INTO pace (id, last) VALUES (pace_id, 0) ON CONFLICT DO NOTHING;
    SELECT last INTO before FROM pace WHERE id = pace_id FOR UPDATE;
    moment := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    IF moment < before THEN
        UPDATE pace_block SET ends = ends - (before - moment) WHERE pace = pace_id;
        UPDATE pace_waiter SET ends = ends - (before - moment) WHERE pace = pace_id;
        UPDATE pace SET held_until = held_until - (before - moment) WHERE id = pace_id;
    END IF;
    UPDATE pace SET last = moment WHERE id = pace_id;
    DELETE FROM pace_block WHERE pace = pace_id AND ends <= moment;
    DELETE FROM pace_waiter WHERE pace = pace_id AND ends <= moment;
    RETURN moment;
END $$;

CREATE OR REPLACE FUNCTION pace_state(pace_id TEXT, process_id TEXT, moment BIGINT) RETURNS pace_view LANGUAGE sql AS $$
    SELECT 0, moment, coalesce(sum(slots), 0)::integer,
           coalesce(sum(slots) FILTER (WHERE background), 0)::integer,
           coalesce(sum(slots) FILTER (WHERE owner <> process_id AND NOT seat), 0)::integer,
           max(ends) FILTER (WHERE owner <> process_id AND NOT seat),
           min(ends) FILTER (WHERE NOT seat), min(ends) FILTER (WHERE background),
           (SELECT held_until FROM pace WHERE id = pace_id AND held_until > moment),
           (SELECT refusals FROM pace WHERE id = pace_id)
    FROM pace_block WHERE pace = pace_id
$$;

CREATE OR REPLACE FUNCTION pace_peek(pace_id TEXT, process_id TEXT) RETURNS pace_view
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = lapel, pg_temp AS
    $$ BEGIN RETURN pace_state(pace_id, process_id, pace_lock(pace_id)); END $$;

-- Takes up to `want` slots of the pool for `lasts`, or marks the process as waiting. People go first: while one of
-- them waits in any process, the background gets nothing. `through` ignores a hold.
CREATE OR REPLACE FUNCTION pace_take(pace_id TEXT, process_id TEXT, block_id BIGINT, is_background BOOLEAN, want INTEGER,
                          pool INTEGER, pool_of_background INTEGER, lasts BIGINT, waits BIGINT, through BOOLEAN)
    RETURNS pace_view LANGUAGE plpgsql SECURITY DEFINER SET search_path = lapel, pg_temp AS $$
DECLARE
    moment BIGINT := pace_lock(pace_id);
    seen pace_view := pace_state(pace_id, process_id, moment);
    room INTEGER := pool - seen.used;
    others BIGINT;
BEGIN
    IF seen.held_until IS NOT NULL AND NOT through THEN
        RETURN seen;
    END IF;
    IF is_background THEN
        room := least(room, pool_of_background - seen.background);
        IF EXISTS (SELECT FROM pace_waiter WHERE pace = pace_id AND NOT background) THEN
            room := 0;
            seen.next := NULL;
            seen.next_background := NULL;
        END IF;
    END IF;
    IF room < 1 THEN
        IF NOT through THEN
            INSERT INTO pace_waiter (pace, process, background, ends)
                VALUES (pace_id, process_id, is_background, moment + waits)
                ON CONFLICT (pace, process, background) DO UPDATE SET ends = excluded.ends;
        END IF;
        RETURN seen;
    END IF;
    DELETE FROM pace_waiter WHERE pace = pace_id AND process = process_id AND background = is_background;
    SELECT count(*) INTO others FROM pace_waiter WHERE pace = pace_id AND background = is_background;
    seen.granted := greatest(1, least(want, room / (others + 1)));
    seen.used := seen.used + seen.granted;
    INSERT INTO pace_block (pace, block, part, owner, background, seat, slots, ends)
        VALUES (pace_id, block_id, 0, process_id, is_background, FALSE, seen.granted, moment + lasts);
    RETURN seen;
END $$;

-- `answered` requests of a block count for one window from now. Only `remaining` ones may still be sent; the others are
-- free. A block that has ended, because its process was suspended, counts again.
CREATE OR REPLACE FUNCTION pace_give(pace_id TEXT, process_id TEXT, block_id BIGINT, part_no INTEGER, is_background BOOLEAN,
                          answered INTEGER, remaining INTEGER, lasts BIGINT)
    RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = lapel, pg_temp AS $$
DECLARE
    moment BIGINT := pace_lock(pace_id);
BEGIN
    IF answered > 0 THEN
        INSERT INTO pace_block (pace, block, part, owner, background, seat, slots, ends)
            VALUES (pace_id, block_id, part_no, process_id, is_background, FALSE, answered, moment + lasts)
            ON CONFLICT (pace, block, part) DO UPDATE SET ends = excluded.ends;
    END IF;
    IF remaining > 0 THEN
        UPDATE pace_block SET slots = least(slots, remaining) WHERE pace = pace_id AND block = block_id AND part = 0;
    ELSE
        DELETE FROM pace_block WHERE pace = pace_id AND block = block_id AND part = 0;
    END IF;
END $$;

-- A seat for a computer, or more time for the one it has. Returns its slots: 0 if there is no room. A seat never grows. If
-- it is larger than `share`, since the limit is lower now, what it loses still counts for `used_for`.
CREATE OR REPLACE FUNCTION pace_seat(pace_id TEXT, computer TEXT, block_id BIGINT, share INTEGER, most INTEGER, pool INTEGER,
                          lasts BIGINT, used_for BIGINT)
    RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = lapel, pg_temp AS $$
DECLARE
    moment BIGINT := pace_lock(pace_id);
    has INTEGER := (SELECT slots FROM pace_block WHERE pace = pace_id AND owner = computer AND seat);
BEGIN
    IF has > share THEN
        INSERT INTO pace_block (pace, block, part, owner, background, seat, slots, ends)
            VALUES (pace_id, block_id, 0, computer, FALSE, FALSE, has - share, moment + used_for);
    END IF;
    IF has > 0 AND share < 1 THEN
        DELETE FROM pace_block WHERE pace = pace_id AND owner = computer AND seat;
        RETURN 0;
    ELSIF has > 0 THEN
        has := least(has, share);
        UPDATE pace_block SET ends = greatest(ends, moment + lasts), slots = has
            WHERE pace = pace_id AND owner = computer AND seat;
        RETURN has;
    END IF;
    IF share < 1 OR (SELECT count(*) FROM pace_block WHERE pace = pace_id AND seat) >= most
        OR (SELECT coalesce(sum(slots), 0) FROM pace_block WHERE pace = pace_id) + share > pool
    THEN
        RETURN 0;
    END IF;
    INSERT INTO pace_block (pace, block, part, owner, background, seat, slots, ends)
        VALUES (pace_id, block_id, 0, computer, FALSE, TRUE, share, moment + lasts);
    RETURN share;
END $$;

-- A shorter wait never shortens a longer one.
CREATE OR REPLACE FUNCTION pace_hold(pace_id TEXT, wait BIGINT, refused INTEGER) RETURNS VOID
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = lapel, pg_temp AS $$
DECLARE
    moment BIGINT := pace_lock(pace_id);
BEGIN
    UPDATE pace SET held_until = greatest(held_until, moment + wait), refusals = greatest(refusals, refused)
        WHERE id = pace_id;
END $$;

-- Removes a hold that has ended, and with `lift` an active one too.
CREATE OR REPLACE FUNCTION pace_calm(pace_id TEXT, lift BOOLEAN) RETURNS VOID
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = lapel, pg_temp AS $$
DECLARE
    moment BIGINT := pace_lock(pace_id);
BEGIN
    UPDATE pace SET held_until = NULL, refusals = 0
        WHERE id = pace_id AND (lift OR held_until IS NULL OR held_until <= moment);
END $$;

-- After a jump of the clock: nobody gets a slot for `lasts`.
CREATE OR REPLACE FUNCTION pace_pause(pace_id TEXT, process_id TEXT, block_id BIGINT, pool INTEGER, lasts BIGINT) RETURNS VOID
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = lapel, pg_temp AS $$
DECLARE
    moment BIGINT := pace_lock(pace_id);
BEGIN
    INSERT INTO pace_block (pace, block, part, owner, background, seat, slots, ends)
        VALUES (pace_id, block_id, 0, process_id, FALSE, FALSE, pool, moment + lasts);
END $$;
