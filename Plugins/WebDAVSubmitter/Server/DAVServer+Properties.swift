internal import Submit
internal import SubmitHTTP
internal import SubmitXML

/// Properties of our own.
enum DAVProperty {
    /// A name that nobody else has and that promises no document (RFC 9562).
    static let namespace = "urn:uuid:e12341a9-1c6b-4882-82ec-46694dbb6f09"
}

extension DAVServer {
    /// Sets properties, all or none (RFC 4918, section 9.2).
    ///
    /// - Returns: whether the server did.
    func set(_ values: [ProppatchBody.Value], of path: DAVPath, about name: String? = nil) async throws(SubmitFailure)
        -> Bool
    {
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
