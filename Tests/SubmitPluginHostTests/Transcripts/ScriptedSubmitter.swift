import Submit
import SubmitConcurrency
import SubmitPluginProtocol

/// A submitter that does what the lines of a transcript say.
struct ScriptedSubmitter: Submitter {
    /// What it does for a request, in order.
    enum Step: Sendable {
        case progress(sent: Int64?, landed: Int64?)
        case question(HostQuestion)
        case end(Result<RequestOutcome, SubmitFailure>)
    }

    /// What it does for the requests of each kind, in the order of the requests.
    final class Script: Sendable {
        let steps = Locked<[RequestKind: [[Step]]]>([:])

        func next(_ kind: RequestKind) -> [Step] {
            steps.withLock { steps in
                guard let first = steps[kind]?.first else { return [] }
                steps[kind]?.removeFirst()
                return first
            }
        }
    }

    let script: Script
    let notes: any DestinationNotes
    let capabilities: Capabilities

    var facets: Facets {
        Facets(albums: self, presence: self, links: self, leftovers: LeftoverSteps(self), removal: self, login: self)
    }

    fileprivate func play(
        _ kind: RequestKind, _ bytes: (any MediaBytes)? = nil, _ context: SubmissionContext? = nil
    ) async throws(SubmitFailure) -> RequestOutcome {
        for step in script.next(kind) {
            switch step {
            case .progress(let sent, let landed):
                if let sent { context?.sent(sent) }
                if let landed { context?.landed(landed) }
            case .question(.unchanged):
                try bytes?.verifyUnchanged()
            case .question(.read(_, let offset, let length)):
                var buffer = [UInt8](repeating: 0, count: length)
                var result: Result<Int, SubmitFailure> = .success(0)
                buffer.withUnsafeMutableBytes { buffer in
                    do throws(SubmitFailure) {
                        result = .success(try bytes?.read(into: buffer, at: offset) ?? 0)
                    } catch {
                        result = .failure(error)
                    }
                }
                _ = try result.get()
            case .question(.checkpoint(_, let text)):
                try await context?.keep(text.map { Checkpoint(data: Array($0.utf8)) })
            case .question(.note(let topic)):
                _ = await notes.read(topic)
            case .question(.keepNote(let topic, let text)):
                await notes.write(topic, text.map { Array($0.utf8) })
            case .question(.secret):
                break
            case .end(let result):
                if result == .failure(.cancelled) { try? await Task.sleep(for: .seconds(3600)) }
                return try result.get()
            }
        }
        throw SubmitFailure(
            .giveUp, code: "no-script", message: "The transcript does not say what comes of \(kind.rawValue).")
    }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        guard case .receipt(let receipt) = try await play(.submit, bytes, context) else { throw .cancelled }
        return receipt
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        _ = try await play(.discard, nil, context)
    }

    func check() async throws(SubmitFailure) -> String {
        guard case .text(let text) = try await play(.check) else { throw .cancelled }
        return text
    }
}

extension ScriptedSubmitter: AlbumFacet, PresenceFacet, LinkFacet, RemovalFacet, LoginFacet {
    func list() async throws(SubmitFailure) -> [String] {
        guard case .albums(let albums) = try await play(.albums) else { throw .cancelled }
        return albums
    }

    func create(_ album: String) async throws(SubmitFailure) { _ = try await play(.createAlbum) }

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        guard case .presence(let presence)? = try? await play(.presence) else { return .unknown("") }
        return presence
    }

    var longestLife: Duration { .seconds(604_800) }

    func link(to receipt: Receipt, validFor life: Duration) async throws(SubmitFailure) -> String {
        guard case .link(let url) = try await play(.link) else { throw .cancelled }
        return url
    }

    func remove(_ receipt: Receipt) async throws(SubmitFailure) { _ = try await play(.remove) }

    func removeAlbum(_ album: String) async throws(SubmitFailure) { _ = try await play(.removeAlbum) }

    var secrets: Set<String> { ["token"] }

    func begin(_ client: LoginClient) async throws(SubmitFailure) -> any LoginAttempt {
        guard case .loginBegun(let prompt) = try await play(.beginLogin) else { throw .cancelled }
        return Begun(submitter: self, prompt: prompt)
    }

    func revoke() async throws(SubmitFailure) -> Revocation {
        guard case .logout(let revocation) = try await play(.logout) else { throw .cancelled }
        return revocation
    }

    private struct Begun: LoginAttempt {
        let submitter: ScriptedSubmitter
        let prompt: LoginPrompt

        func poll() async throws(SubmitFailure) -> LoginProgress {
            guard case .login(let progress) = try await submitter.play(.pollLogin) else { throw .cancelled }
            return progress
        }
    }
}

private struct LeftoverSteps: LeftoverFacet {
    let submitter: ScriptedSubmitter

    init(_ submitter: ScriptedSubmitter) {
        self.submitter = submitter
    }

    func list(sparing checkpoints: [Checkpoint]) async throws(SubmitFailure) -> [Leftover] {
        guard case .leftovers(let leftovers) = try await submitter.play(.leftovers) else { throw .cancelled }
        return leftovers
    }

    func remove(_ leftover: Leftover) async throws(SubmitFailure) { _ = try await submitter.play(.removeLeftover) }
}
