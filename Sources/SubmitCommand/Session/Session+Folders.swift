internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SystemPackage

/// Folders that were named as destinations, and folders that may be on the wrong disk.
extension Session {
    /// The same with a destination for each folder that `--to` names by its path.
    ///
    /// - Parameters:
    ///   - names: of destinations, and paths.
    ///   - isMeant: a folder that is missing, or on the system disk instead of a mounted one, is not asked about.
    ///   - isKept: the configuration gets them, and the user reads that; else they end with the process.
    /// - Throws: usage, if nobody confirms a folder that is missing, and for a folder whose name is that of a destination; why
    ///   nothing can be stored in the folder.
    func adding(foldersOf names: [String], isMeant: Bool, isKept: Bool = true) async throws -> Session {
        var session = self
        for name in names {
            guard let folder = session.newFolder(name) else { continue }
            try session.refuseAmbiguous(name)
            try Self.confirm(folder, isMeant: isMeant || !isKept)
            let own = session.catalog.newName(for: folder)
            let added = session.catalog.adding(own, "file", [("path", folder.path.string)], nil)
            guard isKept else {
                session.catalog = added
                continue
            }
            try await Self.check(added.destination(own, notes: TransientNotes()))
            var file = EditedConfiguration(catalog.places)
            try file.text.add(own, type: "file", values: [("path", folder.path.string)])
            try file.write()
            session.catalog = session.catalog.reading(
                try ConfigurationFile(file.text.text, path: catalog.places.configuration))
            Output.trouble(Printable.line("Added destination \(own): \(folder)"))
        }
        return session
    }

    /// The folder that a name means, if no destination has it.
    private func newFolder(_ name: String) -> FolderPath? {
        if let folder = FolderPath(named: name, catalog.places) {
            return catalog.destination(at: folder) == nil ? folder : nil
        }
        guard !name.contains("/"), (try? catalog.canonicalName(name)) == nil, Self.isFolder(name),
            let folder = FolderPath(named: "./\(name)", catalog.places)
        else { return nil }
        return folder
    }

    /// Shells complete the name of a folder with a slash, also where a destination of that name was meant.
    private func refuseAmbiguous(_ name: String) throws(SubmitFailure) {
        let bare = name.hasSuffix("/") ? String(name.dropLast()) : name
        guard bare != name, catalog.isConfigured(bare) else { return }
        throw .usage(
            "“\(bare)” is a destination, and “\(name)” is a folder. Nothing was sent. Use `--to \(bare)` for the destination, "
                + "`--to ./\(bare)` for the folder.")
    }

    /// A destination that cannot store anything is not kept. Its disk is asked about later.
    private static func check(_ destination: Destination) async throws(SubmitFailure) {
        do throws(SubmitFailure) {
            _ = try await destination.submitter.check()
        } catch {
            if error.code == "not-mounted" { return }
            throw SubmitFailure(
                error.remedy, code: error.code,
                message: "Nothing was sent, and no destination was added: \(error.message)")
        }
    }

    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private static func confirm(_ folder: FolderPath, isMeant: Bool) throws(SubmitFailure) {
        let path = folder.path.string
        if isFolder(path) || isMeant { return }
        if FileManager.default.fileExists(atPath: path) {
            throw .usage("“\(folder)” is a file, not a folder: nothing was sent.")
        }
        let hint = "create it with `mkdir -p \(ShellText.quoted(path))`, or use `--yes`."
        guard Confirmation.isPossible else { throw .usage("There is no folder “\(folder)”: \(hint)") }
        guard Confirmation.ask(Printable.line("There is no folder “\(folder)”. Create it?")) else {
            throw .usage("Nothing was sent: \(hint)")
        }
    }

    /// Asks about folders that would be on the system disk, though their paths suggest a mounted one. Without an answer
    /// they store nothing, and what is sent to them waits.
    ///
    /// - Parameter isMeant: the user confirmed the system disk beforehand.
    func confirmDisks(of names: [String], isMeant: Bool) async throws(SubmitFailure) {
        for destination in manager.destinations where names.contains(destination.name) {
            guard let home = destination.submitter.facets.home, let doubt = await home.doubt() else { continue }
            if isMeant {
                _ = try await home.moved()
            } else if Confirmation.isPossible {
                guard Confirmation.ask(Printable.line("\(doubt.message) Use the system disk?")) else {
                    throw .usage("Nothing was sent: mount the disk or share of “\(destination.name)” first.")
                }
                _ = try await home.moved()
            }
        }
    }

    /// The folders of this machine in which some of these destinations store their copies.
    func copyFolders(of names: [String]) -> [(name: String, folder: FilePath)] {
        manager.destinations.filter { names.contains($0.name) }.compactMap { destination in
            destination.submitter.facets.home?.folder.map { (destination.name, $0) }
        }
    }
}
