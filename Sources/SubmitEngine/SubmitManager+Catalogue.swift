internal import Foundation
public import Submit
public import SubmitCatalogue
internal import SubmitConcurrency
internal import SubmitStore

/// What was published, and what people say of it.
extension SubmitManager {
    /// The pictures that were published, and those that were before there was a catalogue. A `LocalCatalogue` answers questions of
    /// them.
    public var pictures: any PictureStore { StoredPictures(store: store) }

    /// Changes what is said of pictures: one edit for each that it changes, by the account that this process runs under. Files and
    /// copies stay as they are.
    ///
    /// Cancelling the task ends it between two pictures; edits that were made stay.
    ///
    /// - Parameters:
    ///   - filter: which. Those that an edit makes it true of meanwhile are none of them.
    ///   - search: words that they have to have as well.
    /// - Returns: those that were changed, as they are now.
    /// - Throws: `query` for a change that no picture can have; when the journal fails (`journal…`, to be tried again). Asking again
    ///   does what is left to do.
    @discardableResult
    public func describe(
        _ change: PictureChange, where filter: CatalogueFilter, search: SearchWords? = nil
    ) async throws(SubmitFailure) -> [CataloguePicture] {
        do {
            try change.check()
        } catch {
            throw SubmitFailure(.giveUp, code: "query", message: error.description)
        }
        var changed: [CataloguePicture] = []
        try await inSteps(filter, search) { (pictures) throws(SubmitFailure) in
            changed += try await store.describe(pictures, change, by: NSUserName())
        }
        return changed
    }

    /// The photo of a picture, as it was published, for who shows it. Blocks its thread while a RAW is looked through.
    ///
    /// - Parameter picture: its number.
    /// - Returns: `nil` where its file is gone or may have been changed, or is none that can be shown.
    /// - Throws: when the journal fails (`journal…`, to be tried again), or the file cannot be read.
    public func photo(ofPicture picture: Int64) async throws(SubmitFailure) -> PicturePhoto? {
        guard let (source, item) = try await source(ofPicture: picture) else { return nil }
        return try PicturePhoto(of: source, item)
    }

    /// The edits of a picture, oldest first.
    ///
    /// - Parameter picture: its number.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func revisions(ofPicture picture: Int64) async throws(SubmitFailure) -> [PictureRevision] {
        try await store.revisions(of: picture)
    }

    /// Leaves pictures out of the catalogue from now on, also when they are sent again. Copies stay where they are.
    ///
    /// - Returns: how many there were.
    /// - Throws: when the journal fails (`journal…`, to be tried again). Asking again does what is left to do.
    @discardableResult
    public func forget(
        where filter: CatalogueFilter, search: SearchWords? = nil
    ) async throws(SubmitFailure) -> Int {
        var count = 0
        try await inSteps(filter, search) { (pictures) throws(SubmitFailure) in
            count += try await store.forget(pictures)
        }
        return count
    }

    /// Pictures that were left out, those with the greatest numbers first.
    ///
    /// - Parameters:
    ///   - before: those whose numbers are less; `nil`: all.
    ///   - limit: how many at the most.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func forgotten(before: Int64? = nil, limit: Int) async throws(SubmitFailure) -> [ForgottenPicture] {
        try await store.forgotten(before: before, limit: limit)
    }

    /// Takes pictures in again that were left out, as they were accepted.
    ///
    /// - Parameter digests: their SHA-256.
    /// - Returns: how many were taken in.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    @discardableResult
    public func recall(digests: [[UInt8]]) async throws(SubmitFailure) -> Int { try await store.recall(digests) }

    /// What in the catalogue is not as the journal has it: a sentence each.
    ///
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func checkCatalogue() async throws(SubmitFailure) -> [String] {
        try await store.catalogueFlaws()
    }

    /// Looks all of the catalogue through anew. What people say stays, and what was left out is left out.
    ///
    /// Cancelling the task ends it; what is left to take in is taken in before the next question. Asking again does all of it.
    ///
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func rebuildCatalogue() async throws(SubmitFailure) {
        try await store.rebuildCatalogue()
        while try await store.catchUp(), !Task.isCancelled {}
    }

    /// Reads the files of pictures of which it is not known how large they are, such as those that were published before there was
    /// a catalogue, for what these tell: pixels, place, time. Files that are gone or may have been changed are not read.
    ///
    /// Cancelling the task ends it; what was written down stays.
    ///
    /// - Returns: of how many pictures more is known now.
    /// - Throws: when the journal fails (`journal…`, to be tried again). Asking again does what is left to do.
    public func readPictures() async throws(SubmitFailure) -> Int {
        var count = 0
        let unknown: CatalogueFilter
        do {
            unknown = .condition(try CatalogueCondition(.width, .exists, .truth(false)))
        } catch {
            throw SubmitFailure(.giveUp, code: "query", message: error.description)
        }
        try await inSteps(unknown, nil) { (pictures) throws(SubmitFailure) in
            var facts: [Int64: PictureFacts] = [:]
            for picture in pictures where !Task.isCancelled {
                guard let (source, item) = try await source(ofPicture: picture) else { continue }
                facts[picture] = await BlockingThreads.sources.run { PictureFacts(of: source, item) }
            }
            if !facts.isEmpty { count += try await store.complete(facts) }
        }
        return count
    }

    /// A picture's file, open; `nil` where it is gone or may have been changed.
    private func source(ofPicture picture: Int64) async throws(SubmitFailure) -> (GuardedFile, MediaItem)? {
        guard let record = try await store.submissions(of: ItemID(rawValue: picture)).first,
            let source = try? GuardedFile.open(record.item), source.identity == record.identity
        else { return nil }
        return (source, record.item)
    }

    private func inSteps(
        _ filter: CatalogueFilter, _ search: SearchWords?,
        _ work: (_ pictures: [Int64]) async throws(SubmitFailure) -> Void
    ) async throws(SubmitFailure) {
        // All of them first: what is changed may be true of others afterwards.
        var all: [Int64] = []
        do throws(DatasourceFault) {
            var query = try DatasourceFault.asking { () throws(CatalogueFault) in
                try CatalogueQuery(filter, search: search, order: [.oldest], limit: CatalogueLimits.page, fields: [.id])
            }
            while true {
                let page = try await pictures.page(query)
                all += page.pictures.map(\.id)
                guard let next = page.next, !Task.isCancelled else { break }
                query.mark = next
            }
        } catch {
            switch error {
            case .question(let fault): throw SubmitFailure(.giveUp, code: "query", message: fault.description)
            case .source(let failure): throw failure
            }
        }
        for start in stride(from: 0, to: all.count, by: Self.picturesAtOnce) where !Task.isCancelled {
            try await work(Array(all[start..<min(all.count, start + Self.picturesAtOnce)]))
        }
    }

    /// Of one transaction: others that write wait for it.
    private static let picturesAtOnce = 200
}

/// The store's pictures, once what was published before there was a catalogue is in it.
private struct StoredPictures: PictureStore {
    let store: any Store

    func page(_ query: CatalogueQuery) async throws(DatasourceFault) -> CataloguePage {
        try await asking(query.search) { () throws(SubmitFailure) in try await store.pictures(query) }
    }

    func count(_ filter: CatalogueFilter, _ search: SearchWords?) async throws(DatasourceFault) -> Int {
        try await asking(search) { () throws(SubmitFailure) in try await store.countPictures(filter, search) }
    }

    func distinct(
        _ field: CatalogueField, _ filter: CatalogueFilter, _ search: SearchWords?, limit: Int
    ) async throws(DatasourceFault) -> [RecordValue] {
        try await asking(search) { () throws(SubmitFailure) in
            try await store.distinct(field, filter, search, after: nil, limit: limit)
        }.map { RecordValue($0, of: field) }
    }

    private func asking<Answer>(
        _ search: SearchWords?, _ question: () async throws(SubmitFailure) -> Answer
    ) async throws(DatasourceFault) -> Answer {
        do throws(SubmitFailure) {
            while try await store.catchUp(includesWords: search != nil) {
                if Task.isCancelled { throw SubmitFailure.cancelled }
            }
            return try await question()
        } catch {
            throw .source(error)
        }
    }
}
