-- Schema 9: jobs that came from another journal. Those that left this one and came back are here a second time, by the
-- number of their record and an empty source.
CREATE TABLE imported (
    -- The other journal, and the number of the job there.
    source TEXT NOT NULL,
    old    INTEGER NOT NULL,
    job    INTEGER NOT NULL,
    PRIMARY KEY (source, old)
) WITHOUT ROWID;
