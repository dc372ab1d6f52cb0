internal import FoundationEssentials
internal import Submit
internal import SubmitHTTP

/// What stands there of a document: the revision that wins among its leaves, and whether that is a tombstone.
struct StandingRevision: Sendable, Hashable {
    var revision: String
    var isDeleted: Bool
}

/// `_all_docs` (docs.couchdb.org, `/{db}/_all_docs`).
struct DocumentRows: Decodable {
    struct Row: Decodable {
        struct Value: Decodable {
            let rev: String
            let deleted: Bool?
        }
        struct Content: Decodable {
            /// Those that a picture is in; somebody else may have made something else of it.
            let albums: [String]

            enum CodingKeys: CodingKey {
                case albums
            }

            init(from decoder: any Decoder) throws {
                albums = (try? decoder.container(keyedBy: CodingKeys.self).decode([String].self, forKey: .albums)) ?? []
            }
        }
        let id: String?
        let key: String?
        /// `null` of what was deleted without a trace.
        let value: Value?
        let error: String?
        let doc: Content?
    }
    let rows: [Row]
}

/// `_revs_diff`: what is not there, by document. One of which all is there is not named.
typealias MissingRevisions = [String: MissingRevision]

struct MissingRevision: Decodable {
    let missing: [String]
    /// Leaves of it that are shorter than what is missing, deleted ones too.
    let ancestors: [String]?

    enum CodingKeys: String, CodingKey {
        case missing
        case ancestors = "possible_ancestors"
    }
}

/// A row of what `_bulk_docs` answers: of `new_edits:false` there are rows of errors only.
struct WriteRow: Decodable {
    let id: String?
    let error: String?
    let reason: String?
}

/// `GET /{db}`.
struct DatabaseFacts: Decodable {
    let name: String
    /// Documents that are not deleted.
    let count: Int

    enum CodingKeys: String, CodingKey {
        case name = "db_name"
        case count = "doc_count"
    }
}

/// An answer that says what is wrong.
struct CouchError: Decodable {
    let error: String
    let reason: String?
}

/// What `GET /{db}/{id}` says besides the body.
struct StoredDocument: Decodable {
    /// docs.couchdb.org, `/{db}/{docid}`, “Attachments”.
    struct Attachment: Decodable, Sendable {
        /// `md5-` and base64: of what the database stores, which it may have compressed.
        let digest: String?
        /// Bytes, of what was sent.
        let length: Int64?
        /// How it is stored, where that is not as it was sent: `gzip`.
        let encoding: String?
        let encodedLength: Int64?

        enum CodingKeys: String, CodingKey {
            case digest, length, encoding
            case encodedLength = "encoded_length"
        }
    }
    let revision: String
    let type: String?
    let attachments: [String: Attachment]?
    /// Other revisions that are there and lose.
    let conflicts: [String]?

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        revision = try members.decode(String.self, forKey: .revision)
        attachments = try members.decodeIfPresent([String: Attachment].self, forKey: .attachments)
        conflicts = try members.decodeIfPresent([String].self, forKey: .conflicts)
        // What is no member of the database's own is what somebody wrote.
        type = try? members.decode(String.self, forKey: .type)
    }

    enum CodingKeys: String, CodingKey {
        case type
        case conflicts = "_conflicts"
        case revision = "_rev"
        case attachments = "_attachments"
    }
}

extension HTTPResponse {
    /// The body as this; `nil` where it is something else, or was cut.
    func json<Value: Decodable>(_ type: Value.Type) -> Value? {
        try? JSONDecoder().decode(type, from: Data(body))
    }
}
