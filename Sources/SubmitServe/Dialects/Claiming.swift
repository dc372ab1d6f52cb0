internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Submit
internal import SubmitReceiving
internal import SubmitStore

/// The secret of an invite for a session, once.
struct Claiming: Sendable {
    let reception: Reception
    let token: SessionToken
    /// Somebody has come in.
    let onClaim: @Sendable (ReceivingSession) -> Void
    /// Too many came with another secret: the invite lets nobody in any more.
    let onLock: @Sendable (InviteID) -> Void

    private struct Claim: Decodable {
        var secret: String
        var attempt: String?
        var device: String?
        /// The token is told in the answer, to programs that keep no cookies.
        var bearer: Bool?
    }

    private struct Told: Encodable {
        let token: String?
        let confirmed: Bool
        let words: [String]
    }

    func claim(_ inquiry: Inquiry) async throws(WebRefusal) -> Response {
        let bytes = try await inquiry.wholeBody(atMost: 4096)
        let isForm = inquiry.contentType == "application/x-www-form-urlencoded"
        guard let claim = isForm ? Self.form(bytes) : Self.json(inquiry, bytes) else {
            throw WebRefusal(.badRequest, "claim", "The secret is sent as {\"secret\": \"…\"}, in the body.")
        }
        let invite = InviteID(rawValue: String(inquiry.arguments[0]))
        let device = claim.device ?? inquiry.headers[.userAgent].map(Self.device) ?? ""
        let fresh = try await asking { () async throws(ReceivingRefusal) in
            do throws(ReceivingRefusal) {
                return try await reception.claim(
                    invite, secret: claim.secret, address: inquiry.address, device: device, attempt: claim.attempt)
            } catch {
                if case .locked = error.kind { onLock(invite) }
                throw error
            }
        }
        onClaim(fresh.session)
        let seconds = max(1, Int(fresh.session.expires.seconds - Timestamp.now.seconds))
        let cookie: HTTPFields = [.setCookie: token.setting(fresh.token, seconds: seconds)]
        if isForm { return .empty(.seeOther, cookie.merging([.location: "/form"])) }
        let isBearer = claim.bearer == true
        let told = Told(
            token: isBearer ? fresh.token : nil, confirmed: fresh.session.state == .open, words: fresh.session.words)
        return .json(told, .ok, isBearer ? [:] : cookie)
    }

    private static func json(_ inquiry: Inquiry, _ bytes: [UInt8]) -> Claim? {
        inquiry.contentType == "application/json" ? try? JSONDecoder().decode(Claim.self, from: Data(bytes)) : nil
    }

    /// Where no script runs the secret is typed.
    private static func form(_ bytes: [UInt8]) -> Claim? {
        for pair in String(decoding: bytes, as: UTF8.self).split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1)
            guard sides.count == 2, sides[0] == "secret" else { continue }
            return sides[1].removingPercentEncoding.map { Claim(secret: $0.trimmed) }
        }
        return nil
    }

    /// What a browser says it runs on, in short.
    private static func device(_ agent: String) -> String {
        let known = ["iPhone", "iPad", "Android", "Macintosh", "Windows", "Linux", "curl", "python"]
        return known.first(where: agent.contains) ?? "browser"
    }
}

extension HTTPFields {
    fileprivate func merging(_ others: HTTPFields) -> HTTPFields {
        var fields = self
        for field in others { fields.append(field) }
        return fields
    }
}
