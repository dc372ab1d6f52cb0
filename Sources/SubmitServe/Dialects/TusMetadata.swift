internal import Foundation

/// `Upload-Metadata` of tus: keys, each with a value in base64, with commas between them.
struct TusMetadata: Equatable {
    private(set) var values: [String: String] = [:]

    /// As long as the names and folders that anyone needs.
    private static let longest = 8 << 10

    /// - Returns: `nil` where it is not written so, or a value is no text.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        for pair in text.split(separator: ",") {
            let words = pair.split(separator: " ").map(String.init)
            guard (1...2).contains(words.count), values[words[0]] == nil else { return nil }
            guard words.count == 2 else {
                values[words[0]] = ""
                continue
            }
            guard let data = Data(base64Encoded: words[1]), let value = String(data: data, encoding: .utf8) else {
                return nil
            }
            values[words[0]] = value
        }
    }

    /// What clients call a file's name: ours and Uppy, others.
    var name: String? { values["filename"] ?? values["name"] }

    /// What is told of a file that is known.
    static func text(name: String, type: String?) -> String {
        var pairs = ["filename \(Data(name.utf8).base64EncodedString())"]
        if let type { pairs.append("filetype \(Data(type.utf8).base64EncodedString())") }
        return pairs.joined(separator: ",")
    }
}
