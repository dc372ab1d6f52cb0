internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension Response {
    static func empty(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:]) -> Response {
        Response(status: status, headers: fields)
    }

    static func json(_ value: some Encodable, _ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:])
        -> Response
    {
        text(JSONAnswer.bytes(value), "application/json", status, fields)
    }

    static func html(_ text: String, _ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:]) -> Response {
        self.text(Array(text.utf8), "text/html; charset=utf-8", status, fields)
    }

    static func text(
        _ bytes: some Sequence<UInt8>, _ type: String, _ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:]
    ) -> Response {
        var fields = fields
        fields[.contentType] = type
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    init(_ refusal: WebRefusal) {
        self = .json(
            Complaint(error: .init(code: refusal.code, message: refusal.message)), refusal.status, refusal.fields)
    }

    private struct Complaint: Encodable {
        struct Reason: Encodable {
            let code: String
            let message: String
        }
        let error: Reason
    }
}

/// JSON as this program writes it.
enum JSONAnswer {
    static func bytes(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map(Array.init) ?? []
    }
}
