internal import GRDB

/// The tables, as migrations: a migration that has shipped never changes.
enum JournalSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: batches, items, submissions") { db in
            try db.execute(sql: version1)
        }
        migrator.registerMigration("2: progress that stays, proofs asked for, notes on destinations") { db in
            try db.execute(sql: version2)
        }
        migrator.registerMigration("3: what stands where is counted") { db in
            try db.execute(sql: version3)
        }
        migrator.registerMigration("4: sources to be removed") { db in
            try db.execute(sql: version4)
        }
        migrator.registerMigration("5: removals know their batch, and files are found") { db in
            // There are journals whose third and fourth migration did some of this.
            if try !db.columns(in: "removal").contains(where: { $0.name == "batch" }) {
                try db.execute(sql: version5Column)
            }
            try db.execute(sql: version5Indexes)
            if try db.columns(in: "batch").contains(where: { $0.name == "runner" }) { try db.execute(sql: runnerIndex) }
        }
        migrator.registerMigration("6: marks of copies, and what was disproved") { db in
            // There are journals that were taken back to an older form.
            if try !db.columns(in: "submission").contains(where: { $0.name == "marks" }) { try db.execute(sql: marks) }
        }
        migrator.registerMigration("7: whose fault it is that nothing came through, and what was skipped") { db in
            if try !db.columns(in: "submission").contains(where: { $0.name == "fault" }) {
                try db.execute(sql: version7Column)
            }
            try db.execute(sql: version7Index)
        }
        migrator.registerMigration("8: who works holds a lock") { db in
            // There are journals that were taken back to an older form.
            if try !db.tableExists("worker") { try db.execute(sql: version8) }
        }
        migrator.registerMigration("9: acceptances of their own, and claims of whatever is due") { db in
            // There are journals that were taken back to an older form.
            if try !db.tableExists("acceptance") { try db.execute(sql: version9) }
            try db.execute(sql: version9Indexes)
        }
        migrator.registerMigration("10: keys by which an item is accepted once") { db in
            // There are journals that were taken back to an older form.
            if try !db.tableExists("idempotency") { try db.execute(sql: version10) }
        }
        migrator.registerMigration("11: what is asked again when its answer was lost") { db in
            // There are journals that were taken back to an older form.
            if try !db.columns(in: "acceptance").contains(where: { $0.name == "key" }) {
                try db.execute(sql: version11)
            }
        }
        migrator.registerMigration("12: the words that people read") { db in
            // There are journals that were taken back to an older form.
            if try db.columns(in: "destination").contains(where: { $0.name == "parked" }) {
                try db.execute(sql: version12)
            }
        }
        migrator.registerMigration("13: when sources were last changed in any way") { db in
            // There are journals that were taken back to an older form.
            if try !db.columns(in: "item").contains(where: { $0.name == "changed" }) {
                try db.execute(sql: "ALTER TABLE item ADD COLUMN changed INTEGER")  // NULL: not known
            }
        }
        migrator.registerMigration("14: a file that is known as a journal, and what can be forgotten") { db in
            try db.execute(sql: "PRAGMA application_id = \(JournalFile.applicationID)")
            try db.execute(sql: version14)
        }
        migrator.registerMigration("15: in which place of its destination a copy lies") { db in
            // There are journals that were taken back to an older form.
            if try !db.columns(in: "submission").contains(where: { $0.name == "place" }) {
                try db.execute(sql: "ALTER TABLE submission ADD COLUMN place INTEGER")  // NULL: not known
            }
        }
        migrator.registerMigration("16: what moves together is counted at once") { db in
            // There are journals that were taken back to an older form.
            if try !db.columns(in: "submission").contains(where: { $0.name == "counted" }) {
                try db.execute(sql: version16Column)
            }
            try db.execute(sql: version16Triggers)
        }
        migrator.registerMigration("17: what goes first") { db in
            // There are journals that were taken back to an older form.
            if try !db.columns(in: "batch").contains(where: { $0.name == "priority" }) {
                try db.execute(sql: version17)
            }
        }
        migrator.registerMigration("18: what is made of items for destinations") { db in
            // There are journals that were taken back to an older form.
            if try !db.columns(in: "submission").contains(where: { $0.name == "recipe" }) {
                try db.execute(sql: version18)
            }
        }
        migrator.registerMigration("19: what others send in") { db in
            // There are journals that were taken back to an older form.
            if try !db.tableExists("invite") { try db.execute(sql: JournalSchema.receiving) }
        }
        migrator.registerMigration("20: the catalogue") { db in
            // There are journals that were taken back to an older form.
            if try !db.tableExists("picture") { try db.execute(sql: catalogue) }
        }
        migrator.registerMigration("21: tags and albums in their order") { db in try db.execute(sql: linkOrder) }
        return migrator
    }

    // Times are nanoseconds since 1970. Paths are bytes: file names need not be UTF-8.
    private static let version1 = """
        CREATE TABLE journal (
            identity TEXT NOT NULL            -- tells submissions of different journals apart
        );
        INSERT INTO journal VALUES (lower(hex(randomblob(6))));

        CREATE TABLE process (                -- who claims: dead as soon as any of the three no longer fits
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            pid INTEGER NOT NULL,
            started INTEGER NOT NULL,
            boot TEXT NOT NULL
        );

        CREATE TABLE batch (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            created INTEGER NOT NULL,
            runner INTEGER,                   -- the process that works on it
            sealed INTEGER NOT NULL DEFAULT 0, -- all that was asked for has been accepted
            request TEXT                      -- what was asked for, to complete an acceptance that was cut off
        );

        CREATE TABLE item (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            batch INTEGER NOT NULL REFERENCES batch (id),
            path BLOB NOT NULL,
            name TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            inode INTEGER NOT NULL,
            device INTEGER NOT NULL,
            kind TEXT NOT NULL,
            mime TEXT NOT NULL,
            extension TEXT NOT NULL,
            captured TEXT,
            caption TEXT,
            tags TEXT,                        -- JSON array
            sha256 BLOB NOT NULL,
            sha1 BLOB,
            md5 BLOB,
            crc32c BLOB
        );

        CREATE TABLE submission (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            batch INTEGER NOT NULL REFERENCES batch (id),
            item INTEGER NOT NULL REFERENCES item (id),
            destination TEXT NOT NULL,
            album TEXT,
            conflict TEXT NOT NULL,
            state INTEGER NOT NULL,           -- SubmissionState
            not_before INTEGER NOT NULL DEFAULT 0,
            tries INTEGER NOT NULL DEFAULT 0, -- claims, broken ones too
            failures INTEGER NOT NULL DEFAULT 0,
            fence INTEGER NOT NULL DEFAULT 0, -- grows with each claim; who holds an older one may not finish
            claimed_by INTEGER,
            claimed INTEGER,
            cancel INTEGER NOT NULL DEFAULT 0,
            settled INTEGER,
            remote_id TEXT,
            url TEXT,
            evidence TEXT,
            was_there INTEGER,
            note TEXT,
            code TEXT,                        -- of the last failure
            sentence TEXT
        );
        CREATE INDEX submission_queued ON submission (destination, batch, not_before, id) WHERE state = 0;
        CREATE INDEX submission_claimed ON submission (claimed_by) WHERE state = 1;
        CREATE INDEX submission_batch ON submission (batch);
        CREATE INDEX submission_item ON submission (item);

        CREATE TABLE attempt (
            submission INTEGER NOT NULL REFERENCES submission (id),
            number INTEGER NOT NULL,
            started INTEGER NOT NULL,
            ended INTEGER NOT NULL,
            outcome TEXT NOT NULL,            -- done, failed, waiting, cancelled, interrupted
            code TEXT,
            sentence TEXT,
            PRIMARY KEY (submission, number)
        ) WITHOUT ROWID;

        CREATE TABLE checkpoint (
            submission INTEGER PRIMARY KEY REFERENCES submission (id),
            data BLOB NOT NULL
        );

        CREATE TABLE destination (
            name TEXT PRIMARY KEY,
            paused INTEGER NOT NULL DEFAULT 0,
            parked TEXT,                      -- why nothing goes out: ParkReason, or "credentials"
            parked_until INTEGER,             -- NULL: until someone acts
            parkings INTEGER NOT NULL DEFAULT 0,
            code TEXT,
            sentence TEXT
        ) WITHOUT ROWID;
        """

    private static let version2 = """
        ALTER TABLE submission ADD COLUMN landed INTEGER NOT NULL DEFAULT 0; -- bytes not to be sent again
        ALTER TABLE submission ADD COLUMN verify TEXT;                       -- Verification; NULL: usual

        CREATE TABLE note (
            destination TEXT NOT NULL,
            topic TEXT NOT NULL,
            data BLOB NOT NULL,
            PRIMARY KEY (destination, topic)
        ) WITHOUT ROWID;
        """

    private static let version3 = """
        CREATE TABLE tally (                  -- how much stands where, so that nobody has to count a million rows
            batch INTEGER NOT NULL,
            destination TEXT NOT NULL,
            state INTEGER NOT NULL,
            count INTEGER NOT NULL,
            bytes INTEGER NOT NULL,           -- of the items
            PRIMARY KEY (batch, destination, state)
        ) WITHOUT ROWID;
        INSERT INTO tally
            SELECT submission.batch, destination, state, count(*), sum(size)
            FROM submission JOIN item ON item.id = submission.item GROUP BY 1, 2, 3;
        CREATE INDEX tally_state ON tally (state, destination);
        CREATE INDEX tally_destination ON tally (destination);

        CREATE TRIGGER submission_accepted AFTER INSERT ON submission BEGIN
            INSERT INTO tally VALUES
                (NEW.batch, NEW.destination, NEW.state, 1, (SELECT size FROM item WHERE id = NEW.item))
                ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER submission_moved AFTER UPDATE OF state ON submission WHEN OLD.state <> NEW.state BEGIN
            UPDATE tally SET count = count - 1, bytes = bytes - (SELECT size FROM item WHERE id = OLD.item)
                WHERE batch = OLD.batch AND destination = OLD.destination AND state = OLD.state;
            DELETE FROM tally
                WHERE batch = OLD.batch AND destination = OLD.destination AND state = OLD.state AND count = 0;
            INSERT INTO tally VALUES
                (NEW.batch, NEW.destination, NEW.state, 1, (SELECT size FROM item WHERE id = NEW.item))
                ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
        END;

        CREATE INDEX submission_failed ON submission (id) WHERE state = 3;
        CREATE INDEX submission_put_off ON submission (destination, batch, not_before)
            WHERE state = 0 AND sentence IS NOT NULL;
        CREATE INDEX batch_open ON batch (id) WHERE sealed = 0;
        """

    private static let version4 = """
        CREATE TABLE removal (                -- sources to be removed once enough copies are proven
            item INTEGER PRIMARY KEY REFERENCES item (id),
            copies INTEGER NOT NULL,          -- how many have to be
            manner TEXT NOT NULL,             -- RemovalManner
            state INTEGER NOT NULL DEFAULT 0, -- RemovalState
            claimed_by INTEGER,               -- the process that removes it
            aside BLOB,                       -- where it is put, written down before it is
            settled INTEGER,
            code TEXT,                        -- why it was kept
            sentence TEXT
        );
        CREATE INDEX removal_open ON removal (item) WHERE state < 2;
        """

    private static let version5Column = """
        ALTER TABLE removal ADD COLUMN batch INTEGER NOT NULL DEFAULT 0;
        UPDATE removal SET batch = (SELECT batch FROM item WHERE item.id = removal.item);
        """

    private static let marks = """
        ALTER TABLE submission ADD COLUMN marks TEXT;     -- of the receipt: a JSON object of texts; NULL: none
        ALTER TABLE submission ADD COLUMN disproved TEXT; -- the remote id of a copy that an audit found to be another
        """

    private static let version5Indexes = """
        CREATE INDEX IF NOT EXISTS submission_waiting ON submission (id) WHERE state = 0;
        CREATE INDEX IF NOT EXISTS submission_running ON submission (id) WHERE state = 1;
        CREATE INDEX IF NOT EXISTS submission_cancelled ON submission (id) WHERE state = 4;
        CREATE INDEX IF NOT EXISTS removal_open_batch ON removal (batch, item) WHERE state < 2;
        CREATE INDEX IF NOT EXISTS removal_batch ON removal (batch, state);
        CREATE INDEX IF NOT EXISTS removal_claimed ON removal (claimed_by) WHERE claimed_by IS NOT NULL;
        CREATE INDEX IF NOT EXISTS item_path ON item (path); -- which items are one file
        CREATE INDEX IF NOT EXISTS item_file ON item (inode, device);
        """

    private static let runnerIndex =
        "CREATE INDEX IF NOT EXISTS batch_runner ON batch (runner) WHERE runner IS NOT NULL"

    private static let version7Column = """
        ALTER TABLE submission ADD COLUMN fault INTEGER NOT NULL DEFAULT 0; -- Fault
        """

    private static let version7Index = """
        CREATE INDEX IF NOT EXISTS submission_skipped ON submission (batch)
            WHERE state = 2 AND was_there = 1 AND evidence = 'unknown' AND note IS NOT NULL;
        """

    // Numbers go on, as submissions, batches and removals have those of before.
    private static let version8 = """
        CREATE TABLE worker (                 -- who claims: alive as long as it holds its lock, see WorkerLocks
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            pid INTEGER NOT NULL              -- for people
        );
        INSERT INTO worker (id, pid) SELECT id, pid FROM process;
        INSERT INTO worker (id, pid) SELECT seq, 0 FROM sqlite_sequence WHERE name = 'process'
            ON CONFLICT DO NOTHING;
        DROP TABLE process;
        """

    private static let version9 = """
        CREATE TABLE acceptance (             -- what is being accepted, or was cut off
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            batch INTEGER NOT NULL REFERENCES batch (id),
            request TEXT NOT NULL,            -- what was asked for
            after INTEGER NOT NULL,           -- the last item when it began
            worker INTEGER                    -- who is at it
        );
        INSERT INTO acceptance (batch, request, after)
            SELECT id, request, 0 FROM batch WHERE sealed = 0 AND request IS NOT NULL;
        ALTER TABLE batch DROP COLUMN request;
        ALTER TABLE worker ADD COLUMN beat INTEGER NOT NULL DEFAULT 0; -- when it last said that it goes on

        CREATE TABLE attendance (             -- who wants to hear what becomes of a batch
            batch INTEGER NOT NULL,
            worker INTEGER NOT NULL,
            PRIMARY KEY (batch, worker)
        ) WITHOUT ROWID;
        DROP INDEX IF EXISTS batch_runner;
        ALTER TABLE batch DROP COLUMN runner;
        CREATE TABLE news (                   -- attempts that ended, of batches that another worker attends
            worker INTEGER NOT NULL,          -- that one
            submission INTEGER NOT NULL,
            PRIMARY KEY (worker, submission)
        ) WITHOUT ROWID;
        """

    private static let version10 = """
        CREATE TABLE idempotency (            -- what has been accepted under a key of its sender's
            key TEXT PRIMARY KEY,
            item INTEGER NOT NULL REFERENCES item (id)
        ) WITHOUT ROWID;
        """

    // What is due of all batches comes in one order: fresh ones as they were accepted, then those that wait for a time.
    private static let version9Indexes = """
        DROP INDEX IF EXISTS submission_queued;
        CREATE INDEX IF NOT EXISTS submission_due ON submission (destination, not_before, id, batch) WHERE state = 0;
        """

    private static let version11 = """
        ALTER TABLE acceptance ADD COLUMN key TEXT;      -- by what whoever is at it knows it again
        ALTER TABLE acceptance ADD COLUMN portions INTEGER NOT NULL DEFAULT 0; -- how many times something was accepted for it
        ALTER TABLE acceptance ADD COLUMN first INTEGER; -- the first submission of the last time
        ALTER TABLE destination ADD COLUMN parked_by TEXT; -- the claim that found it out
        ALTER TABLE submission ADD COLUMN condemned_by TEXT; -- who failed it, as its source is another
        ALTER TABLE item ADD COLUMN acceptance INTEGER;  -- for which it was accepted; NULL: by an older version

        DROP TABLE news;
        CREATE TABLE news (                   -- attempts that ended, of batches that another worker attends
            id INTEGER PRIMARY KEY AUTOINCREMENT, -- up to which it has heard
            worker INTEGER NOT NULL,          -- that one
            submission INTEGER NOT NULL,
            UNIQUE (worker, submission)
        );
        CREATE INDEX news_worker ON news (worker); -- in the order in which they came
        """
    private static let version12 = """
        ALTER TABLE destination RENAME COLUMN parked TO hold_reason;
        ALTER TABLE destination RENAME COLUMN parked_until TO hold_until;
        ALTER TABLE destination RENAME COLUMN parkings TO holds;
        ALTER TABLE destination RENAME COLUMN parked_by TO held_by;
        ALTER TABLE batch RENAME COLUMN sealed TO complete;
        """

    private static let version14 = """
        CREATE INDEX IF NOT EXISTS idempotency_item ON idempotency (item);
        CREATE TRIGGER IF NOT EXISTS submission_forgotten AFTER DELETE ON submission BEGIN
            UPDATE tally SET count = count - 1, bytes = bytes - (SELECT size FROM item WHERE id = OLD.item)
                WHERE batch = OLD.batch AND destination = OLD.destination AND state = OLD.state;
            DELETE FROM tally
                WHERE batch = OLD.batch AND destination = OLD.destination AND state = OLD.state AND count = 0;
        END;
        """

    private static let version16Column = """
        ALTER TABLE submission ADD COLUMN counted INTEGER NOT NULL DEFAULT 0; -- turned by whoever counts its move in tally
        """

    private static let version17 = """
        ALTER TABLE batch ADD COLUMN priority INTEGER NOT NULL DEFAULT 0; -- above 0: before others; below: after them
        CREATE INDEX batch_prioritised ON batch (id) WHERE priority <> 0;
        """

    private static let version18 = """
        ALTER TABLE submission ADD COLUMN recipe TEXT;  -- NULL: what is usual when it is sent
        CREATE TABLE rendition (                        -- what was made by it last
            submission INTEGER PRIMARY KEY REFERENCES submission (id),
            engine TEXT NOT NULL,
            size INTEGER NOT NULL,
            kind TEXT NOT NULL,
            mime TEXT NOT NULL,
            extension TEXT NOT NULL,
            sha256 BLOB NOT NULL,
            sha1 BLOB,
            md5 BLOB,
            crc32c BLOB
        );
        """

    // Before a row changes all of a trigger is made ready, also where it need not run: what it does is in a trigger of its own.
    private static let version16Triggers = """
        DROP TRIGGER IF EXISTS submission_accepted;
        DROP TRIGGER IF EXISTS submission_moved;
        DROP VIEW IF EXISTS tally_move;
        CREATE VIEW tally_move (batch, destination, item, before, after) AS SELECT 0, 0, 0, 0, 0 WHERE 0;
        CREATE TRIGGER tally_moved INSTEAD OF INSERT ON tally_move BEGIN
            UPDATE tally SET count = count - 1, bytes = bytes - (SELECT size FROM item WHERE id = NEW.item)
                WHERE batch = NEW.batch AND destination = NEW.destination AND state = NEW.before;
            DELETE FROM tally
                WHERE batch = NEW.batch AND destination = NEW.destination AND state = NEW.before AND count = 0;
            INSERT INTO tally VALUES
                (NEW.batch, NEW.destination, NEW.after, 1, (SELECT size FROM item WHERE id = NEW.item))
                ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER submission_accepted AFTER INSERT ON submission WHEN NEW.counted = 0 BEGIN
            INSERT INTO tally_move VALUES (NEW.batch, NEW.destination, NEW.item, NULL, NEW.state);
        END;
        CREATE TRIGGER submission_moved AFTER UPDATE OF state ON submission
            WHEN OLD.state <> NEW.state AND OLD.counted = NEW.counted
        BEGIN
            INSERT INTO tally_move VALUES (OLD.batch, OLD.destination, OLD.item, OLD.state, NEW.state);
        END;
        """
}
