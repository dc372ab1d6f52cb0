import Submit

/// A submitter without facets whose one verb is a closure.
struct ClosureSubmitter: Submitter {
    typealias Submit = @Sendable (MediaItem, any MediaBytes, SubmissionContext) async -> Result<Receipt, SubmitFailure>

    let settings: DestinationSettings
    let body: Submit

    let capabilities = Capabilities(ordering: .concurrent(100), requiresNetwork: false)
    let facets = Facets()

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        try await body(item, bytes, context).get()
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {}

    func check() async throws(SubmitFailure) -> String {
        "\(settings.secret("token") ?? "no token"), \(settings.secret("key") ?? "no key")"
    }

    static func type(_ body: @escaping Submit) -> SubmitterType {
        SubmitterType(
            name: "closure", summary: "A closure",
            capabilities: Capabilities(ordering: .concurrent(100), requiresNetwork: false), settings: []
        ) { ClosureSubmitter(settings: $0, body: body) }
    }
}

extension Conversation {
    /// A conversation that is past `hello` and `configure`.
    static func configured(
        patience: Int = 120_000, _ body: @escaping ClosureSubmitter.Submit = { _, _, _ in .failure(.cancelled) }
    ) async throws -> Conversation {
        let conversation = try Conversation(ClosureSubmitter.type(body), patience: patience)
        try await conversation.host { host in
            try host.say(#"{"message":"hello","id":1001,"versions":[1],"host":"test"}"#)
            _ = try host.nextJSON()
            try host.say(#"{"message":"configure","id":1002,"destination":"attic","settings":{},"secrets":[]}"#)
            _ = try host.nextJSON()
        }
        return conversation
    }

    func say(submit id: Int, size: Int, path: String? = nil, checkpoint: String? = nil) throws {
        let more = [("path", path), ("checkpoint", checkpoint)].map { name, text in
            text.map { ",\"\(name)\":\"\($0)\"" } ?? ""
        }
        let digest = String(repeating: "0", count: 64)
        try say(
            #"{"message":"submit","id":\#(id),"submission":"s","attempt":1,"item":{"name":"a.jpg","size":\#(size),"#
                + #""kind":"photo","mime":"image/jpeg","extension":"jpg","modified":"2024-05-17T16:42:07Z","#
                + #""digests":{"sha256":"\#(digest)"}},"onConflict":"rename","verification":"usual"\#(more.joined())}"#)
    }
}

extension MediaBytes {
    /// All bytes, in one go.
    func all() -> Result<[UInt8], SubmitFailure> {
        var bytes = [UInt8](repeating: 0, count: Int(size) + 10)
        let count = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SubmitFailure) in try read(into: buffer, at: 0) }
        }
        return count.map { Array(bytes.prefix($0)) }
    }
}
