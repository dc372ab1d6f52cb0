import Glibc
import Submit
import SubmitTesting
import TestServers
import Testing

@Suite struct LocalFileContractTests {
    /// A folder has no credentials, no part and no requests, and it can be full only where we may mount one.
    private static let untried: Set<ContractRequirement> = [
        .singleRequests, .secrets, .resuming, .fault(.refusesCredentials), .fault(.throttled), .fault(.losesReply),
        .fault(.full),
    ]

    @Test(arguments: ContractSuite.cases)
    func `the contract holds in a folder`(_ promise: ContractCase) async throws {
        try await promise.run(LocalFileHarness(), leavingOut: Self.untried.union([.fault(.unreachable)]))
    }

    @Test(arguments: ContractSuite.cases)
    func `the contract holds in a folder for items that are files`(_ promise: ContractCase) async throws {
        try await promise.run(
            LocalFileHarness(readsFiles: true), leavingOut: Self.untried.union([.fault(.unreachable)]))
    }

    @Test(.enabled("needs to mount exFAT") { try await LoopDisk.works(.exfat) }, arguments: ContractSuite.cases)
    func `the contract holds on exFAT`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(LocalFileHarness(disk: .exfat), leavingOut: Self.untried)
    }

    @Test(.enabled("needs to mount NTFS") { try await LoopDisk.works(.ntfsWindows) }, arguments: ContractSuite.cases)
    func `the contract holds on NTFS with the names of Windows`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(LocalFileHarness(disk: .ntfsWindows), leavingOut: Self.untried)
    }
}

private struct LocalFileHarness: ContractHarness {
    var readsFiles = false
    var disk: LoopDisk.Kind?

    func makePlace() async throws -> any ContractPlace {
        var root: String?
        if let disk { root = try await SharedDisks.shared.path(disk) }
        return LocalFilePlace(folder: TestFolder(root: root), readsFiles: readsFiles, isRemovable: disk != nil)
    }
}

/// One disk of a kind for all promises: each has a folder of its own there.
private actor SharedDisks {
    static let shared = SharedDisks()
    private var disks: [LoopDisk.Kind: Task<LoopDisk, any Error>] = [:]

    func path(_ kind: LoopDisk.Kind) async throws -> String {
        let task = disks[kind] ?? Task { try await LoopDisk(kind, megabytes: 256) }
        disks[kind] = task
        return "\(try await task.value.path)/\(UInt64.random(in: 0...UInt64.max))"
    }
}

private struct LocalFilePlace: ContractPlace {
    let folder: TestFolder
    let readsFiles: Bool
    let checksDigests = true
    let secrets: [String] = []
    private let kept = TransientNotes()

    private let isRemovable: Bool

    init(folder: TestFolder, readsFiles: Bool, isRemovable: Bool) {
        (self.folder, self.readsFiles, self.isRemovable) = (folder, readsFiles, isRemovable)
    }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try folder.submitter(notes: kept) }

    func contents() -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for path in paths() where !path.hasSuffix(".part") && path != TestFolder.mark {
            contents[path] = folder.content(path)
        }
        return contents
    }

    func leftovers() -> [String] { paths().filter { $0.hasSuffix(".part") } }

    func put(_ bytes: [UInt8], named name: String) { folder.write(bytes, to: "\(folder.root)/\(name)") }

    private var smallDisk: String { folder.path + "/small" }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        if fault == .misconfigured {
            folder.write([1], to: folder.path + "/file")
            return try folder.submitter(["path": folder.path + "/file"])
        }
        if fault == .unreachable {
            // Of the system's own disk nothing goes.
            guard isRemovable else { return nil }
            // It was used, and what lies there now is another.
            let (item, bytes) = try folder.original([1, 2, 3], name: "before.jpg")
            _ = try await makeSubmitter().submit(item, bytes: bytes, context: SubmissionContext(submission: "before"))
            guard rename(folder.root, folder.root + ".away") == 0 else { return nil }
            mkdir(folder.root, 0o755)
            return try makeSubmitter()
        }
        guard fault == .full, getuid() == 0 else { return nil }
        mkdir(smallDisk, 0o755)
        guard shell("mount -t tmpfs -o size=64k none '\(smallDisk)' 2>/dev/null") else { return nil }
        mkdir(smallDisk + "/root", 0o755)
        shell("cat /dev/zero > '\(smallDisk)/filler' 2>/dev/null")
        return try folder.submitter(["path": smallDisk + "/root"])
    }

    func endFault() {
        guard access(folder.root + ".away", F_OK) == 0 else { return }
        shell("rm -rf '\(folder.root)'; mv '\(folder.root).away' '\(folder.root)'")
    }

    func remove() {
        endFault()
        shell("umount '\(smallDisk)' 2>/dev/null")
    }

    /// All files, at any depth.
    /// FUSE tells its file system later that a file was closed: until then one that was removed is there as a hidden one.
    private func paths(below parent: String = "") -> [String] {
        folder.names(parent).filter { !$0.hasPrefix(".fuse_hidden") }.flatMap { name -> [String] in
            let path = parent + name
            var status = stat()
            guard lstat("\(folder.root)/\(path)", &status) == 0 else { return [] }
            return status.st_mode & S_IFMT == S_IFDIR ? paths(below: path + "/") : [path]
        }
    }
}
