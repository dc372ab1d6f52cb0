internal import Foundation
internal import Submit
package import SubmitEngine
internal import SystemPackage

/// A file beside the journal, in which a process writes how far the files have come that it sends.
///
/// `submit status --watch` of another process reads it. The journal is not written for that: each of its changes is synced.
package struct UnderWayFile: Sendable {
    private struct Entry: Codable {
        let submission: Int64
        let sent: Int64
    }

    private let path: FilePath

    private static let prefix = "under-way-"
    private static let interval = Duration.seconds(1)
    /// Seconds after which its process must have ended.
    private static let life = 10.0

    /// The file of this process.
    package init(_ places: AppPaths) { path = Self.folder(places).appending("\(Self.prefix)\(getpid()).json") }

    private static func folder(_ places: AppPaths) -> FilePath { places.journal.removingLastComponent() }

    /// Writes it once a second while anything is under way, until the task is cancelled. It is gone then.
    package func write(for manager: SubmitManager) async {
        removeFilesOfTheDead()
        var isThere = false
        while (try? await Task.sleep(for: Self.interval)) != nil {
            let entries = await manager.underWay().map { Entry(submission: $0.submission.rawValue, sent: $0.sent) }
            if !entries.isEmpty, let data = try? JSONEncoder().encode(entries) {
                // Nobody loses anything without it.
                isThere = (try? data.write(to: URL(fileURLWithPath: path.string), options: .atomic)) != nil || isThere
            } else if isThere {
                unlink(path.string)
                isThere = false
            }
        }
        if isThere { unlink(path.string) }
    }

    /// Removes the files of processes that were killed. One that lives in another container writes its file again.
    private func removeFilesOfTheDead() {
        let folder = path.removingLastComponent()
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? [] {
            guard name.hasPrefix(Self.prefix),
                let process = pid_t(name.dropFirst(Self.prefix.count).prefix { $0 != "." }),
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            unlink(folder.appending(name).string)
        }
    }

    /// Bytes that are at destinations or on their way, by submission, whichever process sends them.
    package static func read(_ places: AppPaths) -> [SubmissionID: Int64] {
        let folder = folder(places)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
        var sent: [SubmissionID: Int64] = [:]
        for name in names where name.hasPrefix(prefix) {
            let file = URL(fileURLWithPath: folder.appending(name).string)
            let changed = (try? file.resourceValues(forKeys: [.contentModificationDateKey]))?.contentModificationDate
            guard let changed, -changed.timeIntervalSinceNow < life else {
                // Its process was killed.
                if changed != nil { unlink(file.path) }
                continue
            }
            guard let data = try? Data(contentsOf: file) else { continue }
            for entry in (try? JSONDecoder().decode([Entry].self, from: data)) ?? [] {
                sent[SubmissionID(rawValue: entry.submission)] = entry.sent
            }
        }
        return sent
    }
}
