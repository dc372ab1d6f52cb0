extension JournalSchema {
    /// The tables of the catalogue.
    ///
    /// A number that is greater came later: rows and links are in the order of the feed as they lie. Texts are in NFC, `_folded`
    /// ones as ``TextFolding`` folds them. Copies are not written down a second time: they are what submissions say.
    static let catalogue = """
        CREATE TABLE picture (
            id INTEGER PRIMARY KEY,           -- of its first item that was published: in the order of acceptance
            sha256 BLOB NOT NULL UNIQUE,
            name TEXT NOT NULL,
            name_folded TEXT NOT NULL,
            title TEXT,
            title_folded TEXT,
            caption TEXT,
            caption_folded TEXT,
            kind TEXT NOT NULL,               -- MediaKind
            type TEXT NOT NULL,               -- MIME
            size INTEGER NOT NULL,
            width INTEGER,
            height INTEGER,
            lat REAL,
            lng REAL,                         -- with lat, or NULL with it
            place TEXT,                       -- how people call it
            place_folded TEXT,
            place_shown INTEGER NOT NULL DEFAULT 0, -- to others
            captured INTEGER,                 -- seconds since 1970, as the camera's clock showed it
            captured_offset INTEGER,          -- seconds east of UTC, where it is known
            accepted INTEGER NOT NULL,        -- by our clock
            owner TEXT NOT NULL,
            revision INTEGER NOT NULL DEFAULT 1 -- grows with each edit
        );
        CREATE INDEX picture_owner ON picture (owner);
        CREATE INDEX picture_owner_captured ON picture (owner, captured);
        CREATE INDEX picture_kind ON picture (kind);
        CREATE INDEX picture_type ON picture (type);
        CREATE INDEX picture_captured ON picture (captured);
        CREATE INDEX picture_accepted ON picture (accepted);
        CREATE INDEX picture_near ON picture (lat, lng) WHERE lat IS NOT NULL;

        CREATE TABLE picture_gone (           -- what was forgotten: it is not taken in again by itself
            id INTEGER PRIMARY KEY,
            sha256 BLOB NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            gone INTEGER NOT NULL,            -- when, by our clock
            revision INTEGER NOT NULL,
            width INTEGER,                    -- what its bytes told: nobody reads them again
            height INTEGER,
            lat REAL,
            lng REAL,
            captured INTEGER,
            captured_offset INTEGER
        );
        CREATE TABLE picture_revision (       -- edits of what people say of it
            picture INTEGER NOT NULL,         -- also of one that is gone
            revision INTEGER NOT NULL,
            edited INTEGER NOT NULL,          -- when, by our clock
            editor TEXT NOT NULL,
            change TEXT NOT NULL,             -- PictureRevision.Edit in JSON, by field
            PRIMARY KEY (picture, revision)
        ) WITHOUT ROWID;

        CREATE TABLE document_revision (      -- of what is told to destinations that keep a catalogue: its content's own
            document TEXT NOT NULL,
            generation INTEGER NOT NULL,
            digest TEXT NOT NULL,
            PRIMARY KEY (document, generation)
        ) WITHOUT ROWID;
        CREATE TABLE follower (               -- a destination that keeps a catalogue
            destination TEXT PRIMARY KEY
        ) WITHOUT ROWID;
        CREATE TABLE untold (                 -- what a follower has yet to hear of a picture that was sent there
            destination TEXT NOT NULL,
            picture INTEGER NOT NULL,         -- also of one that is gone
            changes INTEGER NOT NULL DEFAULT 1, -- since it was told of
            code TEXT,                        -- why it is not told before it changes again
            sentence TEXT,
            PRIMARY KEY (destination, picture)
        ) WITHOUT ROWID;

        CREATE TABLE catalogue (              -- one row: what was accepted before there was a catalogue is taken in behind all else
            taken INTEGER NOT NULL,           -- up to this item
            until INTEGER NOT NULL            -- of these
        );
        INSERT INTO catalogue SELECT 0, ifnull(max(id), 0) FROM item;

        CREATE TABLE tag (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            folded TEXT NOT NULL
        );
        CREATE TABLE picture_tag (
            tag INTEGER NOT NULL REFERENCES tag (id),
            picture INTEGER NOT NULL REFERENCES picture (id),
            position INTEGER NOT NULL,        -- among the picture's own
            PRIMARY KEY (tag, picture)
        ) WITHOUT ROWID;
        CREATE INDEX picture_tag_picture ON picture_tag (picture);

        CREATE TABLE album (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            folded TEXT NOT NULL
        );
        CREATE TABLE picture_album (
            album INTEGER NOT NULL REFERENCES album (id),
            picture INTEGER NOT NULL REFERENCES picture (id),
            position INTEGER NOT NULL,        -- among the picture's own
            PRIMARY KEY (album, picture)
        ) WITHOUT ROWID;
        CREATE INDEX picture_album_picture ON picture_album (picture);

        CREATE TABLE picture_item (           -- what was accepted of a picture: once or more
            item INTEGER PRIMARY KEY REFERENCES item (id),
            picture INTEGER NOT NULL REFERENCES picture (id)
        );
        CREATE INDEX picture_item_picture ON picture_item (picture);
        CREATE VIEW picture_copy (picture, submission, destination, evidence, url, remote_id) AS
            SELECT picture_item.picture, submission.id, submission.destination, submission.evidence, submission.url,
                submission.remote_id
            FROM picture_item CROSS JOIN submission ON submission.item = picture_item.item
            WHERE +submission.state = 2 AND submission.evidence IS NOT NULL -- nor is it another file of its name
                AND NOT (submission.was_there = 1 AND submission.evidence = 'unknown' AND submission.note IS NOT NULL);

        CREATE TABLE picture_unsearched (     -- whose words are still to be written down, or anew
            picture INTEGER PRIMARY KEY
        );
        CREATE TABLE picture_words (          -- see TextFolding.searchable
            picture INTEGER PRIMARY KEY REFERENCES picture (id),
            words TEXT NOT NULL,
            place TEXT NOT NULL               -- apart: not all are shown it
        );
        CREATE VIRTUAL TABLE picture_search USING fts5 (
            words, place, content = 'picture_words', content_rowid = 'picture', tokenize = 'trigram case_sensitive 1'
        );
        CREATE TRIGGER picture_words_written AFTER INSERT ON picture_words BEGIN
            INSERT INTO picture_search (rowid, words, place) VALUES (NEW.picture, NEW.words, NEW.place);
        END;
        \(wordsRemoved)
        """

    /// The tags and albums of a picture lie in their order, and its own rows need not be looked up for them.
    static let linkOrder = """
        DROP INDEX IF EXISTS picture_tag_picture;
        CREATE INDEX picture_tag_picture ON picture_tag (picture, position);
        DROP INDEX IF EXISTS picture_album_picture;
        CREATE INDEX picture_album_picture ON picture_album (picture, position);
        """

    static let wordsRemoved = """
        CREATE TRIGGER picture_words_removed AFTER DELETE ON picture_words BEGIN
            INSERT INTO picture_search (picture_search, rowid, words, place)
                VALUES ('delete', OLD.picture, OLD.words, OLD.place);
        END;
        """
}
