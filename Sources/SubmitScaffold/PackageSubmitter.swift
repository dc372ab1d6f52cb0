internal import FoundationEssentials
public import Submit

/// A submitter of the package `submit` itself: built in.
public struct PackageSubmitter: Sendable {
    /// Its target and tests, as paths below the package.
    public let folders: [String]
    /// The files that it was written down in.
    public let registrations: [String]

    private static let manifest = "Package.swift"
    private static let types = "Sources/SubmitConfiguration/Destinations/BuiltInTypes.swift"

    /// Makes its target and its tests, and writes it down in the manifest and in the list of types.
    ///
    /// - Throws: a failure when it is there already, or something is not as expected. Then nothing was changed.
    public init(_ name: SubmitterName, package: String) throws(SubmitFailure) {
        let target = "\(name.swift)Submitter"
        let folders = ["Plugins/\(target)", "Tests/\(target)Tests"]
        let oldManifest = try RegistrationFile("\(package)/\(Self.manifest)")
        let manifest =
            try oldManifest
            .inserting("    (\"\(target)\", [], []),", beforeFirst: "]", after: "let submitters:")
        let types = try RegistrationFile("\(package)/\(Self.types)")
            .inserting("            \(target).submitterType(),", beforeFirst: "        ]", after: "static func all")
            .importing(target)
        var new = NewFiles()
        new.add(TemplateFiles.submitter, to: "\(package)/\(folders[0])", for: name)
        new.add(TemplateFiles.tests, to: "\(package)/\(folders[1])", for: name)
        try new.write(in: folders.map { "\(package)/\($0)" })
        do throws(SubmitFailure) {
            try manifest.write()
            try types.write()
        } catch {
            try? oldManifest.write()
            for folder in folders { try? FileManager.default.removeItem(atPath: "\(package)/\(folder)") }
            throw error
        }
        self.folders = folders
        registrations = [Self.manifest, Self.types]
    }
}

/// A source file with a list that submitters are written down in.
private struct RegistrationFile {
    let path: String
    var lines: [Substring]

    init(_ path: String) throws(SubmitFailure) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw SubmitFailure(
                .giveUp, code: "no-package", message: "“\(path)” cannot be read: run this in the package of submit.")
        }
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// With a new line before the first line `end` that follows a line with `beginning` in it.
    func inserting(
        _ line: String, beforeFirst end: String, after beginning: String
    ) throws(SubmitFailure) -> RegistrationFile {
        guard !lines.contains(Substring(line)) else {
            throw SubmitFailure(
                .giveUp, code: "already-there",
                message: "“\(path)” has such a submitter already, and nothing was changed: choose another name.")
        }
        guard let begin = lines.firstIndex(where: { $0.contains(beginning) }),
            let index = lines[begin...].firstIndex(of: Substring(end))
        else {
            throw SubmitFailure(
                .giveUp, code: "no-list",
                message: "“\(path)” has no list after “\(beginning)” any more: write the submitter down there by hand.")
        }
        var copy = self
        copy.lines.insert(Substring(line), at: index)
        return copy
    }

    /// With one more import, in its place by the alphabet.
    func importing(_ module: String) -> RegistrationFile {
        let line = Substring("internal import \(module)")
        let imports = lines.indices.filter { lines[$0].hasPrefix("internal import ") }
        var copy = self
        copy.lines.insert(line, at: imports.first { lines[$0] > line } ?? (imports.last.map { $0 + 1 } ?? 0))
        return copy
    }

    func write() throws(SubmitFailure) {
        do {
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw SubmitFailure(
                .giveUp, code: "not-written", message: "“\(path)” cannot be written: check its permissions.")
        }
    }
}
