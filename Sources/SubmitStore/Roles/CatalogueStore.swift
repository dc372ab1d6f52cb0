package import Submit
package import SubmitCatalogue

/// What was published, and what people say of it: pictures, tags and albums.
///
/// A picture is written down with the receipt of its first copy, in the same step: there is no copy that it does not tell of. Its
/// number is that of the item which was published first, so that the greatest is the one accepted last.
package protocol CatalogueStore: Sendable {
    /// Whose it is what is published through this value, unless somebody says otherwise of a picture.
    var owner: String { get nonmutating set }

    /// A part of an answer, in order.
    ///
    /// - Throws: `query` where the question's mark is of another one.
    func pictures(_ query: CatalogueQuery) async throws(SubmitFailure) -> CataloguePage

    /// How many there are.
    func countPictures(_ filter: CatalogueFilter, _ search: SearchWords?) async throws(SubmitFailure) -> Int

    /// The values that a field has in some pictures, each once, in order.
    ///
    /// - Parameter after: those after this one.
    func distinct(
        _ field: CatalogueField, _ filter: CatalogueFilter, _ search: SearchWords?, after: CatalogueKey?, limit: Int
    ) async throws(SubmitFailure) -> [CatalogueKey]

    /// Changes what is said of pictures. Each that it changes has one revision more.
    ///
    /// - Returns: those that it changed, as they are now.
    func describe(
        _ pictures: [Int64], _ change: PictureChange, by editor: String
    ) async throws(SubmitFailure) -> [CataloguePicture]

    /// The edits of a picture, oldest first.
    func revisions(of picture: Int64) async throws(SubmitFailure) -> [PictureRevision]

    /// Writes down of pictures what their bytes tell and what was not known of them.
    ///
    /// - Parameter facts: by their numbers.
    /// - Returns: of how many there was anything.
    func complete(_ facts: [Int64: PictureFacts]) async throws(SubmitFailure) -> Int

    /// Leaves pictures out of the catalogue from now on, also when they are sent again. What is said of them is forgotten; copies
    /// stay where they are, and submissions in the journal.
    ///
    /// - Returns: how many there were.
    func forget(_ pictures: [Int64]) async throws(SubmitFailure) -> Int

    /// Whether a picture was left out.
    ///
    /// - Parameter digest: its SHA-256.
    func isForgotten(_ digest: [UInt8]) async throws(SubmitFailure) -> Bool

    /// Pictures that were left out, those with the greatest numbers first.
    ///
    /// - Parameters:
    ///   - before: those whose numbers are less; `nil`: all.
    ///   - limit: how many at the most.
    func forgotten(before: Int64?, limit: Int) async throws(SubmitFailure) -> [ForgottenPicture]

    /// Takes pictures in again that were left out, as they were accepted.
    ///
    /// - Parameter digests: their SHA-256.
    /// - Returns: how many were taken in.
    func recall(_ digests: [[UInt8]]) async throws(SubmitFailure) -> Int

    // MARK: Destinations that keep a catalogue

    /// What a claim's destination is to be told with the item. From now on it is told of what it was sent.
    ///
    /// The document's revision is written down: asked again, for as long as nothing changes, it is the same.
    ///
    /// - Returns: `nil` where the picture was forgotten.
    func document(of claim: ClaimedSubmission, _ facts: PictureFacts) async throws(SubmitFailure) -> CatalogueDocument?

    /// What a destination has yet to hear, some of it; revisions are written down as for ``document(of:_:)``.
    func untold(at destination: String, limit: Int) async throws(SubmitFailure) -> [UntoldPicture]

    /// Notes what came of telling.
    ///
    /// - Parameter troubles: why a picture was not taken, by its number; those that are not among them are told.
    func noteTold(
        _ pictures: [UntoldPicture], at destination: String, troubles: [Int64: SubmitFailure]
    ) async throws(SubmitFailure)

    /// What was not taken is told again; of all destinations, where none are named.
    func tellAgain(at destinations: [String]) async throws(SubmitFailure)

    /// Where anything is untold, sorted by name.
    func untoldTallies() async throws(SubmitFailure) -> [UntoldTally]

    /// Takes in what was published before there was a catalogue, and writes down words by which pictures are found: a part of
    /// what is to be done. Where nothing can be written, nothing is.
    ///
    /// - Parameter includesWords: `false`: only what was published.
    /// - Returns: whether there is more.
    func catchUp(includesWords: Bool) async throws(SubmitFailure) -> Bool

    /// What in the catalogue is not as the journal has it: a sentence each, some of them where there are many.
    func catalogueFlaws() async throws(SubmitFailure) -> [String]

    /// Has all of it looked through anew by ``catchUp(includesWords:)``: what lacks is taken in, words are written down again. What people
    /// say stays, and what was left out is left out. It is done in several steps: where it is broken off, asking again does all of it.
    func rebuildCatalogue() async throws(SubmitFailure)
}

extension CatalogueStore {
    package func catchUp() async throws(SubmitFailure) -> Bool { try await catchUp(includesWords: true) }
}
