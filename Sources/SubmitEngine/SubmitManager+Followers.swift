public import Submit
internal import SubmitStore

extension SubmitManager {
    /// Tells destinations that keep a catalogue what they have yet to hear of pictures that were sent there: edits, copies elsewhere,
    /// what was forgotten. What was told before is not told again, and what cannot be told now waits in the journal.
    ///
    /// Cancelling the task ends it; what was told by then is told.
    ///
    /// - Parameter names: of these; of all that this manager has, where there are none.
    /// - Returns: what came of it at each that has anything to hear.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func tellCatalogue(at names: [String] = []) async throws(SubmitFailure) -> [CatalogueReport] {
        let waiting = Set(try await store.untoldTallies().filter { $0.waiting > 0 }.map(\.destination))
        var reports: [CatalogueReport] = []
        for destination in destinations where waiting.contains(destination.name) {
            guard names.isEmpty || names.contains(destination.name), let facet = destination.submitter.facets.catalogue
            else { continue }
            reports.append(try await tell(destination.name, facet))
        }
        return reports
    }

    private func tell(
        _ name: String, _ facet: any CatalogueFacet
    ) async throws(SubmitFailure) -> CatalogueReport {
        var report = CatalogueReport(destination: name)
        while !Task.isCancelled, case let pictures = try await store.untold(at: name, limit: Self.picturesAtOnce),
            !pictures.isEmpty
        {
            // Those of owners and albums are of many pictures.
            var number: [String: Int] = [:]
            var documents: [CatalogueDocument] = []
            for document in pictures.flatMap(\.documents) where number[document.id] == nil {
                number[document.id] = documents.count
                documents.append(document)
            }
            let outcomes: [CatalogueOutcome]
            do throws(SubmitFailure) {
                outcomes = try await facet.tell(documents)
            } catch {
                report.failure = error.withoutSecrets
                return report
            }
            guard outcomes.count == documents.count else {
                report.failure = SubmitFailure(
                    .giveUp, code: "catalogue-outcomes",
                    message: "“\(name)” does not say what came of all that it was told: update its submitter.")
                return report
            }
            var troubles: [Int64: SubmitFailure] = [:]
            var settled: [UntoldPicture] = []
            for picture in pictures {
                let all = picture.documents.compactMap { number[$0.id].map { outcomes[$0] } }
                // Whoever writes more of an album or a person there takes nothing away from what is told of them.
                let trouble = (all.dropLast().filter { !$0.isConflict } + all.suffix(1)).lazy.compactMap(\.trouble)
                    .first
                if let trouble, trouble.isPassing {
                    report.failure = trouble.withoutSecrets
                    continue
                }
                settled.append(picture)
                if let trouble { troubles[picture.picture] = trouble.withoutSecrets } else { report.told += 1 }
                if all.last == .removedThere { report.removedThere += 1 }
            }
            report.troubles += troubles.sorted { $0.key < $1.key }.map(\.value)
            try await store.noteTold(settled, at: name, troubles: troubles)
            // What passes is looked at another time, and stands before all else until then.
            if report.failure != nil { break }
        }
        return report
    }

    /// Tells them once a minute, until the task is cancelled; where they do not listen, ever more seldom: who asks with a wrong
    /// password too often is locked out.
    func keepTelling() async {
        var minutes = 1
        while (try? await Task.sleep(for: .seconds(60 * minutes))) != nil {
            let reports = (try? await tellCatalogue()) ?? []
            minutes = reports.contains { $0.failure != nil } ? min(2 * minutes, 60) : 1
        }
    }

    /// What was not taken by destinations that keep a catalogue is told again by ``tellCatalogue(at:)``.
    ///
    /// - Parameter names: of these; of all, where there are none.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func tellCatalogueAgain(at names: [String] = []) async throws(SubmitFailure) {
        try await store.tellAgain(at: names)
    }

    private static let picturesAtOnce = 500
}

/// What came of telling a destination what the catalogue knows.
public struct CatalogueReport: Sendable, Hashable {
    /// The destination.
    public let destination: String
    /// Pictures of which it has heard all by now.
    public var told = 0
    /// Of these, pictures that somebody removed there. They are not brought back.
    public var removedThere = 0
    /// Why others are not told before they change again, or somebody asks for it: a failure each.
    public var troubles: [SubmitFailure] = []
    /// Why the rest is told another time; `nil` where there is none.
    public var failure: SubmitFailure?

    init(destination: String) { self.destination = destination }
}

extension SubmitFailure {
    /// It is worth asking again, with nothing changed.
    fileprivate var isPassing: Bool {
        switch remedy {
        case .retry, .tryAnother, .wait: true
        default: false
        }
    }
}

extension CatalogueOutcome {
    fileprivate var isConflict: Bool { if case .conflict = self { true } else { false } }

    fileprivate var trouble: SubmitFailure? {
        switch self {
        case .told, .wasThere, .removedThere: nil
        case .conflict(let sentence): SubmitFailure(.giveUp, code: "catalogue-conflict", message: sentence)
        case .failed(let failure): failure
        }
    }
}
