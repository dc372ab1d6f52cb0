import Submit
import SubmitConcurrency
import SubmitPlugin
import SubmitPluginProtocol
import Testing

/// The specification's transcripts, with a submitter that is served and a host that says what they show.
@Suite struct SubmitterTranscriptTests {
    @Test(.timeLimit(.minutes(10)), arguments: Transcript.all)
    func `a submitter that is served says what the specification shows`(transcript: Transcript) async throws {
        let script = ScriptedSubmitter.Script()
        let conversation = try Conversation(Self.type(script))
        try await conversation.host { try Self.prepare($0, for: transcript) }
        script.steps.withLock { $0 = Self.steps(of: transcript) }

        let exchange = try await conversation.host { try Self.replay(transcript, with: $0) }
        for (shown, said) in exchange { #expect(said == shown) }
        let ending = await conversation.end()
        #expect(ending == .finished)
        #expect(try await conversation.host { $0.next() } == nil)
    }

    @Test func `the specification shows every message that this code knows`() {
        let shown = Set(Transcript.all.flatMap(\.lines).map(\.message))
        let known =
            RequestKind.allCases.map(\.rawValue) + QuestionKind.allCases.map(\.rawValue)
            + HostMessageName.allCases.map(\.rawValue) + SubmitterMessageName.allCases.map(\.rawValue)
        #expect(Set(known).subtracting(shown).isEmpty)
    }

    @Test func `the specification shows every field that this code knows, or has it in a table`() {
        let shown = Transcript.all.flatMap(\.lines).reduce(into: Set<String>()) { $0.formUnion($1.json.names) }
        let rows = Transcript.document.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let tabled = Set(rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) })
        #expect(Set(MessageField.allCases.map(\.rawValue)).subtracting(shown).subtracting(tabled).isEmpty)
    }

    @Test func `the specification names every word that this code knows`() {
        let words =
            RemedyName.allCases.map(\.rawValue) + SettingKindName.allCases.map(\.rawValue)
            + OrderingName.allCases.map(\.rawValue) + PresenceName.allCases.map(\.rawValue)
            + FacetName.allCases.map(\.rawValue) + Evidence.allCases.map(\.rawValue)
            + ConflictPolicy.allCases.map(\.rawValue) + Verification.allCases.map(\.rawValue)
            + MediaKind.allCases.map(\.rawValue) + DigestAlgorithm.allCases.map(\.rawValue)
            + [HoldReason.unreachable, .full, .throttled, .misconfigured].map(\.rawValue)
        for word in words { #expect(Transcript.document.contains("`\(word)`"), "\(word)") }
    }

    /// Says the host's lines and hears the submitter's: what the transcript shows, beside what was said.
    ///
    /// The numbers of questions are those of the transcript, if each stands for one of the submitter's own.
    private static func replay(
        _ transcript: Transcript, with conversation: Conversation
    ) throws -> [(shown: JSONText, said: JSONText)] {
        var numbers: [Int: Int] = [:]
        var exchange: [(JSONText, JSONText)] = []
        for line in transcript.lines {
            switch line.speaker {
            case .host:
                var text = line.text
                if let number = line.json["question"]?.number, let own = numbers[number] {
                    text = text.replacing("\"question\":\(number)", with: "\"question\":\(own)")
                }
                try conversation.say(text)
            case .submitter:
                if isNeverSaid(line) { continue }
                var said = try conversation.nextJSON()
                if let number = line.json["question"]?.number, let own = said["question"]?.number,
                    numbers[number] == nil, !numbers.values.contains(own)
                {
                    numbers[number] = own
                    said["question"] = .number(Double(number))
                }
                exchange.append((line.json, said))
            }
        }
        return exchange
    }

    /// A question of a later version, and what submitters of this code do not do.
    private static func isNeverSaid(_ line: Transcript.Line) -> Bool {
        ["weather", "log"].contains(line.message)
    }

    private static func type(_ script: ScriptedSubmitter.Script) throws -> SubmitterType {
        guard case .hello(let hello) = try outcome("hello", .hello),
            case .configured(let configured) = try outcome("configure", .configure)
        else { throw MalformedMessage("the specification shows no hello or configure") }
        return SubmitterType(
            name: "shelf", summary: hello.summary, capabilities: hello.capabilities,
            settings: hello.settings
        ) { (settings) throws(SubmitFailure) in
            _ = try settings.required("shelf")
            return ScriptedSubmitter(
                script: script, notes: settings.notes, capabilities: configured.capabilities ?? hello.capabilities)
        }
    }

    /// What the first answer to a message is.
    private static func outcome(_ message: String, _ kind: RequestKind) throws -> RequestOutcome {
        for transcript in Transcript.all where transcript.requests.contains(message) {
            let done = try #require(transcript.lines.first { $0.speaker == .submitter && $0.message == "done" })
            let id = try #require(done.json["id"]?.number)
            guard case .done(_, let outcome) = try SubmitterMessage(line: Array(done.text.utf8), requests: [id: kind])
            else { break }
            return outcome
        }
        throw MalformedMessage("the specification shows no \(message)")
    }

    /// Says what stands before a transcript that begins in the middle.
    private static func prepare(_ conversation: Conversation, for transcript: Transcript) throws {
        if transcript.requests.contains("hello") { return }
        try conversation.say(#"{"message":"hello","id":1001,"versions":[1],"host":"test"}"#)
        _ = try conversation.nextJSON()
        if transcript.requests.contains("configure") { return }
        try conversation.say(
            #"{"message":"configure","id":1002,"destination":"attic","settings":{"shelf":"/srv"},"secrets":[]}"#)
        _ = try conversation.nextJSON()
    }

    private static func steps(of transcript: Transcript) -> [RequestKind: [[ScriptedSubmitter.Step]]] {
        var requests: [Int: RequestKind] = [:]
        var order: [Int] = []
        var steps: [Int: [ScriptedSubmitter.Step]] = [:]
        for line in transcript.lines {
            if line.speaker == .host {
                if let kind = RequestKind(rawValue: line.message), let id = line.json["id"]?.number {
                    requests[id] = kind
                    order.append(id)
                }
                continue
            }
            switch try? SubmitterMessage(line: Array(line.text.utf8), requests: requests) {
            case .done(let id, let outcome): steps[id, default: []].append(.end(.success(outcome)))
            case .failed(let id, let failure): steps[id, default: []].append(.end(.failure(failure)))
            case .progress(let id, let sent, let landed):
                steps[id, default: []].append(.progress(sent: sent, landed: landed))
            case .question(_, let question):
                if let id = line.json["id"]?.number ?? order.last { steps[id, default: []].append(.question(question)) }
            default: break
            }
        }
        return order.reduce(into: [:]) { $0[requests[$1]!, default: []].append(steps[$1] ?? []) }
    }
}
