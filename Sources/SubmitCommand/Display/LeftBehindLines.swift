internal import SubmitEngine
internal import SystemPackage

extension LeftBehindTally {
    /// So many folders are named; `--verbose` names every file.
    private static let mostFolders = 12

    /// Of what somebody may miss; what systems and cameras keep for themselves is nothing of that.
    var missed: Int { lines.lazy.filter { ![.system, .camera].contains($0.reason) }.reduce(0) { $0 + $1.count } }

    /// What was left behind, by folder.
    var sentences: [String] {
        if lines.isEmpty { return [] }
        var folders: [(name: String, parts: [String])] = []
        for line in lines {
            let part = "\(line.count) \(line.count == 1 ? line.reason.words.one : line.reason.words.several)"
            if folders.last?.name == line.folder.string {
                folders[folders.count - 1].parts.append(part)
            } else {
                folders.append((line.folder.string, [part]))
            }
        }
        var sentences = ["left behind: \(Printable.count(count, "file"))"]
        sentences += folders.prefix(Self.mostFolders).map { folder in
            Printable.line("  \(folder.name): \(folder.parts.joined(separator: ", "))")
        }
        if folders.count > Self.mostFolders {
            sentences.append(
                "  and \(Printable.count(folders.count - Self.mostFolders, "folder")) more: `--verbose` names every file"
            )
        }
        var cures: [String] = []
        for reason in LeftBehind.Reason.allCases where lines.contains(where: { $0.reason == reason }) {
            if let option = reason.option, !cures.contains(option) { cures.append(option) }
        }
        if !cures.isEmpty { sentences.append("  taken by \(cures.joined(separator: ", "))") }
        return sentences
    }

    /// That not all of what was named was sent; `nil` where nothing is missed.
    var lastSentence: String? {
        missed == 0
            ? nil
            : "Not everything was sent: \(missed == 1 ? "1 file was" : "\(missed) files were") left behind."
    }
}

extension LeftBehind.Reason {
    /// After a number.
    var words: (one: String, several: String) {
        switch self {
        case .linkedFolder: ("linked folder", "linked folders")
        case .hidden: ("hidden file", "hidden files")
        case .special: ("pipe, socket or device", "pipes, sockets or devices")
        case .unknownType: ("file of unknown type", "files of unknown type")
        case .sidecar: ("sidecar", "sidecars")
        case .camera: ("file of a camera's own", "files of a camera's own")
        case .system: ("file of a system's own", "files of a system's own")
        }
    }

    /// By what it is taken; `nil` where nothing does that.
    fileprivate var option: String? {
        switch self {
        case .linkedFolder: "`--follow-links`"
        case .hidden: "`--hidden`"
        case .unknownType, .sidecar, .camera: "`--any-file`"
        case .special, .system: nil
        }
    }
}
