internal import Foundation
internal import Submit

extension Receipt {
    /// The marks as they are kept; `nil` for none, or for more than may be.
    var marksText: String? {
        guard !marks.isEmpty, marks.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) <= Self.mostMarks else {
            return nil
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(marks)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// - Throws: `DecodingError` for a text that ``marksText`` never is.
    static func marks(text: String?) throws -> [String: String] {
        try text.map { try JSONDecoder().decode([String: String].self, from: Data($0.utf8)) } ?? [:]
    }
}
