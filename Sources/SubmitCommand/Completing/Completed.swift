internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitConfiguration
internal import SubmitPluginHost
internal import SubmitEngine
internal import SubmitJournal
internal import SystemPackage

/// What a shell offers when somebody presses Tab: what there is just now. What cannot be read is not offered.
enum Completed {
    static let destination = CompletionKind.custom { _, _, _ in names() }

    /// `a,b,…`: those that are not there yet. What has a slash is the path of a folder.
    static let destinations = CompletionKind.custom { _, _, typed in
        if typed.contains("/") { return folders(typed) }
        let parts = typed.split(separator: ",", omittingEmptySubsequences: false)
        let before = parts.dropLast().map { $0 + "," }.joined()
        return names().filter { name in !parts.dropLast().contains { $0 == name } }.map { before + $0 }
    }

    static let batch = CompletionKind.custom { _, _, _ in batches() }

    /// Those of a batch or destinations.
    static let subject = CompletionKind.custom { _, _, _ in names() + batches() }

    static let type = CompletionKind.custom { _, _, _ in
        guard let types = try? Session.catalog().types else { return [] }
        return types.builtIn.map(\.name) + types.external.map(\.name)
    }

    static let recipe = CompletionKind.custom { _, _, _ in
        (try? Session.catalog().types.builtIn.map(\.name).filter {
            !["file", "objstore", "webdav", "couchdb", "oauth-http"].contains($0)
        }) ?? []
    }

    static let shell = CompletionKind.list(["bash", "zsh", "fish"])

    /// `KEY=` of the destination that is edited, or of the type of the one that is added.
    static let setting = CompletionKind.custom { words, _, _ in
        guard let catalog = try? Session.catalog() else { return [] }
        let typed = words.firstIndex(of: "--type").flatMap { words.dropFirst($0 + 1).first }
        let name = words.firstIndex { $0 == "add" || $0 == "edit" }.flatMap { words.dropFirst($0 + 1).first }
        let type = typed.flatMap { try? catalog.types.type(named: $0) } ?? name.flatMap { try? catalog.type(of: $0) }
        return (type?.settings ?? []).filter { $0.kind != .secret }.map { $0.name + "=" }
    }

    private static func folders(_ typed: String) -> [String] {
        let parent = typed.prefix(through: typed.lastIndex(of: "/") ?? typed.startIndex)
        let path = AppPaths().expanded(String(parent))
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
            .filter { !$0.hasPrefix(".") && Session.isFolder(path + $0) }.map { parent + $0 }
    }

    private static func names() -> [String] { (try? Session.catalog().names) ?? [] }

    /// The parser asks from a thread that waits.
    private static func batches() -> [String] {
        let places = AppPaths()
        guard FileManager.default.fileExists(atPath: places.journal.string),
            let journal = try? LazyJournal(places.journal, isRead: true).open()
        else { return [] }
        let (found, isDone) = (Locked<[String]>([]), DispatchSemaphore(value: 0))
        Task.detached {
            let batches = (try? await journal.batches(before: nil, limit: 50)) ?? []
            found.withLock { $0 = batches.map { "\($0.id)" } }
            isDone.signal()
        }
        isDone.wait()
        return found.withLock { $0 }
    }
}
