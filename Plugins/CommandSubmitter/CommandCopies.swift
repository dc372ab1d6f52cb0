internal import Submit
internal import SubmitPrograms

/// What the programs `present` and `remove` know and do of copies.
///
/// `present` ends with 0 where this very item is there, 1 where it is not, anything else where that cannot be told. It may
/// print `verified`, `echoed` or `size` first: what it compared. Without such a word its yes proves nothing more than that.
struct CommandCopies: PresenceFacet, RemovalFacet {
    let destination: String
    let present: CommandLineTemplate?
    let remove: CommandLineTemplate?
    let life: Duration

    func look(_ item: MediaItem, _ values: [String: String]) async -> Presence {
        guard let present else { return .unknown("There is no program that looks for copies.") }
        do throws(SubmitFailure) {
            let end = try await call(present, values)
            let said = ForeignText.lastLine(of: end.complaint).map { ": “\($0)”" } ?? ""
            switch end.status {
            case .exited(0): return .present(Self.evidence(in: end.output))
            case .exited(1): return .absent
            case .exited(let status): return .unknown("\(present.program) ended with the status \(status)\(said).")
            case .killed(let signal): return .unknown("\(present.program) was killed by the signal \(signal)\(said).")
            case .late: return .unknown("\(present.program) did not end in time.")
            }
        } catch {
            return .unknown(error.message)
        }
    }

    func removeCopy(_ values: [String: String]) async throws(SubmitFailure) {
        guard let remove else { return }
        let end = try await call(remove, values)
        guard end.status == .exited(0) else {
            let said = ForeignText.lastLine(of: end.complaint).map { ": “\($0)”" } ?? ""
            throw SubmitFailure(
                .retry(after: nil), code: "not-removed",
                message: "\(remove.program) did not remove “\(values["id"] ?? "")” from \(destination)\(said).")
        }
    }

    private func call(
        _ command: CommandLineTemplate, _ values: [String: String]
    ) async throws(SubmitFailure) -> ProgramResult {
        try await ProgramCall(
            command.program, command.arguments(values), environment: ItemValues.environment(values),
            inheritsEnvironment: true, life: life
        ).run()
    }

    private static func evidence(in output: [UInt8]) -> Evidence {
        let word = output.prefix { $0 > 0x20 }
        switch String(decoding: word, as: UTF8.self) {
        case "verified": return .verified
        case "echoed": return .echoed
        case "size": return .size
        default: return .unknown
        }
    }

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        await look(item, ItemValues.values(item).merging(ItemValues.values(receipt)) { $1 })
    }

    func remove(_ receipt: Receipt) async throws(SubmitFailure) {
        try checkPath(receipt.remoteID)
        try await removeCopy(ItemValues.values(receipt))
    }

    /// The program is told of an album and of no copy.
    func removeAlbum(_ album: String) async throws(SubmitFailure) {
        try checkPath(album)
        try await removeCopy(ItemValues.values(album: album))
    }

    /// A program may take it for a path.
    private func checkPath(_ path: String) throws(SubmitFailure) {
        guard PathNames.plain(path) != nil else {
            throw SubmitFailure(
                .giveUp, code: "path", message: "“\(path)” is nothing that was stored at \(destination).")
        }
    }
}
