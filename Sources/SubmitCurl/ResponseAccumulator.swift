package import SubmitHTTP

/// What came back so far on one request: the last answer's status and headers, and its body.
package struct ResponseAccumulator {
    private(set) var status: Int?
    /// The server answered, and not only by an interim answer (1xx).
    var isAnswered: Bool { (status ?? 0) >= 200 }
    private var headers: [(name: String, value: String)] = []
    private var body: [UInt8] = []
    private var isHeadComplete = false
    private var headerBytes = 0
    private let bodyLimit: Int
    private let receive: (@Sendable (HTTPResponse, Int64, UnsafeRawBufferPointer) -> Bool)?
    /// Bytes that were handed on.
    private var received: Int64 = 0
    /// Whoever takes the body needs no more of it.
    private(set) var isEnough = false

    /// All headers of all answers on one request, in bytes.
    static let headerLimit = 256 << 10

    /// - Parameter receive: as ``HTTPRequest/receive``.
    package init(
        bodyLimit: Int, receive: (@Sendable (HTTPResponse, Int64, UnsafeRawBufferPointer) -> Bool)? = nil
    ) {
        (self.bodyLimit, self.receive) = (bodyLimit, receive)
    }

    /// The answer, once its head is complete; `nil` before, and while only interim answers (1xx) came.
    package var response: HTTPResponse? {
        guard let status, status >= 200, isHeadComplete else { return nil }
        return HTTPResponse(status: status, headers: headers, body: body)
    }

    /// Its body came as long as it was announced.
    package var isWhole: Bool {
        guard let response, let length = response["Content-Length"] else { return false }
        return Int(length) == response.body.count
    }

    /// Takes a line with its end: a status line begins a new answer, an empty one ends the head. Trailers are not
    /// kept.
    package mutating func take(headerLine bytes: UnsafeRawBufferPointer) throws(HTTPFailure) {
        headerBytes += bytes.count
        guard headerBytes <= Self.headerLimit else {
            throw .badAnswer("The headers of the answer are larger than \(Self.headerLimit >> 10) KiB")
        }
        let line = bytes.trimmed
        if line.starts(with: "HTTP/".utf8) {
            status = Self.status(ofLine: line)
            headers = []
            body = []
            received = 0
            isHeadComplete = false
        } else if isHeadComplete {
            return
        } else if line.isEmpty {
            isHeadComplete = true
        } else if bytes[0] == UInt8(ascii: " ") || bytes[0] == UInt8(ascii: "\t"), !headers.isEmpty {
            // A folded header (RFC 9112, section 5.2).
            headers[headers.count - 1].value += " " + String(decoding: line, as: UTF8.self)
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
            let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmed
            headers.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        }
    }

    package mutating func take(body bytes: UnsafeRawBufferPointer) throws(HTTPFailure) {
        if let receive, let response, response.status < 300 {
            isEnough = !receive(response, received, bytes)
            received += Int64(bytes.count)
            return
        }
        guard body.count + bytes.count <= bodyLimit else {
            throw .badAnswer("The answer is larger than \(bodyLimit) bytes")
        }
        body.append(contentsOf: bytes)
    }

    /// `HTTP/1.1 200 OK`, `HTTP/2 200`.
    private static func status(ofLine line: UnsafeRawBufferPointer) -> Int? {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        return words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) : nil
    }
}

extension UnsafeRawBufferPointer {
    /// Without spaces, tabs and line ends on both sides.
    fileprivate var trimmed: UnsafeRawBufferPointer {
        func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(rebasing: self[first...last])
    }
}
