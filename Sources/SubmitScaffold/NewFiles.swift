internal import FoundationEssentials
internal import Submit
internal import SubmitPlatform

/// Files that are to be made together, or not at all.
struct NewFiles {
    private(set) var files: [(path: String, text: String)] = []

    /// Templates, with a name put into their paths and texts.
    mutating func add(_ templates: [(name: String, bytes: [UInt8])], to folder: String, for name: SubmitterName) {
        for template in templates {
            let text = String(decoding: template.bytes, as: UTF8.self)
            files.append(("\(folder)/\(name.put(into: template.name))", name.put(into: text)))
        }
    }

    mutating func replace(_ place: String, with text: String) {
        for index in files.indices { files[index].text = files[index].text.replacing(place, with: text) }
    }

    /// Makes the files, in folders that must not be there yet; those that begin with `#!` become programs.
    ///
    /// - Throws: a failure, and then there are none of them.
    func write(in folders: [String]) throws(SubmitFailure) {
        for folder in folders {
            var status = stat()
            guard lstat(folder, &status) != 0 else {
                throw SubmitFailure(
                    .giveUp, code: "already-there",
                    message: "There is “\(folder)” already, and nothing was changed: choose another name.")
            }
        }
        let manager = FileManager.default
        do {
            for (path, text) in files {
                let parent = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
                try manager.createDirectory(atPath: String(parent), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: URL(filePath: path))
                if text.hasPrefix("#!"), chmod(path, 0o755) != 0 { throw CocoaError(.fileWriteNoPermission) }
            }
        } catch {
            for folder in folders { try? manager.removeItem(atPath: folder) }
            throw SubmitFailure(
                .giveUp, code: "not-written",
                message:
                    "“\(folders[0])” cannot be made: check that the folder it is in can be written to, and has room.")
        }
    }
}
