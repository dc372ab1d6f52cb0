import Foundation
import Submit
import SubmitCatalogue
import SubmitConcurrency
import SubmitEngine
import SubmitStore
import SubmitTesting
import SystemPackage
import Testing

/// Destinations that keep a catalogue.
@Suite struct FollowerTests {
    private let shop: Workshop
    private let library = Library()

    init() throws {
        shop = try Workshop(["a": InMemorySubmitter.capabilities])
        shop.manager.owner = "anna"
        shop.manager.add(
            Destination(
                name: "library", type: InMemorySubmitter.submitterType(capabilities: InMemorySubmitter.capabilities),
                submitter: Librarian(library: library, place: InMemoryPlace()),
                settings: DestinationSettings(destination: "library")))
    }

    private func send(_ name: String, to names: [String] = ["a", "library"]) async throws {
        try await shop.run(try await shop.accept([try shop.photo(name)], to: names))
    }

    @Test func `get a document with what was sent, and hear of edits, copies and what is forgotten`() async throws {
        try await send("one.jpg", to: ["library"])
        let sent = try #require(library.sent.first)
        #expect(sent.revisions.count == 1 && sent.body.contains(#""name":"one.jpg""#))
        #expect(try await shop.manager.tellCatalogue().map(\.told) == [1])
        #expect(Set(library.told.map(\.id)) == [sent.id, "person:anna"])
        #expect(try await shop.manager.tellCatalogue().isEmpty, "it has heard all")
        try await send("one.jpg", to: ["a"])
        var change = PictureChange()
        change.title = .replaced("One")
        #expect(try await shop.manager.describe(change, where: .everything).count == 1)
        #expect(try await shop.manager.tellCatalogue().map(\.told) == [1], "two changes are one revision")
        let second = try #require(library.told.last { $0.id == sent.id })
        #expect(second.revisions.count == 2 && second.revisions.last == sent.revisions.first)
        #expect(second.body.contains(#""destination":"a""#) && second.body.contains(#""title":"One""#))
        #expect(try await shop.manager.forget(where: .everything) == 1)
        #expect(try await shop.manager.tellCatalogue().map(\.told) == [1])
        #expect(library.told.last?.isGone == true && library.told.last?.revisions.count == 3)
    }

    @Test func `are not sent what was left out, and an audit looks for nothing of it`() async throws {
        try await send("one.jpg", to: ["library"])
        #expect(try await shop.manager.forget(where: .everything) == 1)
        let batch = try await shop.accept([try shop.photo("one-again.jpg")], to: ["library"])
        #expect(batch.rawValue > 1)
        try await shop.run(batch)
        let copy = shop.folder.appending("photos").appending("copy.jpg")
        try FileManager.default.copyItem(
            atPath: shop.folder.appending("photos").appending("one.jpg").string, toPath: copy.string)
        let again = try await shop.accept([copy], to: ["library"])
        try await shop.run(again)
        let record = try await shop.record(again, at: "library", named: "copy.jpg")
        #expect(record.state == .done && record.receipt?.isOfSkipped == true)
        #expect(library.sent.map(\.revisions.count) == [1, 1], "of the other one alone")
    }

    @Test func `that do not say what came of all are taken to have heard nothing`() async throws {
        try await send("one.jpg")
        library.isForgetful = true
        let report = try #require(try await shop.manager.tellCatalogue().first)
        #expect(report.told == 0 && report.failure?.code == "catalogue-outcomes")
        library.isForgetful = false
        #expect(try await shop.manager.tellCatalogue().map(\.told) == [1])
    }

    @Test func `are told later what passes, and only when somebody asks what they do not take`() async throws {
        for name in ["one.jpg", "two.jpg"] { try await send(name) }
        library.answer = { document in
            document.body.contains("one.jpg")
                ? .failed(SubmitFailure(.retry(after: nil), code: "busy", message: "Busy.")) : .told
        }
        let first = try #require(try await shop.manager.tellCatalogue().first)
        #expect(first.told == 1 && first.failure?.code == "busy" && first.troubles.isEmpty)
        library.answer = { $0.body.contains("one.jpg") ? .conflict("Somebody changed it.") : .told }
        let second = try #require(try await shop.manager.tellCatalogue().first)
        #expect(second.told == 0 && second.troubles.map(\.code) == ["catalogue-conflict"])
        #expect(try await shop.manager.tellCatalogue().isEmpty)
        try await shop.manager.tellCatalogueAgain(at: ["other"])
        #expect(try await shop.manager.tellCatalogue().isEmpty)
        try await shop.manager.tellCatalogueAgain()
        library.answer = { _ in .removedThere }
        let third = try #require(try await shop.manager.tellCatalogue().first)
        #expect(third.told == 1 && third.removedThere == 1)
    }

    @Test func `hear what was found out of a picture later, once`() async throws {
        try await send("one.jpg")
        #expect(try await shop.manager.tellCatalogue().map(\.told) == [1])
        let picture = try #require(try await shop.manager.pictures.page(try CatalogueQuery(limit: 1)).pictures.first)
        #expect(picture.width == nil)
        let facts = [picture.id: PictureFacts(width: 3, height: 2)]
        #expect(try await shop.manager.store.complete(facts) == 1)
        #expect(try await shop.manager.tellCatalogue().map(\.told) == [1])
        #expect(library.told.last?.body.contains("\"width\":3") == true)
        #expect(try await shop.manager.store.complete(facts) == 0)
        #expect(try await shop.manager.tellCatalogue().isEmpty)
    }

    @Test func `are not asked again for what others made of an album or a person there`() async throws {
        try await send("one.jpg")
        library.answer = { $0.id.hasPrefix("picture:") ? .told : .conflict("Somebody changed it.") }
        let report = try #require(try await shop.manager.tellCatalogue().first)
        #expect(report.told == 1 && report.troubles.isEmpty && report.failure == nil)
        #expect(try await shop.manager.tellCatalogue().isEmpty)
    }

    @Test func `that cannot be reached hear of it with the next call, in whichever process`() async throws {
        try await send("one.jpg")
        library.isAway = true
        let away = try #require(try await shop.manager.tellCatalogue().first)
        #expect(away.told == 0 && away.failure?.code == "away")
        library.isAway = false
        let other = try shop.otherManager()
        #expect(try await other.tellCatalogue().isEmpty, "it does not have that destination")
        #expect(try await shop.manager.tellCatalogue(at: ["a"]).isEmpty)
        #expect(try await shop.manager.tellCatalogue(at: ["library"]).map(\.told) == [1])
    }
}

/// What a librarian was given.
private final class Library: Sendable {
    private struct State {
        var sent: [CatalogueDocument] = []
        var told: [CatalogueDocument] = []
        var isAway = false
        var isForgetful = false
        var answer: @Sendable (CatalogueDocument) -> CatalogueOutcome = { _ in .told }
    }

    private let state = Locked(State())

    var sent: [CatalogueDocument] { state.withLock { $0.sent } }
    var told: [CatalogueDocument] { state.withLock { $0.told } }
    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }
    var isForgetful: Bool {
        get { state.withLock { $0.isForgetful } }
        set { state.withLock { $0.isForgetful = newValue } }
    }
    var answer: @Sendable (CatalogueDocument) -> CatalogueOutcome {
        get { state.withLock { $0.answer } }
        set { state.withLock { $0.answer = newValue } }
    }

    func send(_ document: CatalogueDocument?) { state.withLock { $0.sent += document.map { [$0] } ?? [] } }

    func tell(_ document: CatalogueDocument) -> CatalogueOutcome {
        let answer = state.withLock { state in
            state.told.append(document)
            return state.answer
        }
        return answer(document)
    }
}

/// A submitter that keeps a catalogue.
private struct Librarian: Submitter, CatalogueFacet {
    let library: Library
    private let files: InMemorySubmitter

    init(library: Library, place: InMemoryPlace) {
        self.library = library
        files = InMemorySubmitter(place)
    }

    var capabilities: Capabilities { files.capabilities }
    var facets: Facets {
        var facets = files.facets
        facets.catalogue = self
        return facets
    }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        library.send(context.document)
        return try await files.submit(item, bytes: bytes, context: context)
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        try await files.discard(item, context: context)
    }

    func check() async throws(SubmitFailure) -> String { try await files.check() }

    func tell(_ documents: [CatalogueDocument]) async throws(SubmitFailure) -> [CatalogueOutcome] {
        if library.isAway { throw SubmitFailure(.hold(.unreachable, after: nil), code: "away", message: "It is away.") }
        let outcomes = documents.map(library.tell)
        return library.isForgetful ? Array(outcomes.dropLast()) : outcomes
    }
}
