public import Submit
internal import SubmitHTTP

/// Puts media items into a bucket of an S3-compatible object storage.
///
/// An item is stored whole or not at all, with its content type and its SHA-256, dates and caption as metadata.
/// Nothing else is replaced unless that is asked for: what holds the key is looked at first, and servers that know how
/// are told to store only where nothing is. An object that is there with the same bytes counts as done. Receipts name
/// the key. Their evidence is ``Evidence/verified`` where the server's ETag is the item's MD5 or the bytes were read
/// back, ``Evidence/echoed`` where it hands out our SHA-256 and the right size, and ``Evidence/size`` where only that.
public struct ObjectStorageSubmitter: Submitter {
    public let capabilities: Capabilities
    public let facets: Facets

    private let bucket: Bucket
    private let prefix: String
    private let template: PathTemplate
    private let put: SinglePut
    private let creation: BucketCreation?

    /// For all destinations: two may be the same bucket.
    private static let claims = Claims()

    /// How many names are tried before it is given up.
    private static let mostNames = 10_000

    /// How often one key is looked at again because others store there at the same time.
    private static let mostRounds = 4

    init(
        bucket: Bucket, prefix: String, template: PathTemplate, headers: ObjectHeaders, createsBucket: Bool, jobs: Int
    ) {
        self.bucket = bucket
        self.prefix = prefix
        self.template = template
        put = SinglePut(bucket: bucket, headers: headers)
        creation = createsBucket ? BucketCreation(bucket) : nil
        capabilities = Self.capabilities(jobs: jobs)
        facets = Facets(
            albums: KeyPrefixAlbums(bucket: bucket, prefix: prefix), presence: ObjectPresence(bucket: bucket))
    }

    static func capabilities(jobs: Int) -> Capabilities {
        Capabilities(
            ordering: .concurrent(jobs),
            maximumSize: Dictionary(uniqueKeysWithValues: MediaKind.allCases.map { ($0, SinglePut.maximumSize) }),
            albums: true, requiresNetwork: true, digests: [.sha256, .md5], usesCaptureTime: true)
    }

    public func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        try await creation?.ensure()
        let wanted = ObjectKey(prefix: prefix, parts: template.render(item, album: context.album))
        for number in 0..<Self.mostNames {
            let key = number == 0 ? wanted : wanted.numbered(number)
            try key.checkLength()
            if var receipt = try await place(item, bytes, at: key.text, context: context) {
                if number > 0 {
                    let renamed = "“\(wanted.text)” holds other bytes, so it has the key “\(key.text)”."
                    receipt.note = receipt.note.map { "\(renamed) \($0)" } ?? renamed
                }
                return receipt
            }
            switch context.onConflict {
            case .rename, .overwrite: continue
            case .skip:
                return Receipt(
                    remoteID: key.text, url: bucket.url(of: key.text), evidence: .unknown, wasThere: true,
                    note: "“\(key.text)” holds other bytes; they were left alone and nothing was stored.")
            case .fail:
                throw SubmitFailure(
                    .giveUp, code: "name-taken",
                    "“\(key.text)” holds other bytes in the bucket “\(bucket.name)”: rename “\(item.name)” or them.")
            }
        }
        throw SubmitFailure(
            .giveUp, code: "name-taken",
            "“\(wanted.text)” and \(Self.mostNames - 1) names like it hold other bytes in the bucket "
                + "“\(bucket.name)”: rename “\(item.name)”.")
    }

    /// Puts the item under one key; `nil` where other bytes are that may not be replaced.
    private func place(
        _ item: MediaItem, _ bytes: any MediaBytes, at key: String, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt? {
        let url = bucket.url(of: key)
        try await Self.claims.take(url)
        defer { Self.claims.release(url) }
        let replaces = context.onConflict == .overwrite
        for _ in 0..<Self.mostRounds {
            if let object = try await bucket.object(key, file: item.name) {
                if let evidence = try await evidence(that: object, at: key, is: item, bytes) {
                    return Receipt(remoteID: key, url: url, evidence: evidence, wasThere: true)
                }
                if !replaces { return nil }
            }
            let outcome = try await put.store(item, bytes, at: key, replaces: replaces, context: context)
            if case .stored(let evidence, let note) = outcome {
                return Receipt(remoteID: key, url: url, evidence: evidence, note: note)
            }
        }
        throw SubmitFailure(
            .retry(afterMilliseconds: nil), code: "conflict",
            "Others store under the key “\(key)” at the same time as “\(item.name)”: try again.")
    }

    /// How sure it is that an object is the item; `nil` if it is another.
    private func evidence(
        that object: StoredObject, at key: String, is item: MediaItem, _ bytes: any MediaBytes
    ) async throws(SubmitFailure) -> Evidence? {
        switch object.likeness(to: item) {
        case .same(let evidence): evidence
        case .different: nil
        case .unclear, .doubtful: try await bucket.holds(bytes, at: key, file: item.name) ? .verified : nil
        }
    }

    /// A PUT that breaks leaves nothing.
    public func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {}

    public func check() async throws(SubmitFailure) -> String {
        let place = "The bucket “\(bucket.name)” at \(bucket.origin)"
        guard try await bucket.exists() else {
            if creation != nil { return "\(place) is not there yet; the first upload makes it." }
            throw SubmitFailure(
                .park(.misconfigured, afterMilliseconds: nil), code: "no-bucket",
                "\(place) is not there: check its name and the endpoint, or set “create_bucket” to true.")
        }
        return "\(place) is there."
    }
}
