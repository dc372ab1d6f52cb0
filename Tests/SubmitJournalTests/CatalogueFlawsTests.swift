import Submit
import SubmitCatalogue
import SystemPackage
import Testing

@testable import SubmitJournal

/// A catalogue that is not what the journal says.
@Suite struct CatalogueFlawsTests {
    let folder = TemporaryFolder()

    @Test(arguments: [
        ("DELETE FROM picture_item", "1 published items are not in the catalogue", true),
        ("UPDATE picture SET sha256 = x'00'", "1 items stand for pictures that are others", true),
        ("UPDATE picture SET name = 'other', name_folded = 'other'", "are called otherwise than their files", true),
        (
            "INSERT INTO picture_gone (id, sha256, owner, gone, revision) SELECT id, sha256, '', 0, 2 FROM picture",
            "that were forgotten", false
        ),
        ("INSERT INTO picture_tag VALUES (1, 99, 0)", "are of pictures that are not there", true),
        ("UPDATE picture_tag SET tag = 99", "without a name", false),
        ("DELETE FROM picture_words", "cannot be found by their words", true),
        ("UPDATE picture SET caption_folded = 'x'", "compared by others than their own", true),
        ("UPDATE picture SET revision = 3", "edits that nobody made, or lack some", false),
        ("UPDATE picture_words SET words = 'other'", "The index of words is not that", true),
        ("DELETE FROM picture_search_data WHERE id > 10", "The index of words is not that", true),
    ])
    func `is found out, and made anew where that can be done`(harm: String, words: String, isMended: Bool) async throws
    {
        let journal = try Journal(path: folder.path.appending("journal.sqlite"))
        var item = NewItem.photos(2)[1]
        (item.item.caption, item.item.tags) = ("Harbour", ["sea"])
        try await journal.accept([item])
        for claim in try await journal.makeWorker().take() {
            try await journal.settle(claim, .done(Receipt(remoteID: "x", evidence: .verified)))
        }
        while try await journal.catchUp() {}
        #expect(try await journal.catalogueFlaws() == [])
        try await journal.execute(harm)
        let flaws = try await journal.catalogueFlaws()
        #expect(flaws.contains { $0.contains(words) }, "\(flaws)")
        guard isMended else { return }
        try await journal.rebuildCatalogue()
        while try await journal.catchUp() {}
        #expect(try await journal.catalogueFlaws() == [])
        #expect(try await journal.pictures(try CatalogueQuery(order: [.newest])).pictures.map(\.tags) == [["sea"]])
    }
}
