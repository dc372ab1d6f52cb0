internal import FoundationEssentials
internal import Glibc
internal import Submit
internal import SubmitDigest
internal import SubmitTransfer

/// A folder that plays Acme, so that everything works before there is a line about Acme. Delete this file when the last
/// hole is filled.
///
/// Copies are in `copies`, open uploads in `uploads`. It has faults to try: a folder that is missing cannot be reached, a
/// file is none, a file `token` holds the only token it takes, with a file `full` it has no room, with `busy` it asks for
/// patience, with `loses-reply` it does not tell of the next copy, and with `no-digests` it tells none.
struct StandIn: Sendable {
    let folder: String
    private let settings: DestinationSettings

    init(_ settings: DestinationSettings) throws(SubmitFailure) {
        folder = try settings.required("folder")
        self.settings = settings
    }

    func reach() throws(SubmitFailure) {
        guard access(folder, F_OK) == 0 else {
            throw SubmitFailure(
                .hold(.unreachable, after: nil), code: "unreachable",
                message: "Acme cannot be reached: make the folder “\(folder)”.")
        }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw SubmitFailure(
                .hold(.misconfigured, after: nil), code: "no-folder", message: "“\(folder)” is no folder: name another."
            )
        }
        if access(folder + "/busy", F_OK) == 0 {
            throw SubmitFailure(
                .hold(.throttled, after: .seconds(1)), code: "busy",
                message: "Acme asks for patience: it is tried again.")
        }
        if let wanted = try? String(contentsOfFile: folder + "/token", encoding: .utf8),
            wanted != settings.secret("token")
        {
            throw SubmitFailure(.renewCredentials, code: "token", message: "Acme refuses the token: set another one.")
        }
    }

    func look(_ path: String) throws(SubmitFailure) -> CopyFindings? {
        try reach()
        guard var there = try stored(copy(path)) else { return nil }
        if !tellsDigests { there.computed = Digests() }
        return there
    }

    func readBack(_ path: String) throws(SubmitFailure) -> [UInt8]? {
        try stored(copy(path))?.computed[.sha256]
    }

    private var tellsDigests: Bool { access(folder + "/no-digests", F_OK) != 0 }

    func begin(_ submission: String) throws(SubmitFailure) -> String {
        try reach()
        if access(folder + "/full", F_OK) == 0 { throw Self.failure(ENOSPC, folder) }
        try makeFolders("uploads")
        let file = open(upload(submission), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw Self.failure(errno, folder) }
        close(file)
        return submission
    }

    func landed(_ id: String) throws(SubmitFailure) -> Int64? {
        try reach()
        var status = stat()
        guard stat(upload(id), &status) == 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure(errno, folder)
        }
        return Int64(status.st_size)
    }

    func send(_ piece: [UInt8], at offset: Int64, to id: String) throws(SubmitFailure) {
        let file = open(upload(id), O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw Self.failure(errno, folder) }
        defer { close(file) }
        var written = 0
        while written < piece.count {
            let count = piece[written...].withUnsafeBytes {
                pwrite(file, $0.baseAddress, $0.count, Int(offset) + written)
            }
            guard count > 0 else { throw Self.failure(errno, folder) }
            written += count
        }
        guard fdatasync(file) == 0 else { throw Self.failure(errno, folder) }
    }

    func abandon(_ id: String) throws(SubmitFailure) {
        guard unlink(upload(id)) == 0 || errno == ENOENT else { throw Self.failure(errno, folder) }
    }

    func digest(of id: String) throws(SubmitFailure) -> [UInt8]? {
        tellsDigests ? try stored(upload(id))?.computed[.sha256] : nil
    }

    func publish(_ id: String, as path: String, replacing: Bool) throws(SubmitFailure) -> Bool {
        let target = try copy(path)
        let parents = path.split(separator: "/").dropLast().joined(separator: "/")
        try makeFolders("copies/" + parents)
        if replacing {
            guard rename(upload(id), target) == 0 else { throw Self.failure(errno, target) }
        } else {
            // A link, unlike a rename, never replaces what has the name.
            guard link(upload(id), target) == 0 else {
                if errno == EEXIST { return false }
                throw Self.failure(errno, target)
            }
            try abandon(id)
        }
        let parent = open("\(folder)/copies/\(parents)", O_RDONLY | O_CLOEXEC)
        defer { close(parent) }
        guard fsync(parent) == 0 else { throw Self.failure(errno, folder) }
        if unlink(folder + "/loses-reply") == 0 {
            throw SubmitFailure(
                .tryAnother(after: nil), code: "no-reply", message: "Acme did not answer: it is tried again.")
        }
        return true
    }

    func albums() throws(SubmitFailure) -> [String] {
        try reach()
        let files = FileManager.default
        let all = (try? files.subpathsOfDirectory(atPath: folder + "/copies")) ?? []
        return all.filter { path in
            var isFolder = false
            return files.fileExists(atPath: "\(folder)/copies/\(path)", isDirectory: &isFolder) && isFolder
        }.sorted()
    }

    func createAlbum(_ album: String) throws(SubmitFailure) {
        try reach()
        _ = try copy(album)
        try makeFolders("copies/" + album)
    }

    func remove(_ path: String) throws(SubmitFailure) {
        try reach()
        guard unlink(try copy(path)) == 0 || errno == ENOENT || errno == ENOTDIR else {
            throw Self.failure(errno, folder)
        }
    }

    func removeAlbum(_ album: String) throws(SubmitFailure) {
        try reach()
        guard rmdir(try copy(album)) == 0 || [ENOENT, ENOTEMPTY, EEXIST].contains(errno) else {
            throw Self.failure(errno, folder)
        }
    }

    /// Where a copy is. Nothing may lead out of the place, whatever a receipt says.
    private func copy(_ path: String) throws(SubmitFailure) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { ["", ".", ".."].contains($0) }) else {
            throw SubmitFailure(
                .giveUp, code: "path", message: "“\(path)” is no path on Acme: name it without empty and “..” parts.")
        }
        return "\(folder)/copies/\(path)"
    }

    private func upload(_ id: String) -> String {
        "\(folder)/uploads/\(id.replacing("/", with: "-"))"
    }

    private func makeFolders(_ path: String) throws(SubmitFailure) {
        do {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(path)", withIntermediateDirectories: true)
        } catch {
            throw SubmitFailure(
                .giveUp, code: "album", message: "“\(path)” cannot be made on Acme: something has its name.")
        }
    }

    private func stored(_ path: String) throws(SubmitFailure) -> CopyFindings? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw Self.failure(errno, path)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Self.failure(errno, path) }
        guard status.st_mode & S_IFMT == S_IFREG else { return CopyFindings(size: -1) }
        let size = Int64(status.st_size)
        var found = CopyFindings(size: size)
        found.computed = try Digests.reading([.sha256], size: size) { (buffer, offset) throws(SubmitFailure) in
            let count = pread(file, buffer.baseAddress, buffer.count, Int(offset))
            guard count >= 0 else { throw Self.failure(errno, path) }
            return count
        }
        return found
    }

    /// What an error of Acme means for what comes next: the one place where that is decided.
    static func failure(_ error: CInt, _ path: String) -> SubmitFailure {
        switch error {
        case ENOSPC, EDQUOT:
            SubmitFailure(
                .hold(.full, after: nil), code: "full", message: "Acme has no room left: make room in “\(path)”.")
        case EACCES, EPERM, EROFS:
            SubmitFailure(
                .hold(.misconfigured, after: nil), code: "forbidden",
                message: "“\(path)” may not be used: mend its permissions.")
        case ENAMETOOLONG:
            SubmitFailure(.giveUp, code: "name", message: "“\(path)” is too long a name for Acme: rename the file.")
        default:
            SubmitFailure(
                .retry(after: nil), code: "trouble",
                message: "Acme is in trouble with “\(path)” (\(String(cString: strerror(error)))): it is tried again.")
        }
    }
}
