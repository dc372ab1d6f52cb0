internal import Foundation
internal import Logging
internal import Submit
internal import SubmitConcurrency
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitHTTP

/// Hears what time servers say it is.
final class ServerTimes: Sendable {
    private let times = Locked<[String: Int64]>([:])

    /// By how many seconds servers are ahead, by their origins.
    var offsets: [String: Int64] { times.withLock { $0 } }

    func over(_ transport: any HTTPTransport) -> any HTTPTransport { TimedTransport(next: transport, times: self) }

    private struct TimedTransport: HTTPTransport {
        let next: any HTTPTransport
        let times: ServerTimes

        func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            let answer = try await next.send(request)
            if let date = answer["Date"], let time = HTTPDate.parse(date, now: .now) {
                let origin = request.url.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(
                    separator: "/")
                times.times.withLock { $0[TraceRedaction.url(origin)] = time.seconds - Timestamp.now.seconds }
            }
            return answer
        }
    }
}

extension Examination {
    /// Each destination's own check, side by side.
    static func ofDestinations(
        _ catalog: DestinationCatalog, _ times: ServerTimes, keepsNotes: Bool
    ) async -> Examination {
        let names = catalog.names.filter { catalog.isConfigured($0) || $0 == "file" }
        let checks = await withTaskGroup(of: (String, String, isFine: Bool).self) { group in
            for name in names {
                group.addTask {
                    let begun = ContinuousClock.now
                    let result = await within(.seconds(30)) { await check(name, catalog, keepsNotes) }
                    let time = (ContinuousClock.now - begun).milliseconds
                    switch result {
                    case .success(let sentence)?: return (name, "ready (\(time) ms): \(sentence)", true)
                    case .failure(let failure)?:
                        return (name, "not ready (\(time) ms), \(failure.code): \(failure.advised(at: name))", false)
                    case nil: return (name, "no answer in \(time / 1000) s", false)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var found = Examination()
        for (name, words, isFine) in checks.sorted(by: { $0.0 < $1.0 }) {
            found.add(name, words)
            if !isFine { found.troubles.append("“\(name)” is not ready.") }
        }
        for (origin, offset) in times.offsets.sorted(by: { $0.key < $1.key }) {
            found.add("clock of \(origin)", "\(abs(offset)) s \(offset < 0 ? "behind" : "ahead of") this machine's")
            if abs(offset) > 300 {
                found.troubles.append(
                    "This machine's clock and that of \(origin) are \(abs(offset)) s apart: set the wrong one.")
            }
        }
        return found
    }

    private static func check(
        _ name: String, _ catalog: DestinationCatalog, _ keepsNotes: Bool
    ) async -> Result<String, SubmitFailure> {
        do throws(SubmitFailure) {
            let destination = try catalog.destination(name, notes: keepsNotes ? nil : TransientNotes())
            return .success(
                try await withLogger(CommandLog.logger.doing("check", at: name)) { _ async throws(SubmitFailure) in
                    try await destination.submitter.check()
                })
        } catch {
            return .failure(error)
        }
    }
}
