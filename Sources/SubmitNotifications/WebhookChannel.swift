internal import Crypto
internal import Foundation
package import Submit
internal import SubmitConcurrency
package import SubmitHTTP

/// A server that gets each piece of news by a POST, signed as Standard Webhooks 1.0 says (standardwebhooks.com): `webhook-id`,
/// `webhook-timestamp` and `webhook-signature`, HMAC-SHA256 over the three with dots between them.
package struct WebhookChannel: NewsChannel {
    package let name = "webhook"
    private let url: String
    private let secret: @Sendable () throws(SubmitFailure) -> String?
    private let transport: any HTTPTransport
    /// One that takes it and says nothing holds up the end of a command.
    private static let patience = Duration.seconds(10)

    /// - Parameter secret: asked for when something is told, by a thread that may wait: `whsec_` and Base64, or any text; `nil`:
    ///   nothing is signed.
    package init(
        url: String, secret: @escaping @Sendable () throws(SubmitFailure) -> String?, transport: any HTTPTransport
    ) {
        self.url = url
        self.secret = secret
        self.transport = transport
    }

    static func signature(of body: [UInt8], id: String, seconds: Int64, _ secret: String) -> String {
        let encoded = secret.hasPrefix("whsec_") ? Data(base64Encoded: String(secret.dropFirst(6))) : nil
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("\(id).\(seconds).".utf8) + body, using: SymmetricKey(data: encoded ?? Data(secret.utf8)))
        return "v1,\(Data(code).base64EncodedString())"
    }

    package func tell(_ news: News) async throws(SubmitFailure) {
        let body = news.json
        let seconds = Timestamp.now.seconds
        var headers = [
            ("Content-Type", "application/json"), ("webhook-id", news.id), ("webhook-timestamp", "\(seconds)"),
        ]
        if let secret = try await BlockingThreads.prompts.run({ () throws(SubmitFailure) in try secret() }) {
            headers.append(
                ("webhook-signature", Self.signature(of: body, id: news.id, seconds: seconds, secret)))
        }
        var request = HTTPRequest(method: "POST", url: url, headers: headers, body: .bytes(body))
        request.needsOnlyHead = true
        let sending = Task { [request, transport] () async -> HTTPResponse? in try? await transport.send(request) }
        let patience = Task {
            try await Task.sleep(for: Self.patience)
            sending.cancel()
        }
        defer { patience.cancel() }
        let answer = await withTaskCancellationHandler {
            await sending.value
        } onCancel: {
            sending.cancel()
        }
        guard let answer else {
            if Task.isCancelled { throw .cancelled }
            throw SubmitFailure(
                .retry(after: nil), code: "webhook", message: "The webhook cannot be reached: see that its server runs."
            )
        }
        guard !(200..<300).contains(answer.status) else { return }
        // It is told there that nobody wants it any more (410), or that it cannot be right.
        let isForGood = [400, 404, 405, 410, 413, 422].contains(answer.status)
        throw SubmitFailure(
            isForGood ? .giveUp : .retry(after: nil), code: "webhook",
            message: "The webhook answered \(answer.status): look at its server.")
    }
}
