internal import Submit
internal import SubmitHTTP
internal import SubmitXML

/// Properties of our own.
enum DAVProperty {
    /// No document has to be there: it only is ours.
    static let namespace = "https://github.com/submit/ns"
}

extension DAVServer {
    /// Sets properties, all or none (RFC 4918, section 9.2).
    ///
    /// - Returns: whether the server did.
    func set(_ values: [ProppatchBody.Value], of path: DAVPath, about name: String? = nil) async throws(SubmitFailure) -> Bool {
        let answer = try await send(
            DAVRequest(
                "PROPPATCH", path.encoded, headers: [("Content-Type", "application/xml; charset=utf-8")],
                body: .bytes(ProppatchBody(set: values).bytes), file: name))
        guard answer.isSuccess else { return false }
        guard let response = try? Multistatus.parse(answer.body).first else { return answer.status != 207 }
        return response.isSuccess && response.missing.isEmpty
    }

    /// The text of a property; `nil` where it has none.
    func text(of name: XMLName, of path: DAVPath) async throws(SubmitFailure) -> String? {
        let answer = try await propfind(path, [name], depth: "0", about: nil)
        guard answer.status == 207 else { return nil }
        return (try? Multistatus.parse(answer.body))?.first?.properties[name]?.trimmedText
    }
}
