internal import SubmitEngine
internal import SystemPackage

extension LeftBehindTally {
    /// So many folders are named; `--verbose` names every file.
    private static let mostFolders = 12

    /// Of what somebody may miss; what systems and cameras keep for themselves is nothing of that, and what was said to be
    /// left out neither.
    var missed: Int {
        lines.lazy.filter { ![.system, .camera, .excluded, .destination].contains($0.reason) }.reduce(0) {
            $0 + $1.count
        }
    }

    /// What was left behind, by folder.
    var sentences: [String] {
        let excluded = lines.lazy.filter { $0.reason == .excluded }.reduce(0) { $0 + $1.count }
        let copies = lines.filter { $0.reason == .destination }
        let rest = lines.filter { ![.excluded, .destination].contains($0.reason) }
        // There may be very many, and they are where they were said to be.
        let known =
            (excluded == 0
                ? []
                : ["left out, as was asked for: \(Printable.count(excluded, "file or folder", "files and folders"))"])
            + copies.map { Printable.line("left out: \($0.folder), where submit stores its copies") }
        if rest.isEmpty { return known }
        var folders: [(name: String, parts: [String])] = []
        for line in rest {
            let part = "\(line.count) \(line.count == 1 ? line.reason.words.one : line.reason.words.several)"
            if folders.last?.name == line.folder.string {
                folders[folders.count - 1].parts.append(part)
            } else {
                folders.append((line.folder.string, [part]))
            }
        }
        var sentences = known + ["left behind: \(Printable.count(rest.reduce(0) { $0 + $1.count }, "file"))"]
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
        case .excluded: ("left out, as was asked for", "left out, as was asked for")
        case .destination: ("folder of copies", "folders of copies")
        }
    }

    /// By what it is taken; `nil` where nothing does that.
    fileprivate var option: String? {
        switch self {
        case .linkedFolder: "`--follow-links`"
        case .hidden: "`--hidden`"
        case .unknownType, .sidecar, .camera: "`--any-file`"
        case .special, .system, .excluded, .destination: nil
        }
    }
}
