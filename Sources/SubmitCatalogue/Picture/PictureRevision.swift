internal import Foundation

/// An edit that was made of a picture.
public struct PictureRevision: Sendable, Hashable {
    /// What one field held before and after.
    public struct Edit: Sendable, Hashable, Codable {
        /// The field's texts. A field with a single value has at most one; `placeShown` has `true` or `false`.
        public var was: [String]
        /// As ``was``.
        public var now: [String]
    }

    /// Its number: the first edit makes the second revision.
    public var number: Int
    /// When, by our clock: nanoseconds since 1970.
    public var edited: Int64
    /// Who made it: an account of this machine.
    public var editor: String
    /// What it changed, by the names of ``CatalogueField``.
    public var differences: [String: Edit]

    /// - Parameter edited: nanoseconds since 1970.
    package init(number: Int, edited: Int64, editor: String, differences: [String: Edit]) {
        (self.number, self.edited, self.editor, self.differences) = (number, edited, editor, differences)
    }

    /// What two states of a picture differ in, of what people say of it.
    package static func differences(
        _ before: CataloguePicture, _ after: CataloguePicture
    ) -> [String: Edit] {
        PictureChange.fields.reduce(into: [:]) { differences, field in
            let (was, now) = (before.words(field), after.words(field))
            let isSame = was.count == now.count && zip(was, now).allSatisfy { $0.isSame(as: $1) }
            if !isSame { differences[field.rawValue] = Edit(was: was, now: now) }
        }
    }

    /// As it is kept.
    package static func text(of differences: [String: Edit]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(differences), as: UTF8.self)
    }

    /// What was kept.
    package static func differences(of text: String) throws -> [String: Edit] {
        try JSONDecoder().decode([String: Edit].self, from: Data(text.utf8))
    }
}
