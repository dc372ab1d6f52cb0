public import Submit

extension HTTPFailure {
    /// The code of a failure after which everything may have arrived: the server received it and did not answer in time.
    public static let noAnswerCode = "no-answer"

    /// What this means for a submission whose bytes the failed request carried to their last one.
    ///
    /// As ``submitFailure(host:file:)``, but a server that got everything and did not answer in time counts as an attempt:
    /// what may have arrived is looked at before anything is sent again.
    ///
    /// - Parameters:
    ///   - request: what was sent. Only one that carries a whole item is such an upload.
    ///   - host: the destination's host, for the sentence.
    ///   - file: the name of the file that was sent, for the sentence.
    public func submitFailure(after request: HTTPRequest, host: String, file: String?) -> SubmitFailure {
        guard case .stalled(afterBody: true) = self, case .media(let bytes, let range) = request.body,
            range == 0..<bytes.size, let file
        else { return submitFailure(host: host, file: file) }
        return SubmitFailure(
            .retry(after: nil), code: Self.noAnswerCode,
            message:
                "“\(host)” received all of “\(file)” and did not answer in time: submit checks what arrived before it sends "
                + "anything again.")
    }

    /// What this means for a submission.
    ///
    /// A host that cannot be reached puts the destination on hold; one that is not trusted or sends us elsewhere puts it on hold as
    /// misconfigured; where a connection broke or stalled or an answer made no sense, another submission is tried first; a
    /// request that cannot be sent is given up. A submitter whose step must not be repeated blindly looks at `afterBody` of
    /// ``stalled(afterBody:)`` and ``broken(_:afterBody:)`` first.
    ///
    /// - Parameters:
    ///   - host: the destination's host, for the sentence.
    ///   - file: the name of the file that was being sent or looked at, for the sentence; `nil` where it was about none.
    public func submitFailure(host: String, file: String?) -> SubmitFailure {
        func failure(_ remedy: Remedy, _ code: String, _ what: String, _ advice: String) -> SubmitFailure {
            let about = file.map { " for “\($0)”" } ?? ""
            return SubmitFailure(remedy, code: code, message: "\(what)\(about): \(advice).")
        }
        func quoted(_ text: String) -> String { text.isEmpty ? "" : " (\(KnownSecrets.redacted(text)))" }
        let unreachable = Remedy.hold(.unreachable, after: nil)
        let misconfigured = Remedy.hold(.misconfigured, after: nil)
        let unclear = Remedy.tryAnother(after: nil)
        switch self {
        case .unknownHost(let text):
            return failure(
                unreachable, "unknown-host", "The host “\(host)” is not known\(quoted(text))",
                "check the destination's URL and the network")
        case .cannotConnect(let text):
            return failure(
                unreachable, "cannot-connect", "“\(host)” cannot be reached\(quoted(text))",
                "check that it is up and that the network lets us through")
        case .untrusted(let text):
            return failure(
                misconfigured, "untrusted", "No trusted connection to “\(host)” can be made\(quoted(text))",
                "check the URL and the certificate, or name the authority that issued it")
        case .proxy(let text):
            return failure(
                unreachable, "proxy", "The proxy does not lead to “\(host)”\(quoted(text))",
                "check the proxy's URL and credentials")
        case .stalled(let afterBody):
            return failure(
                unclear, "stalled",
                afterBody ? "“\(host)” took everything and did not answer" : "“\(host)” stopped taking what is sent",
                "try again")
        case .broken(let text, _):
            return failure(unclear, "broken", "The connection to “\(host)” broke\(quoted(text))", "try again")
        case .badAnswer(let text):
            return failure(
                unclear, "bad-answer", "“\(host)” did not answer as a web server does\(quoted(text))",
                "try again; if it stays so, check the destination's URL")
        case .badRequest(let text):
            return failure(
                .giveUp, "bad-request", "What should go to “\(host)” cannot be sent\(quoted(text))",
                "check the destination's settings and the file's name")
        case .throttled(let wait):
            return failure(
                .hold(.throttled, after: wait), "throttled",
                "“\(host)” asked to be left alone for \((wait.milliseconds + 999) / 1000) seconds more",
                "it is tried again then")
        case .refusedRedirect(let sentence):
            return SubmitFailure(misconfigured, code: "redirected", message: sentence)
        case .refusedAuthentication(let refusal):
            let (what, advice) = refusal.words
            return failure(misconfigured, "refused-authentication", "“\(host)” \(what)", advice)
        case .clientCertificate(let sentence):
            return SubmitFailure(misconfigured, code: "client-certificate", message: sentence)
        case .body(let failure), .credentials(let failure): return failure
        case .cancelled: return .cancelled
        }
    }
}
