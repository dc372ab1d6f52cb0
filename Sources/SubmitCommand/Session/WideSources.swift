internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitConfiguration
internal import SubmitEngine
internal import SystemPackage

/// Asks before a mistyped path sends a whole disk: the root, the journal's own folder, the folder in which a destination
/// stores its copies, or very many files.
struct WideSources {
    let session: Session
    /// Somebody said beforehand that all of it is meant.
    let isMeant: Bool
    /// A library that is watched may be of any size.
    var countsFiles = true
    /// A card is formatted as a whole, so no folder on it can be left out.
    var isCard = false

    /// More than people have in one tree without knowing.
    private static let most = 250_000

    /// - Throws: usage, where nobody says that all of it is meant.
    func check(_ request: SubmitRequest) async throws {
        guard !isMeant, let reason = await BlockingThreads.sources.run({ reason(request) }) else { return }
        let hint = "name less, or say `--yes` if that is meant."
        guard Confirmation.isPossible else { throw SubmitFailure.usage("\(reason): nothing was sent; \(hint)") }
        guard Confirmation.ask(Printable.line("\(reason). Send it all the same?")) else {
            throw SubmitFailure.usage("Nothing was sent: \(hint)")
        }
    }

    private func reason(_ request: SubmitRequest) -> String? {
        let journal = real(AppPaths().journal.removingLastComponent())
        let places = session.copyFolders(of: request.destinations).map { (name: $0.name, folder: real($0.folder)) }
        var count = 0
        for path in request.paths where isFolder(path) {
            let folder = real(path)
            if folder == "/" { return "“\(path)” is the whole machine" }
            if journal.starts(with: folder) { return "“\(path)” holds the journal of submit itself" }
            if let place = places.first(where: { isCard ? $0.folder.starts(with: folder) : $0.folder == folder }) {
                return place.folder == folder
                    ? "“\(path)” is the folder in which “\(place.name)” stores its copies"
                    : "“\(path)” contains the folder in which “\(place.name)” stores its copies (\(place.folder))"
            }
            if !countsFiles { continue }
            count += FileCount.files(below: folder, atMost: Self.most - count)
            if count >= Self.most {
                return "There are more than \(Self.most) files below “\(path)”"
            }
        }
        return nil
    }

    private func isFolder(_ path: FilePath) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path.string, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Without links; as it is where there is nothing yet.
    private func real(_ path: FilePath) -> FilePath {
        guard let found = path.withPlatformString({ realpath($0, nil) }) else {
            let parent = path.removingLastComponent()
            guard let name = path.lastComponent, parent != path else { return path }
            return real(parent).appending(name)
        }
        defer { free(found) }
        return FilePath(platformString: found)
    }
}
