-- Roles for the journal that a team shares. Run this in the database of the journal, as its administrator.
-- It can run again. A role that exists stays.
--
--   lapel_owner    creates the tables (lapel journal init) and changes them (lapel journal migrate)
--   lapel_issuer   issues, revokes, checks and purges. It cannot change tables.
--   lapel_reader   reads. It cannot see the salt, which shows whether the journal had a known address.
--
-- Each person needs a login of their own, for example:
--
--   CREATE ROLE kim LOGIN; GRANT lapel_issuer TO kim;
--   \password kim

DO $$ DECLARE name TEXT; BEGIN
    FOREACH name IN ARRAY ARRAY['lapel_owner', 'lapel_issuer', 'lapel_reader'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', name);
        END IF;
    END LOOP;
END $$;

-- The owner of the schema needs no right to create others.
CREATE SCHEMA IF NOT EXISTS lapel AUTHORIZATION lapel_owner;
