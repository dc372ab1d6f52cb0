internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitStore
internal import SystemPackage

/// What was asked for by acceptances that have not come to their end: any file below one of their paths may be theirs.
///
/// A request may name thousands of paths, and is read once for all sources.
final class OpenRequests: Sendable {
    /// By acceptance: its paths, as given and without links; `nil` where they cannot be told.
    private let known = Locked<[AcceptanceID: Set<FilePath>?]>([:])

    /// Whether an acceptance may mean a source.
    func mayMean(_ source: FilePath, _ acceptance: OpenAcceptance) -> Bool {
        Self.mayMean(source, paths(of: acceptance))
    }

    /// Those of the acceptances that were asked for so far that do not mean a source.
    func notMeaning(_ source: FilePath) -> Set<AcceptanceID> {
        Set(known.withLock { $0 }.filter { !Self.mayMean(source, $0.value) }.keys)
    }

    private static func mayMean(_ source: FilePath, _ paths: Set<FilePath>?) -> Bool {
        guard let paths else { return true }
        return [source, source.real ?? source].contains { name in
            var name = name
            while !paths.contains(name) {
                if !name.removeLastComponent() { return false }
            }
            return true
        }
    }

    private func paths(of acceptance: OpenAcceptance) -> Set<FilePath>? {
        if let paths = known.withLock({ $0[acceptance.id] }) { return paths }
        let request = try? JSONDecoder().decode(SubmitRequest.self, from: Data(acceptance.request.utf8))
        let paths = request.map { $0.paths + $0.items.compactMap(\.file) }
        let names = paths.map { Set($0).union($0.compactMap(\.real)) }
        known.withLock { $0[acceptance.id] = .some(names) }
        return names
    }
}

extension FilePath {
    /// Without links, as far as it is there.
    fileprivate var real: FilePath? {
        guard let real = withPlatformString({ realpath($0, nil) }) else { return nil }
        defer { free(real) }
        return FilePath(platformString: real)
    }
}
