internal import Submit
internal import SubmitHTTP

extension DAVServer {
    /// What an answer that is no success means (RFC 4918, section 11; RFC 9110, section 15).
    ///
    /// - Parameters:
    ///   - place: what it was about, for the sentence: “/photos/a.jpg”.
    ///   - file: the name of the file that was not stored; `nil` where it was about none.
    func failure(_ response: HTTPResponse, at place: String, file: String?) -> SubmitFailure {
        let about = file.map { "“\($0)” was not stored at “\(destination)”" } ?? "“\(destination)” cannot be used"
        let document = DAVErrorDocument(response.body)
        let said = document?.message.map { ", saying “\(ForeignText.line($0))”" } ?? ""
        let wait = response.retryAfter(now: time)
        func failure(_ remedy: Remedy, _ code: String, _ why: String) -> SubmitFailure {
            SubmitFailure(
                remedy, code: code,
                message: "\(about) (\(host) answered \(response.status) for “\(place)”\(said)): \(why).")
        }
        let misconfigured = Remedy.hold(.misconfigured, after: nil)
        if response.announcesLoginPage {
            return failure(
                misconfigured, "not-webdav",
                "what answers there is a page for people, such as a login page; check that “url” is the address for WebDAV"
            )
        }
        switch response.status {
        case 401:
            return failure(
                .renewCredentials, "credentials",
                signsIn
                    ? "it refuses the user, the password or the token; check or renew them"
                    : "it asks who you are; set “user” and the secret “password”, or sign in where that is a Nextcloud")
        case 403:
            return failure(
                file == nil ? misconfigured : .giveUp, "denied",
                "that is not allowed; check the rights there and the name")
        case 404, 410: return failure(misconfigured, "not-found", "nothing is there; check “url” and “folder”")
        case 405, 501:
            return failure(
                misconfigured, "not-webdav",
                "it does not do that; check that “url” is the address for WebDAV")
        case 409:
            return failure(
                .retry(after: wait), "conflict",
                "someone else changes the same folder; try again")
        case 408: return failure(.tryAnother(after: wait), "damaged", "not all came through; try again")
        case 412:
            return failure(
                .retry(after: wait), "conflict",
                "someone else stores under the same name; try again")
        case 413:
            return failure(.giveUp, "too-large", "it takes no file of that size; raise its limit or send a smaller one")
        case 414:
            return failure(
                .giveUp, "name-too-long",
                "the name is too long for it; shorten the name, the album or the template")
        case 423, 428:
            let asksForToken = response.status == 428 || document?.conditions.contains("lock-token-submitted") ?? false
            return failure(
                .retry(after: wait), asksForToken ? Self.lockRequired : "locked",
                "it is locked; close it where it is open")
        case 425: return failure(.retry(after: wait), "too-early", "it is not ready yet; try again")
        case 429: return failure(.hold(.throttled, after: wait), "throttled", "it asks us to slow down")
        case 502, 503, 504:
            return failure(
                .tryAnother(after: wait), "unavailable", "it is not available now; check that it is up")
        case 507:
            return failure(
                .hold(.full, after: wait), "full",
                "it has no room left; make some or raise the quota")
        case 500...599:
            return failure(.tryAnother(after: wait), "server-error", "the server is in trouble; try again later")
        case 300..<400: return failure(misconfigured, "redirected", "it sends us elsewhere; check “url”")
        default: return failure(.giveUp, "refused", "the server refuses it; check the settings and the file's name")
        }
    }
}

extension HTTPResponse {
    /// It is a page for people, such as a login page or a captive portal's. Some servers add pages to what they refuse
    /// or have made; none of them says 200 then.
    var isLoginPage: Bool { status == 200 && isPage }

    /// The same of an answer on HEAD.
    var announcesLoginPage: Bool { status == 200 && announcesPage }

    var isSuccess: Bool { (200..<300).contains(status) }
}
