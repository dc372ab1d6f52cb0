internal import SubmitEngine
internal import SystemPackage

extension LeftBehindTally {
    /// So many folders are named; `--verbose` names every file.
    private static let mostFolders = 12

    /// Files that somebody may miss: not what systems, cameras and programs keep for themselves, nor what was excluded.
    var missed: Int { count(where: \.isMissed) }

    /// What was left behind, by folder.
    var sentences: [String] {
        var sentences: [String] = []
        let excluded = count { $0 == .excluded }
        // There may be very many, and they are where they were said to be.
        if excluded > 0 {
            sentences.append(
                "left out, as was asked for: \(Printable.count(excluded, "file or folder", "files and folders"))")
        }
        sentences += lines.filter { $0.reason == .destination }.map {
            Printable.line("left out: \($0.folder), where submit stores its copies")
        }
        let kept = count { !$0.isMissed && ![.excluded, .destination].contains($0) }
        if kept > 0 {
            sentences.append("left out: \(Printable.count(kept, "file")) of cameras, programs and systems")
            // A system's own are everywhere.
            sentences += folders { $0 == .preview || $0 == .camera }
        }
        if missed > 0 {
            sentences.append("left behind: \(Printable.count(missed, "file"))")
            sentences += folders(\.isMissed)
        }
        return sentences
    }

    private func count(where isSuch: (LeftBehind.Reason) -> Bool) -> Int {
        lines.filter { isSuch($0.reason) }.reduce(0) { $0 + $1.count }
    }

    private func folders(_ isSuch: (LeftBehind.Reason) -> Bool) -> [String] {
        let lines = lines.filter { isSuch($0.reason) }
        var folders: [(name: String, parts: [String])] = []
        for line in lines {
            var part = "\(line.count) \(line.count == 1 ? line.reason.words.one : line.reason.words.several)"
            if line.reason.isMissed { part += " (\(Self.names(line)))" }
            if folders.last?.name == line.folder.string {
                folders[folders.count - 1].parts.append(part)
            } else {
                folders.append((line.folder.string, [part]))
            }
        }
        var sentences = folders.prefix(Self.mostFolders).map { folder in
            Printable.line("  \(folder.name): \(folder.parts.joined(separator: ", "))")
        }
        if folders.count > Self.mostFolders {
            sentences.append(
                "  and \(Printable.count(folders.count - Self.mostFolders, "folder")) more: `--verbose` names every file"
            )
        }
        var options: [String] = []
        for reason in LeftBehind.Reason.allCases where lines.contains(where: { $0.reason == reason }) {
            if let option = reason.option, !options.contains(option) { options.append(option) }
        }
        if !options.isEmpty { sentences.append("  taken by \(options.joined(separator: ", "))") }
        return sentences
    }

    /// The first names of a line, below its folder, and how many more there are.
    private static func names(_ line: Line) -> String {
        let names = line.first.map { path in
            var path = path
            return path.removePrefix(line.folder) && !path.isEmpty ? path.string : path.lastComponent?.string ?? ""
        }
        let more = line.count - names.count
        return names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    /// That not all of what was named was sent; `nil` where nothing is missed.
    var lastSentence: String? {
        if missed == 0 { return nil }
        let all = "\(missed == 1 ? "1 file was" : "\(missed) files were") left behind"
        let written = count { $0 == .beingWritten }
        if written == 0 { return "Not everything was sent: \(all)." }
        let (some, they) =
            written == 1
            ? ("1 file is still being written", "it is") : ("\(written) files are still being written", "they are")
        let rest = written == missed ? "" : "\(all): "
        return "Not everything was sent: \(rest)\(some). Run the same command again when \(they) complete."
    }
}

extension LeftBehind.Reason {
    /// Whether somebody may miss it.
    var isMissed: Bool {
        switch self {
        case .system, .camera, .preview, .excluded, .destination: false
        case .linkedFolder, .hidden, .special, .unknownType, .sidecar, .beingWritten: true
        }
    }

    /// After a number.
    var words: (one: String, several: String) {
        switch self {
        case .linkedFolder: ("linked folder", "linked folders")
        case .hidden: ("hidden file", "hidden files")
        case .special: ("pipe, socket or device", "pipes, sockets or devices")
        case .unknownType: ("file of unknown type", "files of unknown type")
        case .sidecar: ("sidecar", "sidecars")
        case .preview: ("preview", "previews")
        case .beingWritten: ("file that is still being written", "files that are still being written")
        case .camera: ("camera file", "camera files")
        case .system: ("system file", "system files")
        case .excluded: ("left out, as was asked for", "left out, as was asked for")
        case .destination: ("folder of copies", "folders of copies")
        }
    }

    /// By what it is taken; `nil` where nothing does that.
    fileprivate var option: String? {
        switch self {
        case .linkedFolder: "`--follow-links`"
        case .hidden: "`--hidden`"
        case .unknownType, .sidecar, .camera, .preview: "`--any-file`"
        case .special, .system, .excluded, .beingWritten, .destination: nil
        }
    }
}
