extension JournalSchema {
    /// The tables of version 19.
    static let receiving = """
        CREATE TABLE invite (
            id TEXT PRIMARY KEY,
            secret BLOB NOT NULL,             -- SHA-256 of it
            terms TEXT NOT NULL,              -- what it allows
            created INTEGER NOT NULL,
            expires INTEGER NOT NULL,         -- when the secret can no longer be exchanged
            state INTEGER NOT NULL DEFAULT 0, -- InviteRecord.State
            wrong INTEGER NOT NULL DEFAULT 0, -- how often somebody came with another secret
            files INTEGER NOT NULL DEFAULT 0, -- that are there or under way
            bytes INTEGER NOT NULL DEFAULT 0  -- of those
        );

        CREATE TABLE receiving_session (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            invite TEXT NOT NULL REFERENCES invite (id),
            token BLOB NOT NULL UNIQUE,       -- SHA-256 of it
            attempt BLOB,                     -- SHA-256 of what the device knows its attempt by
            device TEXT NOT NULL,
            created INTEGER NOT NULL,
            expires INTEGER NOT NULL,
            state INTEGER NOT NULL,           -- ReceivingSession.State
            words TEXT NOT NULL,              -- that its owner compares, with blanks between them
            batch INTEGER                     -- what its files became a part of
        );
        CREATE INDEX receiving_session_invite ON receiving_session (invite);

        CREATE TABLE incoming_file (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,          -- its file's name in the spool, and the key that it is accepted under
            session INTEGER NOT NULL REFERENCES receiving_session (id),
            invite TEXT NOT NULL REFERENCES invite (id),
            name TEXT NOT NULL,               -- to be shown: nothing on this disk is called so
            folder TEXT,
            length INTEGER,                   -- NULL: not known before the end
            offset INTEGER NOT NULL DEFAULT 0, -- on disk for good
            type TEXT,                        -- as its sender told
            modified INTEGER,
            promised BLOB,                    -- SHA-256
            expires INTEGER NOT NULL,
            state INTEGER NOT NULL DEFAULT 0, -- IncomingFile.State
            batch INTEGER,
            kept BLOB,                        -- the path, where it is not in the spool
            sha256 BLOB,                      -- of what arrived
            code TEXT,                        -- why it was not taken
            sentence TEXT
        );
        CREATE INDEX incoming_file_session ON incoming_file (session);
        CREATE INDEX incoming_file_open ON incoming_file (session) WHERE state < 2;

        CREATE TRIGGER incoming_file_begun AFTER INSERT ON incoming_file BEGIN
            UPDATE invite SET files = files + 1, bytes = bytes + ifnull(NEW.length, NEW.offset) WHERE id = NEW.invite;
        END;
        CREATE TRIGGER incoming_file_moved AFTER UPDATE OF state, length ON incoming_file BEGIN
            UPDATE invite SET files = files + (NEW.state < 3) - (OLD.state < 3),
                bytes = bytes + iif(NEW.state < 3, ifnull(NEW.length, 0), 0) - iif(OLD.state < 3, ifnull(OLD.length, 0), 0)
                WHERE id = NEW.invite;
        END;
        """
}
