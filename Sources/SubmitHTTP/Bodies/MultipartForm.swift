internal import Submit

/// A `multipart/form-data` body (RFC 7578), its parts in the order given and its length known beforehand.
public struct MultipartForm: Sendable {
    /// One field of a form.
    public struct Part: Sendable {
        /// The field's name. Sent in UTF-8, with what would end it percent-encoded.
        public var name: String
        /// Sent as it is, in UTF-8, with what would end it percent-encoded: what browsers do, and services expect.
        public var filename: String?
        /// A MIME type; `nil` for none, which means text.
        public var type: String?
        /// The field's bytes, as they are.
        public var content: BodyPiece

        /// A field; with a file name, what servers take for a file (RFC 7578, section 4.2).
        public init(_ name: String, filename: String? = nil, type: String? = nil, _ content: BodyPiece) {
            self.name = name
            self.filename = filename
            self.type = type
            self.content = content
        }
    }

    /// Goes with the body as `Content-Type`.
    public let contentType: String
    /// The parts with the boundaries around them; to be sent with ``contentType``.
    public let body: HTTPBody

    /// - Parameter boundary: what parts are told apart by; `nil` for one that stands in no part held in memory. That
    ///   it stands in no file either is a matter of its 144 random bits.
    /// - Throws: ``HTTPFailure/badRequest(_:)`` for a type that would break out of its header.
    public init(_ parts: [Part], boundary: String? = nil) throws(HTTPFailure) {
        let boundary = boundary ?? Self.boundary(for: parts)
        var pieces: [BodyPiece] = []
        for part in parts {
            var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(part.name))\""
            if let filename = part.filename { head += "; filename=\"\(Self.quoted(filename))\"" }
            if let type = part.type {
                guard type.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
                    throw .badRequest("The type of the part “\(part.name)” has characters that none may have")
                }
                head += "\r\nContent-Type: \(type)"
            }
            pieces += [.text(head + "\r\n\r\n"), part.content, .text("\r\n")]
        }
        pieces.append(.text("--\(boundary)--\r\n"))
        contentType = "multipart/form-data; boundary=\(boundary)"
        body = .pieces(pieces)
    }

    private static func quoted(_ text: String) -> String {
        var quoted: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): quoted += "%22".utf8
            case 13: quoted += "%0D".utf8
            case 10: quoted += "%0A".utf8
            case 0: quoted += "%00".utf8
            default: quoted.append(byte)
            }
        }
        return String(decoding: quoted, as: UTF8.self)
    }

    private static func boundary(for parts: [Part]) -> String {
        while true {
            let boundary =
                String(UInt128.random(in: .min ... .max), radix: 36) + String(UInt16.random(in: .min ... .max))
            let isFree = parts.allSatisfy { part in
                guard case .bytes(let bytes) = part.content else { return true }
                return bytes.firstRange(of: Array(boundary.utf8)) == nil
            }
            if isFree { return boundary }
        }
    }
}
