internal import Submit
internal import SubmitHTTP

/// A bucket of S3 or a container of OpenStack Swift: a place that holds objects under keys.
///
/// Whoever asks learns what the server says. Nothing here is retried but what a corrected clock, region or credential
/// makes right.
protocol ObjectContainer: Sendable {
    var name: String { get }
    /// For sentences: `the bucket “photos” at https://…`.
    var place: String { get }

    /// Where uploads of ours may yet become objects; `nil` where none does that was not said to be one.
    var awaited: PendingKeys? { get }

    /// What the upload of an earlier attempt may yet become is awaited from now on.
    func expect(_ checkpoint: Checkpoint?, of item: MediaItem, by submission: String)

    /// Where an object is. Holds no credentials.
    func url(of key: String) async throws(SubmitFailure) -> String

    /// What is stored under a key; `nil` for nothing.
    ///
    /// - Parameter file: whose name belongs into a failure's sentence.
    func object(_ key: String, file: String?) async throws(SubmitFailure) -> StoredObject?

    /// Asks for an object, or for a range of it, and hands what comes to the receiver. See ``reader(of:size:file:)``.
    func get(
        _ key: String, _ range: String?, into receiver: RangeReceiver, file: String?
    ) async throws(SubmitFailure) -> HTTPResponse

    /// Throws the failure that an answer without the bytes means; returns if the server just doesn't hand them out.
    func judge(_ answer: HTTPResponse, at key: String, file: String?) throws(SubmitFailure)

    /// What is wrong with the pieces that an object is made of, where the server tells of them; `nil` for nothing.
    func flaw(in object: StoredObject, at key: String) async throws(SubmitFailure) -> Presence?

    /// Sends again what is gone of an object of ours that is made of pieces, where the server tells of them.
    ///
    /// - Returns: how many pieces were sent.
    func mend(
        _ object: StoredObject, at key: String, with item: MediaItem, _ bytes: any MediaBytes
    ) async throws(SubmitFailure) -> Int

    /// Stores an item under a key, whole or not at all.
    ///
    /// What is replaced is what was seen there, by a condition where the server heeds one.
    func store(
        _ copy: ObjectVerifier, over sight: KeyObservation, context: SubmissionContext
    ) async throws(SubmitFailure) -> StoreOutcome

    /// What is known of conditions here.
    ///
    /// - Parameter isSaidTo: the owner says that they are heeded.
    func trust(isSaidTo: Bool) async -> ConditionTrust

    /// Finds out what nobody knows of conditions here, and remembers it.
    ///
    /// - Parameter largest: bytes of the largest item that is to be stored without a look.
    /// - Returns: a sentence on what stays of it, and should not; `nil` for nothing.
    func tryConditions(upTo largest: Int64) async -> String?

    /// The ETag that the item has in parts, cut as this object seems to be; `nil` where that cannot be told.
    func etagInParts(
        of item: MediaItem, _ bytes: any MediaBytes, like object: StoredObject, at key: String
    ) async throws(SubmitFailure) -> String?

    /// Removes an object.
    func delete(_ key: String, file: String?) async throws(SubmitFailure)

    /// Removes an object and checks that it is gone. Does nothing if there is no such object.
    func remove(_ key: String) async throws(SubmitFailure)

    /// Removes the container unless there is something in it; does nothing where there is none.
    func removeIfEmpty() async throws(SubmitFailure)

    /// Removes what a broken upload of an item left, by its checkpoint, and looks that it is gone.
    ///
    /// The object that the upload may have become stays whole.
    func discard(_ checkpoint: Checkpoint, of item: MediaItem) async throws(SubmitFailure)

    /// What broken uploads left whose keys begin so.
    func leftovers(below prefix: String, sparing: [Checkpoint]) async throws(SubmitFailure) -> [Leftover]

    /// Removes one of them, and looks that it is gone.
    func remove(_ leftover: Leftover) async throws(SubmitFailure)

    /// Whether the container is there.
    func exists() async throws(SubmitFailure) -> Bool

    /// Makes the container unless it is there.
    ///
    /// - Returns: whether it had to be made.
    func create() async throws(SubmitFailure) -> Bool

    /// One page of what keys that begin with `outer` go on with, up to the next `/`.
    func prefixes(below outer: String, from continuation: String?) async throws(SubmitFailure) -> ListedPrefixes

    /// Tries the server out on a scratch object, and remembers what it does.
    ///
    /// - Returns: a sentence on what was found; `nil` where nothing had to be found out.
    func probe() async throws(SubmitFailure) -> String?

    /// Stores a small object and removes it.
    ///
    /// - Parameter prefix: what its key begins with, without a slash at its end.
    /// - Throws: why it wasn't stored, or isn't gone.
    func storeSmallObject(below prefix: String) async throws(SubmitFailure)

    /// The longest life of a link; `nil` where none can be made.
    var longestLink: Duration? { get }

    func link(to key: String, validFor life: Duration) async throws(SubmitFailure) -> String
}

/// Whether a server that is told to store only where nothing is does so.
enum ConditionTrust: Sendable {
    /// It is known for sure.
    case heeds
    /// It does not, or nobody can know.
    case ignores
    /// It can be found out.
    case untried
}

/// What is known of a key before an item is stored under it.
enum KeyObservation {
    /// It was not looked at: the item is stored only where the server itself sees to it that nothing is replaced.
    case unknown
    /// Nothing was there a moment ago.
    case nothing
    /// What may be replaced.
    case object(StoredObject)
}

extension SubmissionContext {
    /// What is seen under an item's key may be replaced.
    var replaces: Bool { options.onConflict == .overwrite }
}

/// What came of storing an item.
enum StoreOutcome {
    case stored(ObjectProof, note: String?)
    /// Something is there meanwhile, of us or of others: look again.
    case taken
}

/// All containers that one account reaches.
protocol ObjectService: Sendable {
    /// Whether the MD5 of an item proves something that nothing else does.
    var wantsMD5: Bool { get }

    /// The container of this name, without looking whether it is there.
    ///
    /// - Throws: where no container can have that name.
    func container(_ name: String) throws(SubmitFailure) -> any ObjectContainer

    /// The names of the containers there are.
    func containers() async throws(SubmitFailure) -> [String]
}

extension SubmitFailure {
    static let brokenObjectCode = "broken-object"
    /// An upload was ended again and again, and its parts stay.
    static let uploadStaysCode = "upload-stays"

    /// An object is there and cannot be read, as what it is made of is gone: OpenStack Swift answers 409 then, by S3 with
    /// the code `BrokenMPU`.
    static func brokenObject(_ key: String, in place: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: brokenObjectCode,
            message:
                "“\(key)” in \(place) cannot be read (409), as something that it is made of is gone: submit it again.")
    }
}

extension SubmitFailure {
    /// An object was to be removed and is still there, whatever the server said.
    static func notRemoved(_ key: String, in place: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "not-removed",
            message: "“\(key)” is still in \(place) though it was to be removed: try again.")
    }

    /// An object was there when it was looked at, and is not when it is read: it went, or not all of the server knows of it.
    /// That says nothing of its bytes.
    static func vanished(_ key: String, in place: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "vanished",
            message: "“\(key)” in \(place) was there and cannot be read (404): try again.")
    }
}

/// Ends an upload for who goes on without it: that a server never ends one is no reason not to store an item, nor to
/// send it again.
///
/// - Returns: a sentence for people where it stays.
func whatStaysAfter(_ end: () async throws(SubmitFailure) -> Void) async throws(SubmitFailure) -> String? {
    do throws(SubmitFailure) {
        try await end()
        return nil
    } catch  where error.code == SubmitFailure.uploadStaysCode {
        return error.message
    }
}

/// Sentences one after the other; `nil` for none.
func joined(_ sentences: String?...) -> String? {
    let told = sentences.compactMap(\.self)
    return told.isEmpty ? nil : told.joined(separator: " ")
}

extension ObjectContainer {
    /// Discards what is of no use to who goes on, and says what of it stays; `nil` for nothing.
    func whatStays(of checkpoint: Checkpoint?, item: MediaItem) async throws(SubmitFailure) -> String? {
        guard let checkpoint else { return nil }
        return try await whatStaysAfter { () async throws(SubmitFailure) in try await discard(checkpoint, of: item) }
    }

    /// Reads an object back and compares it with an item of the same size, until they differ.
    ///
    /// - Returns: whether all bytes are the same; `false` too if the server doesn't hand them out.
    func holds(_ bytes: any MediaBytes, at key: String, file: String) async throws(SubmitFailure) -> Bool {
        do throws(SubmitFailure) {
            return try await holds(bytes, in: 0..<bytes.size, at: key, file: file) ?? false
        } catch  where error.code == SubmitFailure.brokenObjectCode {
            return false
        }
    }

    /// The same for a range of it.
    ///
    /// - Returns: `nil` if the server doesn't hand it out.
    func holds(
        _ bytes: any MediaBytes, in range: Range<Int64>, at key: String, file: String
    ) async throws(SubmitFailure) -> Bool? {
        try await reader(of: key, size: bytes.size, file: file).holds(bytes, in: range)
    }

    /// Reads an object.
    ///
    /// A piece may end in bytes that are gone: a server that has begun to hand it out can only break off then. Whether its
    /// last byte can be had alone tells the two apart.
    ///
    /// - Parameter size: bytes of the object, as expected: no more is read.
    func reader(of key: String, size: Int64, file: String?) -> RangeReader {
        RangeReader(size: size) { (range, receiver) throws(SubmitFailure) in
            do throws(SubmitFailure) {
                return try await get(key, range, into: receiver, file: file)
            } catch  where error.code == "broken" && receiver.range.count > 1 {
                let end = receiver.range.upperBound
                let last = RangeReceiver(end - 1..<end, of: size)
                let answer = try await get(key, last.header, into: last, file: file)
                if last.bytes(of: answer) == nil { try judge(answer, at: key, file: file) }
                throw error
            }
        } judge: { (answer) throws(SubmitFailure) in
            try judge(answer, at: key, file: file)
        }
    }
}
