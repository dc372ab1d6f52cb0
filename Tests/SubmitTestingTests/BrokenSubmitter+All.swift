import Submit
import SubmitConcurrency

@testable import SubmitTesting

extension BrokenSubmitter {
    static let all: [BrokenSubmitter] = sources + odd + results + conflicts + reports + parts + secrets + places

    // MARK: What it takes

    private static func refusing(_ mime: String, _ promise: String) -> BrokenSubmitter {
        BrokenSubmitter("says that it takes \(mime), and does not", breaks: [promise]) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                guard item.type.mime != mime else {
                    throw SubmitFailure(.giveUp, code: "type", message: "“\(item.name)” is no picture.")
                }
                return try await sound.submit(item, bytes: bytes, context: context)
            }
        }
    }

    private static let sources: [BrokenSubmitter] = [
        BrokenSubmitter("stores a source that ended too early", breaks: ["source-ends-early"]) { deviation, sound in
            deviation.onFailure { [place = sound.place] (failure, item, bytes) throws(SubmitFailure) in
                guard failure.code == "source-changed", bytes.lacksItsEnd, place.contents[item.name] == nil else {
                    throw failure
                }
                place.put([1], as: item.name)
                return Receipt(remoteID: item.name, evidence: .verified)
            }
        },
        BrokenSubmitter(
            "stores a source that changed", breaks: ["source-changes"]
        ) { deviation, sound in
            deviation.onFailure { [place = sound.place] (failure, item, bytes) throws(SubmitFailure) in
                guard failure.code == "source-changed", !bytes.lacksItsEnd else { throw failure }
                place.put([1], as: item.name)
                return Receipt(remoteID: item.name, evidence: .verified)
            }
        },
        BrokenSubmitter(
            "says of a source that changed that the photo is bad",
            breaks: ["source-changes"]
        ) { deviation, _ in
            deviation.onFailure { (failure, _, _) throws(SubmitFailure) in
                if failure.code != "source-changed" { throw failure }
                throw SubmitFailure(.giveUp, code: "bad", message: "The photo is bad.")
            }
        },
        BrokenSubmitter(
            "lies about its digest", breaks: ["digest-differs"]
        ) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                var item = item
                if let content = try? bytes.bytes(at: 0, count: Int(bytes.size)) {
                    item.digests = ScriptedBytes(content).item(named: item.name).digests
                }
                return try await sound.submit(item, bytes: bytes, context: context)
            }
        },
        refusing("image/png", "type-png"), refusing("video/mp4", "type-mp4"),
        BrokenSubmitter(
            "stores nothing that is empty", breaks: ["size-0"]
        ) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                if item.size == 0 { throw SubmitFailure(.giveUp, code: "empty", message: "“\(item.name)” is empty.") }
                return try await sound.submit(item, bytes: bytes, context: context)
            }
        },
        BrokenSubmitter(
            "cuts what is larger than a part",
            breaks: ["part-and-a-byte", "size-65537"]
        ) { deviation, sound in
            deviation.onReceipt { [place = sound.place] receipt, _ in
                guard let copy = place.contents[receipt.remoteID], copy.count == InMemorySubmitter.partSize + 1 else {
                    return
                }
                place.put(Array(copy.dropLast()), as: receipt.remoteID)
            }
        },
    ]

    // MARK: What it takes by name

    private static let cases = ContractSuite.cases.map(\.id)

    private static let odd: [BrokenSubmitter] = [
        BrokenSubmitter(
            "takes no odd names",
            breaks: Set(cases.filter { $0.hasPrefix("name-") } + ["names-apart"])
        ) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                guard ["photo", "other.jpg", "sample.jpg"].contains(where: item.name.contains) else {
                    throw SubmitFailure(.giveUp, code: "name", message: "“\(item.name)” is an odd name.")
                }
                return try await sound.submit(item, bytes: bytes, context: context)
            }
        },
        BrokenSubmitter(
            "trips over what a caption says", breaks: ["caption"]
        ) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                if item.caption?.contains("\r\n") ?? false {
                    throw SubmitFailure(.giveUp, code: "header", message: "The caption of “\(item.name)” is no header.")
                }
                return try await sound.submit(item, bytes: bytes, context: context)
            }
        },
    ]

    // MARK: What it says of it

    private static let midst =
        "fault-midway"

    private static let results: [BrokenSubmitter] = [
        BrokenSubmitter("stores again what was stored when it was asked to slow down", breaks: [midst]) {
            deviation, sound in
            deviation.onFailure { [place = sound.place] (failure, item, _) throws(SubmitFailure) in
                if case .hold(.throttled, _) = failure.remedy, let copy = place.contents[item.name] {
                    place.put(copy, as: "again-" + item.name)
                }
                throw failure
            }
        },
        BrokenSubmitter(
            "gives up what lost a reply before it was stored",
            breaks: ["lost-any-reply"]
        ) { deviation, sound in
            deviation.onFailure { [place = sound.place] (failure, item, _) throws(SubmitFailure) in
                let isLost = failure.code == "scripted" && failure.remedy == .retry(after: nil)
                if !isLost || place.contents[item.name] != nil { throw failure }
                throw SubmitFailure(.giveUp, code: "lost", message: "“\(item.name)” is lost: send it again.")
            }
        },
        BrokenSubmitter(
            "is ended by its host for what it says of a lost reply",
            breaks: [
                "lost-any-reply",
                "lost-last-reply",
            ]
        ) { deviation, _ in
            deviation.onFailure { (failure, item, _) throws(SubmitFailure) in
                guard failure.code == "scripted", failure.remedy == .retry(after: nil) else { throw failure }
                throw SubmitFailure(
                    failure.remedy, code: "submitter-misbehaved",
                    message: "“\(item.name)” was not sent: mend the program.")
            }
        },
        BrokenSubmitter(
            "loses the error of a place without room",
            breaks: [
                "fault-full",
                "no-secret-in-failures", midst,
            ]
        ) { deviation, _ in
            deviation.onFailure { (failure, item, _) throws(SubmitFailure) in
                guard case .hold(.full, _) = failure.remedy else { throw failure }
                return Receipt(remoteID: item.name, evidence: .accepted)
            }
        },
        BrokenSubmitter(
            "renews its credentials when there is no room",
            breaks: ["fault-full", midst]
        ) { deviation, _ in
            deviation.takes(.hold(.full, after: nil), for: .renewCredentials)
        },
        BrokenSubmitter(
            "gives up what cannot be reached", breaks: ["fault-unreachable", midst]
        ) { deviation, _ in
            deviation.takes(.hold(.unreachable, after: nil), for: .giveUp)
        },
        BrokenSubmitter(
            "tries again with the credentials that were refused",
            breaks: ["fault-credentials", midst]
        ) { deviation, _ in
            deviation.takes(.renewCredentials, for: .retry(after: nil))
        },
        BrokenSubmitter(
            "tries again at once when it is asked to slow down",
            breaks: ["fault-throttled", midst]
        ) { deviation, _ in
            deviation.takes(.hold(.throttled, after: nil), for: .retry(after: .zero))
        },
        BrokenSubmitter(
            "gives up each photo for what is wrong with the place",
            breaks: ["fault-misconfigured"]
        ) { deviation, _ in
            deviation.takes(.hold(.misconfigured, after: nil), for: .giveUp)
        },
        BrokenSubmitter(
            "fails without a sentence", breaks: ["conflict-fail"]
        ) { deviation, _ in
            deviation.onFailure { (failure, _, _) throws(SubmitFailure) in
                if failure.code != "name-taken" { throw failure }
                throw SubmitFailure(failure.remedy, code: "name-taken", message: "no")
            }
        },
        BrokenSubmitter(
            "stores again after the reply was lost",
            breaks: ["lost-last-reply"]
        ) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                var item = item
                if context.attempt > 1, context.checkpoint == nil, item.size == 3 << 20 { item.name = "again.jpg" }
                return try await sound.submit(item, bytes: bytes, context: context)
            }
        },
        BrokenSubmitter(
            "ignores a cancellation", breaks: ["cancel-midway"]
        ) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                let task = Task(executorPreference: BlockingThreads.sources) {
                    () async -> Result<Receipt, SubmitFailure> in
                    do throws(SubmitFailure) {
                        return .success(try await sound.submit(item, bytes: bytes, context: context))
                    } catch {
                        return .failure(error)
                    }
                }
                return try await task.value.get()
            }
        },
        BrokenSubmitter(
            "calls a cancellation a trouble", breaks: ["cancel-midway"]
        ) { deviation, _ in
            deviation.takes(.cancelled, for: .retry(after: nil))
        },
    ]

    // MARK: Others' bytes

    private static let conflicts: [BrokenSubmitter] = [
        BrokenSubmitter(
            "replaces other bytes where it should rename",
            breaks: [
                "conflict-rename",
                "two-writers",
                "conflict-repair",
            ]
        ) { deviation, _ in
            deviation.onContext { $0.onConflict == .rename ? $0.changed(onConflict: .overwrite) : $0 }
        },
        BrokenSubmitter(
            "replaces other bytes where it should skip", breaks: ["conflict-skip"]
        ) { deviation, _ in
            deviation.onContext { $0.onConflict == .skip ? $0.changed(onConflict: .overwrite) : $0 }
        },
        BrokenSubmitter(
            "never overwrites", breaks: ["conflict-overwrite"]
        ) { deviation, _ in
            deviation.onContext { $0.onConflict == .overwrite ? $0.changed(onConflict: .rename) : $0 }
        },
        BrokenSubmitter(
            "repairs under the item's own name", breaks: ["conflict-repair"]
        ) { deviation, _ in
            deviation.onContext { context in
                var context = context
                context.disproved = nil
                return context
            }
        },
        BrokenSubmitter(
            "renames where it should fail", breaks: ["conflict-fail"]
        ) { deviation, _ in
            deviation.onContext { $0.onConflict == .fail ? $0.changed(onConflict: .rename) : $0 }
        },
        BrokenSubmitter(
            "fails for the same bytes as if they were others", breaks: ["same-bytes"]
        ) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                if context.onConflict == .fail, sound.place.contents[item.name] != nil {
                    throw SubmitFailure(.giveUp, code: "conflict", message: "There is a “\(item.name)” already.")
                }
                return try await sound.submit(item, bytes: bytes, context: context)
            }
        },
        BrokenSubmitter(
            "makes room before it has anything to put there",
            breaks: ["failure-leaves-others"]
        ) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                if context.onConflict == .overwrite,
                    sound.place.contents[item.name].map({ Int64($0.count) }) != item.size
                {
                    try await sound.place.remove(Receipt(remoteID: item.name, evidence: .unknown))
                }
                return try await sound.submit(item, bytes: bytes, context: context)
            }
        },
        BrokenSubmitter(
            "says that its copies were never there",
            breaks: ["again"]
        ) { deviation, _ in
            deviation.onReceipt { receipt, _ in receipt.wasThere = false }
        },
    ]

    // MARK: Progress and presence

    private static let reports: [BrokenSubmitter] = [
        BrokenSubmitter(
            "reports progress backwards", breaks: ["progress"]
        ) { deviation, _ in
            deviation.onContext { context in
                context.changed(sent: {
                    context.sent($0)
                    context.sent($0 / 2)
                    context.sent($0)
                })
            }
        },
        BrokenSubmitter(
            "reports no progress", breaks: ["progress"]
        ) { deviation, _ in
            deviation.onContext { $0.changed(sent: { _ in }) }
        },
        BrokenSubmitter(
            "says absent when it cannot reach", breaks: ["presence-unreachable"]
        ) { deviation, sound in
            deviation.facets.presence = Answering { [place = sound.place] item, receipt in
                let presence = await place.presence(of: item, receipt: receipt)
                if case .unknown = presence { return .absent }
                return presence
            }
        },
        BrokenSubmitter(
            "says present of anything",
            breaks: [
                "presence",
                "removal",
            ]
        ) { deviation, sound in
            deviation.facets.presence = Answering { [place = sound.place] item, receipt in
                let presence = await place.presence(of: item, receipt: receipt)
                return presence == .absent ? .present(.size) : presence
            }
        },
        BrokenSubmitter(
            "calls verified what it only counted", breaks: ["presence-other-bytes"]
        ) { deviation, sound in
            deviation.facets.presence = Answering { [place = sound.place] item, receipt in
                let presence = await place.presence(of: item, receipt: receipt)
                return presence == .changed(.digest) ? .present(.verified) : presence
            }
        },
        BrokenSubmitter(
            "calls changed what is not there",
            breaks: [
                "presence",
                "removal",
            ]
        ) { deviation, sound in
            deviation.facets.presence = Answering { [place = sound.place] item, receipt in
                let presence = await place.presence(of: item, receipt: receipt)
                return presence == .absent ? .changed(.digest) : presence
            }
        },
        BrokenSubmitter("has no evidence", breaks: Set(cases.filter { $0.hasPrefix("size-") || $0.hasPrefix("part-") }))
        { deviation, _ in
            deviation.onReceipt { receipt, context in
                if context.verification == .usual { receipt.evidence = .unknown }
            }
        },
        BrokenSubmitter("reads nothing back though it says so", breaks: ["readback"]) {
            deviation, _ in
            deviation.onReceipt { receipt, context in
                if context.verification == .readback { receipt.evidence = .size }
            }
        },
        BrokenSubmitter("has facts without facets", breaks: ["facts-agree"]) { deviation, _ in
            deviation.capabilities.supportsAlbums = false
        },
        BrokenSubmitter("checks by leaving something there", breaks: ["check-leaves-nothing"]) { deviation, sound in
            deviation.checks = { () async throws(SubmitFailure) in
                sound.place.put([1], as: "check")
                return try await sound.check()
            }
        },
    ]

    // MARK: Broken submissions

    private static let fromCheckpoints =
        "resume-midway"

    private static let parts: [BrokenSubmitter] = [
        BrokenSubmitter("sends parts again that had landed", breaks: [fromCheckpoints], resumes: true) {
            deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                if context.checkpoint != nil { try await sound.discard(item, context: context) }
                return try await sound.submit(item, bytes: bytes, context: context)
            }
        },
        BrokenSubmitter("keeps no checkpoint of what has landed", breaks: [fromCheckpoints], resumes: true) {
            deviation, _ in
            deviation.onContext { $0.changed(keep: { _ in nil }) }
        },
        BrokenSubmitter(
            "forgets to discard",
            breaks: [
                "discard-by-checkpoint",
                "source-ends-early", "source-changes",
                "cancel-midway",
            ], resumes: true
        ) { deviation, _ in
            deviation.discards = { (_, _) async throws(SubmitFailure) in }
        },
        BrokenSubmitter(
            "leaves temporaries of what it could not store",
            breaks: ["digest-differs"],
            resumes: true
        ) { deviation, sound in
            deviation.onFailure { (failure, _, _) throws(SubmitFailure) in
                guard failure.code == "damaged" else { throw failure }
                sound.place.land([1], of: "temporary")
                throw failure
            }
        },
        BrokenSubmitter(
            "cannot begin anew when its remains are gone", breaks: ["resume-anew"],
            resumes: true
        ) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                if context.checkpoint != nil, !sound.place.uploads.contains(context.submission) {
                    throw SubmitFailure(.giveUp, code: "gone", message: "What had landed of “\(item.name)” is gone.")
                }
                return try await sound.submit(item, bytes: bytes, context: context)
            }
        },
        BrokenSubmitter(
            "fails to discard what never began", breaks: ["discard-nothing"]
        ) { deviation, sound in
            deviation.discards = { (item, context) async throws(SubmitFailure) in
                if context.submission.hasSuffix("contract-never") {
                    throw SubmitFailure(.retry(after: nil), code: "not-found", message: "There is no such upload.")
                }
                try await sound.discard(item, context: context)
            }
        },
    ]

    // MARK: Secrets

    private static let secret = InMemoryHarness.secret

    private static let secrets: [BrokenSubmitter] = [
        BrokenSubmitter("leaks its secret in a description", breaks: ["no-secret-described"]) {
            deviation, _ in
            deviation.facets.links = Leaking(key: secret)
        },
        BrokenSubmitter("leaks its secret in a failure", breaks: ["no-secret-in-failures"]) { deviation, _ in
            deviation.onFailure { (failure, _, _) throws(SubmitFailure) in
                if failure.remedy != .renewCredentials { throw failure }
                throw SubmitFailure(failure.remedy, code: failure.code, message: "“\(secret)” was refused.")
            }
        },
        BrokenSubmitter(
            "leaks its secret in a receipt", breaks: ["no-secret-written"]
        ) { deviation, _ in
            deviation.onReceipt { receipt, _ in receipt.url = "https://me:\(secret)@example.org/\(receipt.remoteID)" }
        },
        BrokenSubmitter(
            "leaks its secret in a checkpoint", breaks: ["no-secret-written"],
            resumes: true
        ) { deviation, _ in
            deviation.onContext { $0.changed(keep: { $0.map { Checkpoint(data: $0.data + Array(secret.utf8)) } }) }
        },
    ]

    // MARK: The place

    private static let places: [BrokenSubmitter] = [
        BrokenSubmitter(
            "exceeds its width",
            breaks: ["as-many-at-once"]
        ) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                for _ in 1...4 { sound.place.begin(item) }
                defer { for _ in 1...4 { sound.place.end() } }
                return try await sound.submit(item, bytes: bytes, context: context)
            }
        },
        BrokenSubmitter("makes two albums", breaks: ["album-many-openers"]) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                if let album = context.album, album.hasSuffix("New/Album"), item.name.hasSuffix("photo 7.jpg") {
                    try await sound.place.create(album + " (2)")
                }
                return try await sound.submit(item, bytes: bytes, context: context)
            }
        },
        BrokenSubmitter(
            "puts albums where nobody lists them", breaks: ["album"]
        ) { deviation, sound in
            deviation.facets.albums = Listing(inner: sound.place) { $0.filter { !$0.contains("+") } }
        },
        BrokenSubmitter(
            "removes nothing though it says so",
            breaks: [
                "removal",
                "removal-album",
            ]
        ) { deviation, _ in
            deviation.facets.removal = Removing()
        },
        BrokenSubmitter(
            "removes what a receipt leads to, wherever that is",
            breaks: ["removal-outside"]
        ) { deviation, sound in
            let place = sound.place
            deviation.facets.removal = Removing { (receipt) async throws(SubmitFailure) in
                var found = receipt
                if place.contents[found.remoteID] == nil {
                    found.remoteID = receipt.remoteID.split(separator: "/").last.map(String.init) ?? ""
                }
                try await place.remove(found)
            } album: { (album) async throws(SubmitFailure) in
                try await place.removeAlbum(album)
            }
        },
        BrokenSubmitter(
            "lets names fall together", breaks: ["names-apart"]
        ) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                let receipt = try await sound.submit(item, bytes: bytes, context: context)
                if item.name.hasSuffix("a..b.jpg") {
                    let other = String(item.name.dropLast("a..b.jpg".count)) + "no-extension"
                    try await sound.place.remove(Receipt(remoteID: other, evidence: .unknown))
                }
                return receipt
            }
        },
    ]
}

extension Deviation {
    /// Says one remedy where another is right.
    fileprivate mutating func takes(_ right: Remedy, for wrong: Remedy) {
        onFailure { (failure, _, _) throws(SubmitFailure) in
            guard failure.remedy == right else { throw failure }
            throw SubmitFailure(wrong, code: failure.code, message: failure.message)
        }
    }
}

extension MediaBytes {
    /// Whether its last bytes are missing; otherwise they can be read, or the source is found changed then.
    fileprivate var lacksItsEnd: Bool {
        func read(_ count: Int) -> Int? {
            var two: UInt16 = 0
            let size = size
            return withUnsafeMutableBytes(of: &two) { buffer in
                do throws(SubmitFailure) {
                    return try self.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: size - 2)
                } catch {
                    return nil
                }
            }
        }
        return read(1) == nil || read(2) == 1
    }
}

private struct Answering: PresenceFacet {
    let answer: @Sendable (MediaItem, Receipt) async -> Presence
    func presence(of item: MediaItem, receipt: Receipt) async -> Presence { await answer(item, receipt) }
}

private struct Listing: AlbumFacet {
    let inner: any AlbumFacet
    let filter: @Sendable ([String]) -> [String]
    func list() async throws(SubmitFailure) -> [String] { filter(try await inner.list()) }
    func create(_ album: String) async throws(SubmitFailure) { try await inner.create(album) }
}

private struct Removing: RemovalFacet {
    var copy: @Sendable (Receipt) async throws(SubmitFailure) -> Void = { (_) async throws(SubmitFailure) in }
    var album: @Sendable (String) async throws(SubmitFailure) -> Void = { (_) async throws(SubmitFailure) in }
    func remove(_ receipt: Receipt) async throws(SubmitFailure) { try await copy(receipt) }
    func removeAlbum(_ name: String) async throws(SubmitFailure) { try await album(name) }
}

private struct Leaking: LinkFacet {
    let key: String
    var longestLife: Duration { .seconds(1) }
    func link(to receipt: Receipt, validFor life: Duration) async throws(SubmitFailure) -> String { "" }
}
