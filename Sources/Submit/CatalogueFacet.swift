/// A destination that keeps what the catalogue knows of pictures, people and albums.
public protocol CatalogueFacet: Sendable {
    /// Tells documents. A repeat is harmless, and sends no bodies where all of it stands there.
    ///
    /// Nothing of others is overwritten, and what somebody deleted there stays deleted.
    ///
    /// - Parameter documents: any number; of one that occurs twice the later one has the longer chain of revisions.
    /// - Returns: outcomes in the order of the documents.
    /// - Throws: a failure with its remedy where nothing more can be told at all: the credentials are refused, nobody can be
    ///   reached, the database is not there. What was told before that is found as ``CatalogueOutcome/wasThere`` when it is
    ///   told again.
    func tell(_ documents: [CatalogueDocument]) async throws(SubmitFailure) -> [CatalogueOutcome]
}
