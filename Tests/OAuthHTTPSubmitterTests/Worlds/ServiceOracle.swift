import Submit
import SubmitConcurrency
import SubmitTesting

@testable import OAuthHTTPSubmitter

/// Sees what a drawn service holds, and what of our promises is broken.
struct ServiceOracle {
    let world: ServiceWorld
    let service: DrawnService
    let wire: ServiceWire
    let errand: ServiceErrand
    let ends: [ServiceErrand.End?]
    /// What others had there.
    let before: [DrawnService.Item]
    private(set) var complaints: [String] = []

    init(
        world: ServiceWorld, service: DrawnService, wire: ServiceWire, errand: ServiceErrand,
        ends: [ServiceErrand.End?],
        before: [DrawnService.Item]
    ) {
        (self.world, self.service, self.wire, self.errand) = (world, service, wire, errand)
        (self.ends, self.before) = (ends, before)
    }

    private var manners: Set<ServiceManner> { world.manners }

    /// What is or will be there of an item, and counts.
    private func ours(_ index: Int) -> [DrawnService.Item] {
        service.items.filter { item in
            if case .failed = item.state { return false }
            return !item.isTheirs && item.sent == errand.sources[index].content
        }
    }

    private func theirs(_ index: Int) -> [DrawnService.Item] {
        service.items.filter { $0.isTheirs && $0.sent == errand.sources[index].content }
    }

    // MARK: When all came to an end

    mutating func judge() {
        for (index, end) in ends.enumerated() { judge(index, end) }
        if wire.count > ServiceWire.mostRequests { complaints.append("\(wire.count) requests") }
        for item in before where !service.items.contains(where: { $0.id == item.id && $0.kept == item.kept }) {
            complaints.append("what others have as \(item.id) is gone or another")
        }
        for failure in errand.failures.withLock({ $0 }) {
            if failure.message.contains("hunter2") { complaints.append("a secret shows: \(failure)") }
            if !failure.message.hasSuffix(".") && !failure.message.hasSuffix(")") {
                complaints.append("no sentence: \(failure)")
            }
            complaints += misfits(failure)
        }
        let kept = errand.checkpoints.withLock { $0 }.map { String(decoding: $0.data, as: UTF8.self) }
        if kept.contains(where: { $0.contains("hunter2") }) { complaints.append("a secret is in a checkpoint") }
    }

    private mutating func judge(_ index: Int, _ end: ServiceErrand.End?) {
        let found = ours(index)
        if found.count > 1 { complaints.append("item \(index) is there \(found.count) times") }
        switch end {
        case nil: complaints.append("item \(index) came to no end")
        case .failed(let failure):
            if failure.remedy == .outcomeUnknown {
                if !mayBeUnknown {
                    complaints.append("item \(index) ended as unknown, where that can be known: \(failure)")
                }
            } else if !found.isEmpty, !isEndless(failure) {
                complaints.append("item \(index) is there, and failed: \(failure)")
            } else if failure.remedy != .giveUp, !isEndless(failure) {
                complaints.append("item \(index) never got through: \(failure)")
            }
        case .done(let receipt):
            complaints += falsehoods(index, receipt, found)
        }
    }

    /// It is processed for ever, and someone lost patience.
    private func isEndless(_ failure: SubmitFailure) -> Bool {
        manners.contains(.neverReady) && failure.remedy != .giveUp
    }

    private func falsehoods(_ index: Int, _ receipt: Receipt, _ found: [DrawnService.Item]) -> [String] {
        if manners.contains(.dropsSilently), !(found + theirs(index)).contains(where: { $0.id == receipt.remoteID }) {
            return receipt.evidence == .accepted ? [] : ["item \(index) was dropped, and is \(receipt.evidence)"]
        }
        if receipt.remoteID.hasPrefix("sha256:") {
            let isTold = receipt.note != nil && receipt.evidence == .accepted && receipt.wasThere
            return isTold && !(found + theirs(index)).isEmpty ? [] : ["item \(index) has no name, and is \(receipt)"]
        }
        guard let item = (found + theirs(index)).first(where: { $0.id == receipt.remoteID && $0.isShown }) else {
            return ["item \(index) is \(receipt.evidence) as \(String(reflecting: receipt.remoteID)), which it is not"]
        }
        return excess(receipt.evidence, item).map { ["item \(index) is \(receipt.evidence), and \($0)"] } ?? []
    }

    /// What is said that is not so.
    private func excess(_ evidence: Evidence, _ item: DrawnService.Item) -> String? {
        switch evidence {
        case .verified where item.kept != item.sent: "has other bytes"
        case .size where item.kept.count != item.sent.count: "has another size"
        default: nil
        }
    }

    /// Nobody can tell what became of it.
    private var mayBeUnknown: Bool {
        let suffered = wire.suffered
        let isDoubtful = suffered.contains { $0.isLikeAfter }
        if world.features.way == .draft { return false }
        switch world.features.means {
        case .nothing: return isDoubtful
        case .key:
            return isDoubtful && !manners.isDisjoint(with: [.forgetsKeys, .refusesUsedKeys, .burnsKeys])
        // What was used up and shows nowhere may be there some day.
        case .look, .lookInList:
            let showsNowhere = manners.contains(.dropsSilently) || world.isThere && service.foldsBytes
            return isDoubtful && showsNowhere && [.session, .media].contains(world.features.way)
        case .bytes: return false
        }
    }

    /// Remedies that do not fit what went wrong.
    private func misfits(_ failure: SubmitFailure) -> [String] {
        let suffered = wire.suffered
        func expect(_ isFit: Bool) -> [String] { isFit ? [] : ["\(failure.remedy) does not fit: \(failure)"] }
        switch failure.remedy {
        case .giveUp: return expect(manners.contains(.failsLater))
        case .renewCredentials: return expect(suffered.contains(.signedOut))
        case .hold(.full, _): return expect(!manners.isDisjoint(with: [.fullBy400, .fullBy403]))
        case .hold(.throttled, _):
            return expect(
                !suffered.isDisjoint(with: [.status429, .status429For7])
                    || !manners.isDisjoint(with: [.throttles, .throttlesUntil, .throttlesInBody, .throttlesBy403]))
        case .hold(.misconfigured, _): return expect(!suffered.isDisjoint(with: [.page200, .page403]))
        case .hold(.unreachable, _), .sourceLost, .cancelled: return expect(false)
        default: return []
        }
    }

    // MARK: Later

    /// Looks after what was done, and removes it.
    mutating func judgeLater(_ submitter: RecipeSubmitter, album: String) async throws {
        service.signIn()
        errand.clock.move(.seconds(7200))
        for (index, end) in ends.enumerated() {
            guard case .done(let receipt)? = end, !receipt.remoteID.hasPrefix("sha256:") else { continue }
            let item = service.items.first { $0.id == receipt.remoteID && $0.isShown }
            judge(index, try await presence(index, receipt, submitter), item)
        }
        if world.features.albums != .none { judgeAlbums(album) }
        guard world.features.canRemove, let removal = submitter.facets.removal else { return }
        for (index, end) in ends.enumerated() {
            guard case .done(let receipt)? = end, !receipt.wasThere,
                ours(index).contains(where: { $0.id == receipt.remoteID })
            else { continue }
            let others = service.items.filter { $0.id != receipt.remoteID }.map(\.id)
            for attempt in 1...5 {
                do throws(SubmitFailure) {
                    try await removal.remove(receipt)
                    break
                } catch {
                    if attempt == 5 { complaints.append("item \(index) is not removed: \(error)") }
                }
            }
            if service.items.map(\.id) != others {
                complaints.append("removing item \(index) left \(service.items.map(\.id))")
            }
            judge(index, try await presence(index, receipt, submitter), nil)
        }
    }

    private func presence(_ index: Int, _ receipt: Receipt, _ submitter: RecipeSubmitter) async throws -> Presence {
        guard let facet = submitter.facets.presence else { return .unknown("") }
        var found = Presence.unknown("")
        // A throttle, and what a cache writes, are over the next time.
        for _ in 1...5 {
            found = await facet.presence(of: errand.item(index), receipt: receipt)
            guard case .unknown = found else { break }
        }
        return found
    }

    private mutating func judge(_ index: Int, _ presence: Presence, _ item: DrawnService.Item?) {
        switch (presence, item) {
        case (.present(let evidence), let item?):
            if let excess = excess(evidence, item) {
                complaints.append("item \(index) is \(evidence) later, and \(excess)")
            }
        case (.absent, nil): break
        case (.unknown, _) where manners.contains(.pagesNotFound) && item == nil: break
        default: complaints.append("item \(index) is told as \(presence), and is \(item == nil ? "not " : "")there")
        }
    }

    private mutating func judgeAlbums(_ title: String) {
        let albums = service.albums.filter { $0.title == title }
        if albums.count > 1 { complaints.append("there are \(albums.count) albums of one name") }
        for (index, end) in ends.enumerated() {
            guard case .done(let receipt)? = end, !receipt.remoteID.hasPrefix("sha256:"), !receipt.wasThere,
                ours(index).contains(where: { $0.id == receipt.remoteID })
            else { continue }
            if !albums.contains(where: { $0.items.contains(receipt.remoteID) }) {
                complaints.append("item \(index) is not in its album")
            }
        }
    }
}
