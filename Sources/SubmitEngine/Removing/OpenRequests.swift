internal import Foundation
internal import Submit
internal import SubmitJournal
internal import SystemPackage

/// What was asked for in batches that are yet to be accepted to their end: any file below one of their paths may be theirs.
///
/// A request may name thousands of paths, and is read once for all sources.
final class OpenRequests: Sendable {
    /// By batch: its paths, as given and without links; `nil` where they cannot be told.
    private let known = Locked<[BatchID: Set<FilePath>?]>([:])

    /// Whether a batch may mean a source.
    func mayMean(_ source: FilePath, batch: BatchID, _ request: () throws -> String) rethrows -> Bool {
        guard let paths = try paths(of: batch, request) else { return true }
        return [source, source.real ?? source].contains { name in
            var name = name
            while !paths.contains(name) {
                if !name.removeLastComponent() { return false }
            }
            return true
        }
    }

    private func paths(of batch: BatchID, _ request: () throws -> String) rethrows -> Set<FilePath>? {
        if let paths = known.withLock({ $0[batch] }) { return paths }
        let text = Data(try request().utf8)
        let paths = (try? JSONDecoder().decode(SubmitRequest.self, from: text))?.paths
        let names = paths.map { Set($0).union($0.compactMap(\.real)) }
        known.withLock { $0[batch] = .some(names) }
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
