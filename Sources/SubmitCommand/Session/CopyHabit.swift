internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SystemPackage

/// The habit of cp(1): `submit photo.jpg /mnt/nas`, where the last name may be meant as the destination.
struct CopyHabit {
    let session: Session

    /// The folder that is meant as the destination; `nil` if the last name is to be sent as the others are.
    ///
    /// - Parameters:
    ///   - paths: as they were typed.
    ///   - names: of `--to`.
    /// - Throws: usage, if nobody can be asked or says that nothing is to be sent.
    func target(of paths: [String], to names: [String]) throws(SubmitFailure) -> String? {
        guard names.isEmpty, let last = paths.last, paths.count > 1, isUndecided, Session.isFolder(last) else {
            return nil
        }
        let others = paths.dropLast()
        let copiesFiles = others.contains { FileManager.default.fileExists(atPath: $0) && !Session.isFolder($0) }
        guard copiesFiles || isOnDiskOfItsOwn(last) else { return nil }
        let what = others.count == 1 ? "“\(others[0])”" : "the other \(Printable.count(others.count, "path"))"
        let target = last.contains("/") ? last : "./\(last)"
        guard Confirmation.isPossible else {
            let files = others.map(ShellText.quoted).joined(separator: " ")
            let folder = ShellText.quoted(target)
            throw .usage(
                "“\(last)” is a folder, and no destination is named. Nothing was sent. To copy \(what) into it: "
                    + "`submit --to \(folder) \(files)`. To send the folder, too: `submit --to file \(files) \(folder)`."
            )
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
    private var isUndecided: Bool {
        let catalog = session.catalog
        return catalog.file.defaults.isEmpty && !catalog.isConfigured("file")
            && catalog.places.environment[DestinationCatalog.variable("file", "path")] == nil
    }

    /// Not on the disk of the home folder and not on that of the system, as a NAS or a card is.
    private func isOnDiskOfItsOwn(_ path: String) -> Bool {
        func disk(_ path: String) -> dev_t? {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_dev : nil
        }
        return ![disk("/"), disk(session.catalog.places.home.string)].contains(disk(path))
    }
}
