internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Submit
internal import SubmitReceiving
internal import SubmitStore

/// `PUT /put/NAME`: a file in one request. What breaks off begins anew.
struct PlainPut: Sendable {
    let reception: Reception

    func put(_ inquiry: Inquiry, _ session: ReceivingSession) async throws(WebRefusal) -> Response {
        let segments = inquiry.arguments.map { $0.removingPercentEncoding }
        guard let name = segments.last.flatMap({ $0 }), !segments.contains(where: { $0 == nil }) else {
            throw WebRefusal(.badRequest, "name", "The name in the address is not written as addresses are.")
        }
        if inquiry.headers[.contentRange] != nil {
            throw WebRefusal(.badRequest, "content-range", "A file is put as a whole; by tus it may come in pieces.")
        }
        let folders = segments.dropLast().compactMap { $0 }.joined(separator: "/")
        let length = inquiry.headers[.contentLength].flatMap(Int64.init)
        let type = inquiry.contentType
        let offer = FileOffer(
            name: name, folder: folders.isEmpty ? nil : folders, length: length, sha256: try digest(inquiry.headers),
            type: type.isEmpty ? nil : type)
        let file = try await WholeUpload(reception: reception, session: session).take(offer, inquiry.body)
        return .json(PutFile(file), .created)
    }

    /// `Repr-Digest` (RFC 9530) with a SHA-256.
    private func digest(_ fields: HTTPFields) throws(WebRefusal) -> [UInt8]? {
        guard let text = fields[HTTPField.Name("Repr-Digest")!] ?? fields[HTTPField.Name("Content-Digest")!] else {
            return nil
        }
        for member in text.split(separator: ",") {
            let member = member.trimmed
            guard member.lowercased().hasPrefix("sha-256=:"), member.hasSuffix(":") else { continue }
            let value = member.dropFirst("sha-256=:".count).dropLast()
            if let data = Data(base64Encoded: String(value)), data.count == 32 { return Array(data) }
            throw WebRefusal(.badRequest, "digest", "The SHA-256 is not written as RFC 9530 says.")
        }
        return nil
    }
}

/// A file that comes in one piece: it arrives, or there is nothing of it.
struct WholeUpload: Sendable {
    let reception: Reception
    let session: ReceivingSession

    func take<Chunks: AsyncSequence>(
        _ offer: FileOffer, _ chunks: Chunks
    ) async throws(WebRefusal) -> IncomingFile where Chunks.Element: Collection<UInt8> {
        do throws(ReceivingRefusal) {
            return try await reception.take(offer, session: session, chunks)
        } catch {
            throw error.isChecksum
                ? WebRefusal(.unprocessableContent, error.code, error.message) : WebRefusal(error)
        }
    }
}

extension ReceivingRefusal {
    fileprivate var isChecksum: Bool { if case .checksum = kind { true } else { false } }
}

/// What is said of a file that has arrived.
struct PutFile: Encodable {
    let id: String
    let name: String
    let length: Int64
    let sha256: String?

    init(_ file: IncomingFile) {
        id = file.id.rawValue
        name = file.name
        length = file.offset
        sha256 = file.digest.map { Hexadecimal.text(of: $0) }
    }
}
