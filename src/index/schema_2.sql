-- From schema 1 to schema 2. The next full reading of the history fills the new columns.
ALTER TABLE badge ADD COLUMN type TEXT;
ALTER TABLE badge ADD COLUMN category TEXT;
ALTER TABLE badge ADD COLUMN level INTEGER;
ALTER TABLE badge ADD COLUMN level_name TEXT;
ALTER TABLE badge ADD COLUMN issuer TEXT;
ALTER TABLE badge ADD COLUMN whole INTEGER NOT NULL DEFAULT 0;
CREATE INDEX badge_part ON badge (whole) WHERE whole = 0;
