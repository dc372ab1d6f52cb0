package import Submit

/// What a destination that keeps a catalogue has yet to hear of a picture.
package struct UntoldPicture: Sendable {
    /// The picture's number.
    package let picture: Int64
    /// How often it changed since it was told of: what comes while it is told is told again.
    package let changes: Int64
    /// Those of its owner and its albums, and at the end its own.
    package let documents: [CatalogueDocument]

    package init(picture: Int64, changes: Int64, documents: [CatalogueDocument]) {
        (self.picture, self.changes, self.documents) = (picture, changes, documents)
    }
}

/// How much a destination that keeps a catalogue has yet to hear.
package struct UntoldTally: Sendable, Hashable {
    /// The destination.
    package let destination: String
    /// Pictures that are told as soon as it can be reached.
    package let waiting: Int
    /// Pictures that are not told before they change again, or somebody asks for it.
    package let refused: Int
    /// Why, of the last one of these.
    package let sentence: String?

    package init(destination: String, waiting: Int, refused: Int, sentence: String?) {
        (self.destination, self.waiting, self.refused, self.sentence) = (destination, waiting, refused, sentence)
    }
}
