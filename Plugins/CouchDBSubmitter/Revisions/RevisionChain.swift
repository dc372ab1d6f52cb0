internal import Submit
internal import SubmitDigest

/// The revisions of a document that are ours, and the two forms in which they stand at a database.
///
/// CouchDB takes no second content of a revision that it has. A document with its item attached is another content than the
/// same without, and may come after it: so it is a revision of its own, the child of the one without. Which that is follows
/// from the one without alone, so that nobody has to be asked whether a document there has an attachment.
struct RevisionChain: Sendable {
    enum Form: Sendable {
        /// As the catalogue has it.
        case plain
        /// With the item attached.
        case attached
    }

    /// Where a revision stands in it: 0 is the newest.
    struct Place: Sendable, Hashable {
        var form: Form
        var index: Int
    }

    private let revisions: [String]
    private let newest: Revision

    /// - Returns: `nil` where there are no revisions, or the newest is none.
    init?(_ document: CatalogueDocument) {
        guard let newest = document.revisions.first.flatMap({ Revision($0) }),
            document.revisions.count <= newest.generation
        else { return nil }
        revisions = document.revisions
        self.newest = newest
    }

    /// The newest in a form.
    func head(_ form: Form) -> String {
        form == .plain ? revisions[0] : Self.attached(revisions[0])
    }

    /// Where a revision stands; `nil` for one that is none of ours.
    func place(of other: String) -> Place? {
        guard let other = Revision(other) else { return nil }
        let index = newest.generation - other.generation
        if revisions.indices.contains(index), revisions[index] == other.description {
            return Place(form: .plain, index: index)
        }
        if revisions.indices.contains(index + 1), Self.attached(revisions[index + 1]) == other.description {
            return Place(form: .attached, index: index + 1)
        }
        return nil
    }

    /// Where what comes back is joined after a tombstone of ours.
    ///
    /// A tombstone has nothing attached, nor has what follows it. So that the attached form always has something, what comes
    /// back is plain, and joined to the plain revisions that were before.
    ///
    /// - Returns: `nil` for wherever its history is known.
    func joint(ofTombstone place: Place) -> Place? { place.form == .plain ? place : nil }

    /// What is sent of it in a form, newest first: all that came after `known`, and `known`, which joins it to what is there.
    ///
    /// - Parameter known: the place of what is there; `nil` for nothing, where all is sent.
    func path(_ form: Form, after known: Place?) -> [String] {
        switch (form, known?.form) {
        case (.plain, _): return Array(revisions.prefix((known?.index ?? revisions.count) + 1))
        case (.attached, .attached?): return revisions.prefix((known?.index ?? 0) + 1).map(Self.attached)
        case (.attached, _):
            return [Self.attached(revisions[0])] + revisions.prefix((known?.index ?? revisions.count) + 1)
        }
    }

    private static func attached(_ revision: String) -> String {
        CatalogueDocument.revision(after: revision, body: "attached")
    }
}
