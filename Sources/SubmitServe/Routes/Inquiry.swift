internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import SubmitReceiving
internal import SubmitStore

/// One request that may be answered.
struct Inquiry: Sendable {
    let request: Request
    let route: WebRoute
    /// What stands in the path for `*` and `**`, still percent-encoded.
    let arguments: [Substring]
    /// Of the sender.
    let address: String
    /// `nil` where anyone may ask.
    let session: ReceivingSession?

    var headers: HTTPFields { request.headers }

    /// The body, which may not trickle.
    var body: PacedBody { PacedBody(request.body) }

    /// A small body, whole.
    func wholeBody(atMost most: Int) async throws(WebRefusal) -> [UInt8] {
        let tooLarge = WebRefusal(.contentTooLarge, "too-large", "More than \(most) bytes are not read here.")
        if let told = headers[.contentLength].flatMap(Int.init), told > most { throw tooLarge }
        var bytes: [UInt8] = []
        do {
            for try await piece in body {
                if bytes.count + piece.count > most { throw tooLarge }
                bytes += piece
            }
        } catch let refusal as WebRefusal {
            throw refusal
        } catch {
            throw WebRefusal(.badRequest, "broken-off", "The request ended before it was whole.")
        }
        return bytes
    }

    /// The media type of the body, without its parameters.
    var contentType: String {
        (headers[.contentType] ?? "").prefix { $0 != ";" }.trimmed.lowercased()
    }
}
