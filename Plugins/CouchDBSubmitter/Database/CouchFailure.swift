internal import Submit
internal import SubmitHTTP

extension CouchDatabase {
    /// What an answer that is no success means (docs.couchdb.org, “HTTP status codes”; `chttpd:error_info/1`).
    ///
    /// - Parameter file: the name of the file that was not stored, or of what was not told; `nil` where it was about none.
    func failure(_ response: HTTPResponse, about file: String?) -> SubmitFailure {
        let subject = file.map { "“\($0)” was not stored at “\(destination)”" } ?? "“\(destination)” cannot be used"
        let said = response.json(CouchError.self)
        let words = said.map { ", saying “\(ForeignText.line("\($0.error): \($0.reason ?? "")"))”" } ?? ""
        let wait = response.retryAfter(now: .now)
        func failure(_ remedy: Remedy, _ code: String, _ why: String) -> SubmitFailure {
            SubmitFailure(
                remedy, code: code, message: "\(subject) (\(host) answered \(response.status)\(words)): \(why).")
        }
        let misconfigured = Remedy.hold(.misconfigured, after: nil)
        if response.status == 200, response.isPage {
            return failure(
                misconfigured, "not-couchdb",
                "what answers there is a page for people; check that “url” is the address of a CouchDB")
        }
        switch response.status {
        case 401:
            return failure(
                .renewCredentials, "credentials",
                signsIn
                    ? "it refuses the user, the password, the key or the token; check or renew them"
                    : "it asks who you are; set “user” and the secret “password”")
        case 403 where said?.reason?.contains("temporarily locked") ?? false:
            // After wrong passwords; five minutes by itself (docs.couchdb.org, `chttpd_auth_lockout`).
            return failure(
                .hold(.throttled, after: wait ?? .seconds(300)), "locked-out",
                "it lets nobody in for some minutes after wrong passwords; check the password, and wait")
        case 403:
            return failure(
                file == nil ? misconfigured : .giveUp, "denied",
                "that is not allowed; check who may write to the database, and what its validation asks for")
        case 404:
            return failure(
                misconfigured, "not-found",
                "the database “\(name)” is not there; make it, or check “url” and “database”")
        case 405, 501:
            return failure(misconfigured, "not-couchdb", "it does not do that; check that “url” is that of a CouchDB")
        case 408: return failure(.tryAnother(after: wait), "damaged", "not all came through; try again")
        case 409, 412:
            return failure(.retry(after: wait), "changed-meanwhile", "somebody changed it at the same time; try again")
        case 413:
            return failure(
                .giveUp, "too-large", "it takes nothing of that size; raise its limit, or send a smaller one")
        case 429: return failure(.hold(.throttled, after: wait), "throttled", "it asks us to slow down")
        case 507: return failure(.hold(.full, after: wait), "full", "it has no room left; make some")
        case 500 where said?.reason?.contains("enospc") ?? false:
            return failure(.hold(.full, after: wait), "full", "its disk is full; make some room")
        case 502, 503, 504:
            return failure(.tryAnother(after: wait), "unavailable", "it is not available now; check that it is up")
        case 500...599:
            return failure(.tryAnother(after: wait), "server-error", "the server is in trouble; try again later")
        case 300..<400: return failure(misconfigured, "redirected", "it sends us elsewhere; check “url”")
        case 400 where said?.reason?.contains("attachment") ?? false:
            return failure(.retry(after: nil), "damaged", "not all came through; try again")
        default: return failure(.giveUp, "refused", "the server refuses it; check what it is")
        }
    }

    /// An answer that makes no sense: one that was cut on its way, or says nothing of what it was asked.
    func cut(about file: String?) -> SubmitFailure {
        let about = file.map { " about “\($0)”" } ?? ""
        return SubmitFailure(
            .tryAnother(after: nil), code: "bad-answer",
            message:
                "“\(host)” did not answer whole\(about) for “\(destination)”: try again; if it stays so, check that “url” is that "
                + "of a CouchDB.")
    }
}
