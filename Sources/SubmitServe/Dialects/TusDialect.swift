internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Submit
internal import SubmitHTTP
internal import SubmitReceiving
internal import SubmitStore

/// tus 1.0: files in pieces, each of which goes on where the one before ended.
struct TusDialect: Sendable {
    let reception: Reception

    static let version = "1.0.0"
    private static let extensions = "creation,creation-with-upload,expiration,termination,checksum"
    private static let octets = "application/offset+octet-stream"

    /// The fields that every answer has, also a refusing one.
    static func mark(_ fields: inout HTTPFields) { fields[.tusResumable] = version }

    static func isSpoken(by route: WebRoute) -> Bool {
        switch route {
        case .options, .create, .head, .patch, .terminate: true
        default: false
        }
    }

    /// - Throws: where the client speaks another version; then nothing else of it is looked at.
    static func check(_ route: WebRoute, _ fields: HTTPFields) throws(WebRefusal) {
        guard isSpoken(by: route), route != .options, fields[.tusResumable] != version else { return }
        throw WebRefusal(
            .preconditionFailed, "tus-version", "This is tus \(version): say so by Tus-Resumable.",
            fields: [.tusVersion: version])
    }

    /// What is there.
    func options() -> Response {
        .empty(
            .noContent,
            [.tusVersion: Self.version, .tusExtension: Self.extensions, .tusChecksumAlgorithm: "sha1,sha256"])
    }

    func create(_ inquiry: Inquiry, _ session: ReceivingSession) async throws(WebRefusal) -> Response {
        let fields = inquiry.headers
        if fields[.uploadDeferLength] != nil || fields[.uploadConcat] != nil {
            throw WebRefusal(
                .badRequest, "not-offered", "A length has to be told beforehand, and files are not put together here.")
        }
        guard let length = fields[.uploadLength].flatMap(Int64.init), length >= 0 else {
            throw WebRefusal(.badRequest, "no-length", "Upload-Length is missing, or is no length.")
        }
        guard let metadata = TusMetadata(fields[.uploadMetadata] ?? "") else {
            throw WebRefusal(.badRequest, "metadata", "Upload-Metadata is not written as tus says.")
        }
        let hasBody = !inquiry.contentType.isEmpty
        if hasBody { try checkType(inquiry) }
        let checksum = try checksum(fields)
        let file = try await asking { () async throws(ReceivingRefusal) in
            try await reception.begin(metadata.offer(length: length), session: session)
        }
        var answer: HTTPFields = [
            .location: "/files/\(file.id)", .uploadExpires: HTTPDate.format(file.expires), .uploadOffset: "0",
        ]
        guard hasBody || length == 0 else { return .empty(.created, answer) }
        do {
            answer[.uploadOffset] = "\(try await append(inquiry, file, session, at: 0, checksum))"
        } catch {
            // What was made is told of, so that it can be gone on with.
            guard error.fields[.uploadOffset] != nil, error.status == .badRequest else { throw error }
            var error = error
            error.fields[.location] = answer[.location]
            throw error
        }
        return .empty(.created, answer)
    }

    func head(_ inquiry: Inquiry, _ session: ReceivingSession) async throws(WebRefusal) -> Response {
        var file = try await file(inquiry, session)
        if file.state.isOpen, file.offset == file.length {
            let id = file.id
            file = try await asking { () async throws(ReceivingRefusal) in
                try await reception.finish(id, session: session)
            }
        }
        guard file.state.isOpen || file.state == .arrived else { throw Self.gone(file) }
        var fields: HTTPFields = [
            .uploadOffset: "\(file.offset)", .cacheControl: "no-store",
            .uploadMetadata: TusMetadata.text(name: file.name, type: file.toldType),
        ]
        if let length = file.length { fields[.uploadLength] = "\(length)" }
        if file.state.isOpen { fields[.uploadExpires] = HTTPDate.format(file.expires) }
        return .empty(.ok, fields)
    }

    func patch(_ inquiry: Inquiry, _ session: ReceivingSession) async throws(WebRefusal) -> Response {
        try checkType(inquiry)
        guard let offset = inquiry.headers[.uploadOffset].flatMap(Int64.init), offset >= 0 else {
            throw WebRefusal(.badRequest, "no-offset", "Upload-Offset is missing, or is no offset.")
        }
        let checksum = try checksum(inquiry.headers)
        let file = try await file(inquiry, session)
        guard file.state.isOpen || file.state == .arrived else { throw Self.gone(file) }
        let reached = try await append(inquiry, file, session, at: offset, checksum)
        return .empty(.noContent, [.uploadOffset: "\(reached)", .uploadExpires: HTTPDate.format(file.expires)])
    }

    func terminate(_ inquiry: Inquiry, _ session: ReceivingSession) async throws(WebRefusal) -> Response {
        let file = try await file(inquiry, session)
        try await asking { () async throws(ReceivingRefusal) in try await reception.cancel(file.id, session: session) }
        return .empty(.noContent)
    }

    // MARK: Steps

    private func file(_ inquiry: Inquiry, _ session: ReceivingSession) async throws(WebRefusal) -> IncomingFile {
        let id = IncomingFileID(rawValue: String(inquiry.arguments.first ?? ""))
        return try await asking { () async throws(ReceivingRefusal) in try await reception.file(id, session: session) }
    }

    /// Takes what comes; with the last byte the file has to be accepted before anything is said.
    private func append(
        _ inquiry: Inquiry, _ file: IncomingFile, _ session: ReceivingSession, at offset: Int64,
        _ checksum: PromisedDigest?
    ) async throws(WebRefusal) -> Int64 {
        // Its last answer was lost, and it is asked for again.
        if file.state == .arrived, offset == file.offset { return offset }
        var reached = offset
        if file.offset != file.length || offset != file.offset {
            reached = try await asking { () async throws(ReceivingRefusal) in
                try await reception.append(to: file.id, session: session, at: offset, inquiry.body, checksum: checksum)
            }
        }
        if reached == file.length {
            _ = try await asking { () async throws(ReceivingRefusal) in
                try await reception.finish(file.id, session: session)
            }
        }
        return reached
    }

    private func checkType(_ inquiry: Inquiry) throws(WebRefusal) {
        guard inquiry.contentType == Self.octets else {
            throw WebRefusal(.unsupportedMediaType, "content-type", "Bytes of a file are sent as \(Self.octets).")
        }
    }

    private func checksum(_ fields: HTTPFields) throws(WebRefusal) -> PromisedDigest? {
        guard let text = fields[.uploadChecksum] else { return nil }
        let words = text.split(separator: " ")
        guard words.count == 2, let bytes = Data(base64Encoded: String(words[1])) else {
            throw WebRefusal(.badRequest, "checksum", "Upload-Checksum is not written as tus says.")
        }
        switch (words[0], bytes.count) {
        case ("sha1", 20): return PromisedDigest(.sha1, Array(bytes))
        case ("sha256", 32): return PromisedDigest(.sha256, Array(bytes))
        default: throw WebRefusal(.badRequest, "checksum", "Upload-Checksum may be sha1 or sha256.")
        }
    }

    private static func gone(_ file: IncomingFile) -> WebRefusal {
        WebRefusal(.gone, file.code ?? file.state.name, file.sentence ?? "This file is wanted no more.")
    }
}

/// Does something at the reception, and turns its refusal into one of HTTP.
func asking<Value>(
    _ body: () async throws(ReceivingRefusal) -> Value
) async throws(WebRefusal) -> Value {
    do throws(ReceivingRefusal) {
        return try await body()
    } catch {
        throw WebRefusal(error)
    }
}

extension HTTPField.Name {
    static let tusResumable = HTTPField.Name("Tus-Resumable")!
    static let tusVersion = HTTPField.Name("Tus-Version")!
    static let tusExtension = HTTPField.Name("Tus-Extension")!
    static let tusChecksumAlgorithm = HTTPField.Name("Tus-Checksum-Algorithm")!
    static let uploadLength = HTTPField.Name("Upload-Length")!
    static let uploadDeferLength = HTTPField.Name("Upload-Defer-Length")!
    static let uploadConcat = HTTPField.Name("Upload-Concat")!
    static let uploadMetadata = HTTPField.Name("Upload-Metadata")!
    static let uploadExpires = HTTPField.Name("Upload-Expires")!
    static let uploadChecksum = HTTPField.Name("Upload-Checksum")!
    static let methodOverride = HTTPField.Name("X-HTTP-Method-Override")!
}
