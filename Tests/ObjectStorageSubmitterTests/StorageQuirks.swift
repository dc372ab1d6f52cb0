import Submit
import SubmitHTTP

@testable import ObjectStorageSubmitter

extension FakeUploads {
    /// In what a server differs from S3. The lines named are of the snapshots that `Worlds/Manners.md` names.
    enum Quirk: String, Sendable, Hashable, CaseIterable {
        /// rclone serve s3 1.75 (cmd/serve/s3/serve_s3.md, "Supported operations").
        case listsNoParts, listsNoUploads
        /// ETags are other hexadecimal digits (R2 until 2023: s3tools/s3cmd#1273; S3Proxy, Quirks.java:110-113), or as many
        /// of them as of an MD5 (rclone serve s3 with xxh128: fs/hash/hash.go:103).
        case opaqueETags, misleadingETags
        /// A Complete that fails is the end of the upload: gofakes3.go:1010-1018, rclone 1.75 (multipart.go:381-396).
        case failedCompleteEnds
        /// An upload stays when it is completed, and can be completed again: OpenStack s3api where its marker stays
        /// (multi_upload.py:811-867), SeaweedFS to 4.47 (seaweedfs#10663).
        case keepsCompleted
        /// Complete says yes to what is not done (civitai/civitai#3782, of an unnamed server), or to less (none is known).
        case storesNothing, storesLess
        /// The first abort leaves the parts that are there: Amazon's reference on AbortMultipartUpload.
        case abortsTwice
        /// No abort is ever the end of an upload. No server is known; near it: ceph/ceph#28724.
        case abortsNever
        /// Lists the parts of an upload that is completed: OpenStack s3api (multi_upload.py:100-146, 514-618).
        case listsCompleted
        /// An upload is completed only the second time, and an abort before takes its object's parts along: OpenStack s3api
        /// (multi_upload.py:623-662), cloudserver (scality/cloudserver#5691).
        case closesLate
        /// The same, and the object stays to look at: cloudserver to 8.8.34 (abortMultipartUpload.js:88-127), SeaweedFS to
        /// 4.47 (seaweedfs#11382).
        case abortHollows
        /// Takes no `If-Match` when an upload is completed: OpenStack s3api (multi_upload.py:674-678).
        case refusesMatch
        /// Says that a list of parts goes on and not where. No server is known.
        case namesNoMarker
        /// Answers have other root elements and no namespace: rclone serve s3 (gofakes3 messages.go:73-78).
        case foreignRoots
        /// Answers a new upload with 200 and says nothing of its id. No server is known.
        case namesNoUpload
        /// Ranges come with the status 200 and `Content-Range`: rclone serve s3 (gofakes3 range.go:14-21), lakeFS#6100.
        case rangesWith200
        /// Ranges come from the beginning, and `Content-Range` says so. No server is known.
        case otherRanges

        /// Says yes to the Complete of an upload that it does not know where any object is: versitygw (posix.go:1990-2023).
        case completesUnknown
        /// A Complete outlives its request. Until it is done nobody knows the upload (versitygw, posix.go:2074-2077), or
        /// each further one is 500 (Ceph, ceph#16767).
        case hidesWhileCompleting, busyCompleting
        /// The first Complete ends the upload with 403 of a quota: Garage 1.2 (multipart.rs:408-414).
        case quotaEndsUpload
        /// The first Complete is 503, and the parts are gone: MinIO (erasure-multipart.go:1453-1466).
        case failedCompleteLosesParts
        /// The first Complete says in an answer with 200 that it went wrong: Amazon S3, OpenStack s3api
        /// (multi_upload.py:801-884).
        case errorIn200
        /// Says yes to a Complete that was done, and does nothing: Amazon S3 (adobe/S3Mock#2586), SeaweedFS
        /// (filer_multipart.go:379-386).
        case completesAgain
        /// The list of parts is empty: MinIO of 2017 (minio#4792).
        case listsPartsEmpty
        /// Says yes to the abort of what it does not know: MinIO (object-multipart-handlers.go:1138-1148), cloudserver.
        case abortsAnything
        /// Lists uploads without their times, whose keys are not encoded though it says so: SeaweedFS
        /// (filer_multipart.go:1030-1076).
        case uploadsWithoutTime, claimsEncoding
        /// The first PUT or Complete of a key is 503, and shows a while later: Backblaze B2 and others behind a front
        /// (Amazon's reference: a 5xx says nothing of what was done).
        case storesAnd503
        /// What was stored shows a while later: rclone serve s3 before 1.75 (v1.74.0 backend.go:130-133).
        case headsLag
        /// R2 to clients that take gzip (async-aws/aws#2077, rclone#8137).
        case headsWithoutLength
        /// A HEAD has another ETag than the PUT (Ozone, ObjectEndpoint.java:607-613; rclone serve s3), or an empty one
        /// (versitygw, posix.go:5242-5245).
        case etagsDifferOnHead, emptyETagsOnHead
        /// ETags of objects in parts are 32 digits of anything: Riak CS (riak_cs#855), GCS.
        case otherWholeETags
        /// Objects in parts have none of their metadata: GCS (ClickHouse#118829).
        case dropsUploadMetadata
        /// Metadata are forgotten after a while: rclone serve s3 (backend.go:178-181).
        case forgetsMetadata
        /// A PUT names a version that a HEAD does not: Garage 1.2 (put.rs:114-116).
        case versionOnPutOnly
        /// Riak CS before its #304, caches in front.
        case ignoresRange
        /// Keys are the same whatever their case: MinIO on Windows and macOS (minio#18787, #19588).
        case foldsCase
        /// Takes `If-None-Match` and no `If-Match`: OpenStack s3api from 2.36 (s3request.py:1648-1653).
        case putRefusesMatch
        /// A PUT over an object is 409: Hitachi HCP without versions (s3fs-fuse#436).
        case conflictsOverwrite
        /// A PUT that is older than what is there, by the server's clocks, is 200 without an ETag, and nothing: OpenStack
        /// s3api (controllers/obj.py:186-199).
        case losesRaceWith200
        /// A page for people where nothing is: nginx, and fronts.
        case pageWhereAbsent
        /// Of conditions on PUT that do not hold every other one is heeded, only those of up to 200 bytes, or only those on
        /// what was stored a while ago. No server is known.
        case heedsEveryOther, heedsSmallOnly, heedsLate
        /// A PUT whose condition does not hold is 200, and nothing; or it is 412, and replaces. No server is known.
        case keepsAndSays200, replacesAndSays412
        /// 403 for what is not there: Amazon S3 to who may not list the bucket (HeadObject in its reference).
        case absentIs403
    }
}

/// What not all of a server knows yet.
struct StorageNodes: Sendable {
    /// By key: the request from which on an object shows, or has forgotten its metadata.
    var shows: [String: Int] = [:]
    var forgets: [String: Int] = [:]
    /// Completed, and there from the request of this number on, by id.
    var completing: [String: Completing] = [:]
    /// What went wrong once and does not any more.
    var once: Set<String> = []
    var puts = 0
    /// By key: how many conditions did not hold, and the request that stored it.
    var conditions: [String: Int] = [:]
    var born: [String: Int] = [:]

    /// For so many requests.
    static let lag = 9

    struct Completing: Sendable {
        var key: String
        var object: FakeStorage.Object
        /// What was there when it began.
        var old: [UInt8]?
        var due: Int
    }
}

extension FakeStorage {
    /// What comes between; the answer where it is one.
    static func meet(_ trouble: BucketTrouble?, _ sent: Sent, _ state: inout State) -> HTTPResponse? {
        switch trouble {
        case nil: return nil
        case .slowDown: return .error(503, "SlowDown")
        case .skewed:
            return .error(403, "RequestTimeTooSkewed", headers: [("Date", HTTPDate.format(.now))])
        case .redirected: return .error(307, "TemporaryRedirect")
        case .busy: return .error(409, "OperationAborted")
        case .page:
            return HTTPResponse(status: 200, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8))
        case .quota: return ["PUT", "POST"].contains(sent.method) ? .error(507, "XMinioStorageFull") : nil
        case .forgetsUploads: state.uploads.open = state.uploads.open.filter { state.nodes.completing[$0.key] != nil }
        case .rival:
            let key = state.uploads.name(state.rivalKey)
            guard state.objects[key] == nil, ["HEAD", "PUT"].contains(sent.method) else { return nil }
            state.theirs[key] = [1, 2, 3]
            state.objects[key] = Object(bytes: [1, 2, 3], headers: [])
        }
        return nil
    }

    /// Time passes, in which all of the server learns what there is.
    func settle() {
        change { state in
            state.nodes.shows = [:]
            Self.pass(.max, &state)
        }
    }

    /// What was under way is done, up to the request of this number.
    static func pass(_ number: Int, _ state: inout State) {
        for (id, one) in state.nodes.completing where one.due <= number {
            // Who came meanwhile stays: that two come to one key at once is another matter.
            if state.objects[one.key]?.bytes == one.old { state.objects[one.key] = one.object }
            state.nodes.completing[id] = nil
            state.uploads.close(id)
        }
    }

    /// What a server of these manners answers before it looks at what is asked; `nil` for nothing of its own.
    static func manneredAnswer(_ sent: Sent, _ key: String, _ state: State) -> HTTPResponse? {
        guard ["HEAD", "GET"].contains(sent.method) else { return nil }
        let isShown = state.nodes.shows[key] ?? 0 <= state.sent.count
        if isShown, state.objects[key] != nil { return nil }
        let quirks = state.uploads.quirks
        var answer = HTTPResponse.error(404, "NoSuchKey")
        if quirks.contains(.absentIs403) { answer = .error(403, "AccessDenied") }
        if quirks.contains(.pageWhereAbsent) {
            let page = Array("<html><h1>404 Not Found</h1></html>".utf8)
            answer = HTTPResponse(status: 404, headers: [("Content-Type", "text/html")], body: page)
        }
        if sent.method == "HEAD" { answer.body = [] }
        return answer
    }

    /// What is told of an object by a server of these manners.
    static func mannered(
        _ headers: [(name: String, value: String)], of object: Object, _ sent: Sent, _ key: String, _ state: State
    ) -> [(name: String, value: String)] {
        let quirks = state.uploads.quirks
        return headers.compactMap { name, value in
            switch name {
            case "ETag" where quirks.contains(.etagsDifferOnHead): (name, "\"\(object.bytes.sha256.prefix(32))\"")
            case "ETag" where quirks.contains(.emptyETagsOnHead): (name, "\"\"")
            case "Content-Length" where quirks.contains(.headsWithoutLength) && sent.method == "HEAD": nil
            case _ where name.hasPrefix("x-amz-meta-") && state.nodes.forgets[key] ?? .max <= state.sent.count: nil
            default: (name, value)
            }
        }
    }

    /// What becomes of an answer about an object that was stored.
    static func mannered(_ answer: HTTPResponse, storedAt key: String, _ state: inout State) -> HTTPResponse {
        guard answer.status < 300 else { return answer }
        let (quirks, later) = (state.uploads.quirks, state.sent.count + StorageNodes.lag)
        if quirks.contains(.headsLag), state.nodes.shows[key] == nil { state.nodes.shows[key] = later }
        if quirks.contains(.forgetsMetadata) { state.nodes.forgets[key] = later }
        if quirks.contains(.storesAnd503), state.nodes.once.insert("503 " + key).inserted {
            state.nodes.shows[key] = later
            return .error(503, "ServiceUnavailable")
        }
        guard quirks.contains(.versionOnPutOnly) else { return answer }
        var answer = answer
        answer.headers.append(("x-amz-version-id", "0123456789abcdef"))
        return answer
    }

    /// What a PUT meets that is to replace nothing, where something is; `nil` where it is stored all the same.
    static func manneredAnswer(toConditionOf body: [UInt8], at key: String, _ state: inout State) -> HTTPResponse? {
        let quirks = state.uploads.quirks
        state.nodes.conditions[key, default: 0] += 1
        if quirks.contains(.heedsEveryOther), state.nodes.conditions[key, default: 0] % 2 == 0 { return nil }
        if quirks.contains(.heedsSmallOnly), body.count > 200 { return nil }
        if quirks.contains(.heedsLate), state.sent.count < state.nodes.born[key, default: 0] + StorageNodes.lag {
            return nil
        }
        if quirks.contains(.keepsAndSays200) {
            return HTTPResponse(status: 200, headers: [("ETag", "\"\(body.md5)\"")])
        }
        if quirks.contains(.replacesAndSays412) { state.objects[key] = Object(bytes: body, headers: []) }
        return .error(412, "PreconditionFailed")
    }

    /// What a PUT meets at a server of these manners; `nil` where it is stored.
    static func manneredRefusal(_ sent: Sent, _ key: String, _ state: inout State) -> HTTPResponse? {
        let quirks = state.uploads.quirks
        if quirks.contains(.putRefusesMatch), sent["if-match"] != nil { return .error(501, "NotImplemented") }
        guard state.objects[key] != nil else { return nil }
        if quirks.contains(.conflictsOverwrite) { return .error(409, "Conflict") }
        state.nodes.puts += 1
        // Every other one comes from where the clock is behind.
        let isLate = quirks.contains(.losesRaceWith200) && state.nodes.puts % 2 == 1 && sent["if-none-match"] == nil
        return isLate ? HTTPResponse(status: 200) : nil
    }
}

extension FakeUploads {
    /// What Garage says of a quota (src/api/s3/put.rs, `check_quotas`).
    static let quotaReached =
        "Forbidden: Bucket size quota is reached, maximum total size of objects for this bucket: 1000"

    /// What a key is called.
    func name(_ key: String) -> String { quirks.contains(.foldsCase) ? key.lowercased() : key }

    /// What a Complete meets at a server of these manners; `nil` where it is done.
    mutating func manneredFailure(_ id: String, _ nodes: inout StorageNodes) -> HTTPResponse? {
        let key = open[id]?.key ?? ""
        func isFirst(_ quirk: Quirk) -> Bool {
            quirks.contains(quirk) && nodes.once.insert("\(quirk) \(key)").inserted
        }
        if isFirst(.errorIn200) {
            return .error(200, "InternalError")
        }
        if isFirst(.failedCompleteLosesParts) {
            open[id]?.parts = [:]
            return .error(503, "SlowDownWrite")
        }
        // There is room for the next.
        if isFirst(.quotaEndsUpload) {
            open[id] = nil
            return HTTPResponse(status: 403, body: HTTPResponse.xml("AccessDenied", message: Self.quotaReached))
        }
        return nil
    }
}
