import Foundation
import Submit
import SubmitTesting
import TestServers
import Testing

@testable import CommandSubmitter

@Suite struct CommandContractTests {
    /// What a program that knows nothing of conflict policies cannot do.
    private static let beyond = [
        "conflict-rename",
        "conflict-skip",
        "conflict-overwrite",
        "conflict-repair",
        "two-writers",
    ]

    private static let untried: Set<ContractRequirement> = [
        .secrets, .resuming, .readback, .digests, .fault(.full), .fault(.throttled), .singleRequests,
    ]

    @Test func `what is left out of the contract is in it`() {
        #expect(Self.beyond.allSatisfy { id in ContractSuite.cases.contains { $0.id == id } })
    }

    @Test(arguments: ContractSuite.cases.filter { !Self.beyond.contains($0.id) })
    func `the contract holds for a program that looks, stores and removes`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(CommandHarness(), leavingOut: Self.untried)
    }

    @Test(arguments: ContractSuite.cases.filter { !Self.beyond.contains($0.id) })
    func `it holds for items that are files`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(CommandHarness(readsFiles: true), leavingOut: Self.untried)
    }
}

private struct CommandHarness: ContractHarness {
    var readsFiles = false

    func makePlace() throws -> any ContractPlace { try CommandPlace(readsFiles: readsFiles) }
}

/// A folder that shell scripts put copies in.
struct CommandPlace: ContractPlace {
    let folder = TemporaryFolder()
    let root: String
    let checksDigests = false
    let secrets: [String] = []
    let readsFiles: Bool

    init(readsFiles: Bool) throws {
        self.readsFiles = readsFiles
        root = try folder.folder("root")
        try folder.write(
            """
            set -eu
            to="$ROOT/$SUBMIT_ID"
            mkdir -p "$(dirname "$to")"
            part="$ROOT/.$SUBMIT_SUBMISSION.part"
            trap 'rm -f "$part"' EXIT
            trap 'exit 75' TERM
            cp -- "$1" "$part"
            ln -- "$part" "$to" || exit 73
            echo "stored"
            echo "http://photos.example/$SUBMIT_SHA256"
            """, to: "store.sh")
        try folder.write(
            """
            [ -f "$ROOT/$SUBMIT_ID" ] || exit 1
            have=$(sha256sum < "$ROOT/$SUBMIT_ID") || exit 2
            [ "${have%% *}" = "$SUBMIT_SHA256" ] || exit 1
            echo verified
            """, to: "present.sh")
        try folder.write(
            "if [ -n \"$SUBMIT_ID\" ]; then rm -f \"$ROOT/$SUBMIT_ID\"\n"
                + "elif [ -d \"$ROOT/$SUBMIT_ALBUM\" ]; then rmdir --ignore-fail-on-non-empty \"$ROOT/$SUBMIT_ALBUM\"; fi\n",
            to: "remove.sh")
        try folder.write("cd \"$ROOT\" && find . -mindepth 1 -type d | sed 's|^\\./||'\n", to: "albums.sh")
    }

    func submitter(_ values: [String: String] = [:]) throws(SubmitFailure) -> any Submitter {
        func script(_ name: String) -> String { "env 'ROOT=\(root)' sh \(folder.path)/\(name).sh" }
        let settings = [
            "run": script("store"), "present": script("present"), "remove": script("remove"),
            "albums": script("albums"), "jobs": "4",
        ]
        return try CommandSubmitter.submitterType().make(
            DestinationSettings(destination: "attic", values: settings.merging(values) { $1 }))
    }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try submitter() }

    func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for path in try paths() where !path.hasSuffix(".part") {
            contents[path] = FileManager.default.contents(atPath: "\(root)/\(path)").map { Array($0) }
        }
        return contents
    }

    func leftovers() throws -> [String] { try paths().filter { $0.hasSuffix(".part") } }

    private func paths() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root).filter {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root)/\($0)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }

    func put(_ bytes: [UInt8], named name: String) throws { try folder.write(bytes, to: "root/\(name)") }

    func submitter(meeting fault: ContractFault) throws -> (any Submitter)? {
        switch fault {
        case .unreachable: return try submitter(["run": "sh -c 'exit 69'", "present": "sh -c 'exit 2'"])
        case .refusesCredentials: return try submitter(["run": "sh -c 'exit 77'"])
        case .misconfigured: return try submitter(["run": "sh -c 'exit 78'"])
        case .losesReply:
            // Stored, and gone before it could say so; the next time all is well.
            try folder.write(
                "sh '\(folder.path)/store.sh' \"$1\" && [ -e '\(folder.path)/lost' ] && exit\n"
                    + "touch '\(folder.path)/lost'; kill -9 $$\n", to: "losing.sh")
            return try submitter(["run": "env 'ROOT=\(root)' sh \(folder.path)/losing.sh"])
        case .full, .throttled: return nil
        }
    }

    func remove() {}
}
