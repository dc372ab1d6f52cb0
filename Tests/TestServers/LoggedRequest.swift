internal import Foundation

/// A request as a server's access log has it.
public struct LoggedRequest: Sendable, Hashable {
    public let method: String
    /// Percent-encoded, with the query, as it was sent.
    public let target: String
    /// `HTTP/1.1`, `HTTP/2.0`.
    public let version: String
    /// Of the answer. nginx writes 400 or 499 for a request that broke off.
    public let status: Int
    /// Bytes of the head and the body that came, of tus the body alone; of HTTP/2 roughly.
    public let received: Int64
    private let headers: [String: String]

    /// A header of it; `nil` when it was not sent or is none of those that `Tests/Servers/access-log.sh` lists.
    ///
    /// `Authorization-Scheme` is the first word of `Authorization`, the rest of which is not in the log.
    public subscript(header: String) -> String? { headers[header.lowercased()] }

    /// - Returns: `nil` for a line that is not of this format.
    init?(line: some StringProtocol) {
        var fields: [String: String] = [:]
        for field in line.split(separator: "\t") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            if parts[1] != "-" { fields[parts[0].lowercased()] = Self.unescaped(parts[1]) }
        }
        let request = fields.removeValue(forKey: "request")?.split(separator: " ") ?? []
        guard request.count == 3, let status = fields.removeValue(forKey: "status").flatMap({ Int($0) }) else {
            return nil
        }
        method = String(request[0])
        target = String(request[1])
        version = String(request[2])
        self.status = status
        received = fields.removeValue(forKey: "received").flatMap { Int64($0) } ?? 0
        headers = fields
    }

    /// Those in a file, in the order in which they ended.
    static func all(in path: String) throws -> [LoggedRequest] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { .init(line: $0) }
    }

    /// Both servers write `\xHH`; Apache also a backslash before a quotation mark and another backslash.
    private static func unescaped(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            if next == UInt8(ascii: "x"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                rest = rest.dropFirst(2)
                bytes.append(value)
            } else {
                bytes.append(next)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
