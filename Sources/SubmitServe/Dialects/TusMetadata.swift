internal import Foundation
internal import Submit
internal import SubmitReceiving

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

    func offer(length: Int64) -> FileOffer {
        FileOffer(
            name: name ?? "", folder: values["folder"] ?? values["relativePath"].flatMap(Self.folder),
            length: length, sha256: values["sha256"].flatMap { Hexadecimal.bytes(of: $0) },
            modified: values["lastModified"].flatMap(Int64.init).flatMap(Timestamp.init(milliseconds:)),
            type: values["filetype"] ?? values["type"])
    }

    /// A relative path ends with the name itself.
    private static func folder(_ path: String) -> String? {
        path.lastIndex(of: "/").map { String(path[..<$0]) }
    }

    /// What is told of a file that is known.
    static func text(name: String, type: String?) -> String {
        var pairs = ["filename \(Data(name.utf8).base64EncodedString())"]
        if let type { pairs.append("filetype \(Data(type.utf8).base64EncodedString())") }
        return pairs.joined(separator: ",")
    }
}

extension Timestamp {
    /// As JavaScript counts; `nil` for times that nobody means.
    init?(milliseconds: Int64) {
        let (nanoseconds, isBeyond) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        if isBeyond { return nil }
        self.init(nanoseconds: nanoseconds)
    }
}
