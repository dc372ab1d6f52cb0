internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitMedia
internal import SystemPackage

/// The habit of cp(1): `submit photo.jpg /mnt/nas`, where the last name may be meant as the destination.
struct CopyHabit {
    let session: Session

    /// The folder that is meant as the destination; `nil` if the last name is to be sent as the others are.
    ///
    /// Several folders may all be meant to be sent, e.g. by a script. Without a terminal, the last one is taken for the
    /// destination only if it looks like one.
    ///
    /// - Parameters:
    ///   - paths: as they were typed.
    ///   - names: of `--to`.
    /// - Throws: usage, if nobody can be asked or says that nothing is to be sent.
    func target(of paths: [String], to names: [String]) throws(SubmitFailure) -> String? {
        guard names.isEmpty, let last = paths.last, paths.count > 1, isUndecided, Session.isFolder(last) else {
            return nil
        }
        let others = Array(paths.dropLast())
        let copiesFiles = others.contains { FileManager.default.fileExists(atPath: $0) && !Session.isFolder($0) }
        let folder = FolderPath(named: last.contains("/") ? last : "./\(last)", session.catalog.places)
        let known = folder.flatMap(session.catalog.destination)
        guard copiesFiles || Confirmation.isPossible || known != nil || looksLikeDestination(last) else { return nil }
        let what = others.count == 1 ? "“\(others[0])”" : "the other \(Printable.count(others.count, "path"))"
        let target = known ?? (last.contains("/") ? last : "./\(last)")
        guard Confirmation.isPossible else {
            throw .usage(
                "“\(last)” is a folder, and no destination is named. Nothing was sent. To copy \(what) into it: "
                    + "`submit --to \(ShellText.quoted(target)) \(ShellText.list(others))`. To send the folder, too: "
                    + "`submit --to file \(ShellText.list(others, with: last.contains("/") ? last : "./\(last)"))`.")
        }
        let usual = (try? session.catalog.settings(of: "file"))?["path"] ?? "the default folder"
        let choices = [
            "copy \(what) into “\(last)”", "send all of it, with what is in “\(last)”, to \(usual)", "send nothing",
        ]
        switch try Interview.choice("“\(last)” is a folder, and no destination is named. What do you mean?", choices) {
        case 0: return target
        case 1: return nil
        default: throw .usage("Nothing was sent.")
        }
    }

    /// Nobody has decided where photos go if no destination is named.
    var isUndecided: Bool {
        let catalog = session.catalog
        return catalog.file.defaults.isEmpty && !catalog.isConfigured("file")
            && catalog.places.environment[DestinationCatalog.variable("file", "path")] == nil
    }

    private func looksLikeDestination(_ path: String) -> Bool {
        isOnDiskOfItsOwn(path) || FileManager.default.fileExists(atPath: "\(path)/.submit-folder") || !holdsPhotos(path)
    }

    /// Not on the disk of the home folder and not on that of the system, as a NAS or a card is.
    private func isOnDiskOfItsOwn(_ path: String) -> Bool {
        func disk(_ path: String) -> dev_t? {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_dev : nil
        }
        return ![disk("/"), disk(session.catalog.places.home.string)].contains(disk(path))
    }

    /// A folder of so many files is not searched to its end.
    private static let mostFiles = 2_000

    private func holdsPhotos(_ path: String) -> Bool {
        let folder = FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath(path))
        var count = 0
        for case .file(let file, _, _) in FileWalk([folder]) {
            count += 1
            if count > Self.mostFiles || isMedia(file) { return true }
        }
        return false
    }

    private func isMedia(_ path: FilePath) -> Bool {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking]) else {
            return true
        }
        defer { try? file.close() }
        var head = [UInt8](repeating: 0, count: MediaTypeDetector.headLength)
        let count = (try? head.withUnsafeMutableBytes { try file.read(into: $0) }) ?? 0
        head.removeLast(head.count - count)
        return MediaTypeDetector.type(of: head.span, fileExtension: path.extension ?? "") != nil
    }
}
