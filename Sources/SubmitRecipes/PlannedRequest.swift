public import Submit

/// A submitter that lists the requests it would send.
public protocol RequestPlanner: Submitter {
    /// Every request that submitting an item would send, in their order. Sends nothing, and asks for no secret.
    ///
    /// - Parameter bytes: the item's; looked at only where the recipe needs a digest that the item does not have.
    /// - Throws: a failure with the fault of the recipe.
    func requests(
        for item: MediaItem, bytes: any MediaBytes, album: String?
    ) async throws(SubmitFailure) -> [PlannedRequest]
}

/// A request that would be sent.
public struct PlannedRequest: Sendable, Hashable {
    /// What it is for: a step's id, `album`, `identity`.
    public let purpose: String
    /// Where it depends on what the service says, or is repeated: a clause.
    public let note: String?
    /// In upper case: `POST`.
    public let method: String
    /// With `{step.capture}` for what is not known yet.
    public let url: String
    /// Credentials as `…`.
    public let headers: [(name: String, value: String)]
    /// As text, files in angle brackets; empty for none.
    public let body: String

    package init(
        purpose: String, note: String?, method: String, url: String, headers: [(name: String, value: String)],
        body: String
    ) {
        (self.purpose, self.note, self.method, self.url) = (purpose, note, method, url)
        (self.headers, self.body) = (headers, body)
    }

    public static func == (a: PlannedRequest, b: PlannedRequest) -> Bool { a.description == b.description }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

extension PlannedRequest: CustomStringConvertible {
    /// As it would go out, with a line about it before.
    public var description: String {
        let head = ["# \(purpose)\(note.map { ": \($0)" } ?? "")", "\(method) \(url)"]
        let lines = head + headers.map { "\($0.name): \($0.value)" }
        return lines.joined(separator: "\n") + (body.isEmpty ? "" : "\n\n\(body)")
    }
}
