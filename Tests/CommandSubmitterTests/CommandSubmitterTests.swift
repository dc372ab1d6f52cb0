import Foundation
import Submit
import SubmitConcurrency
import SubmitTesting
import SystemPackage
import TestServers
import Testing

@testable import CommandSubmitter

@Suite struct CommandSubmitterTests {
    let folder = TemporaryFolder()
    let bytes = ScriptedBytes([1, 2, 3])

    private func submitter(
        _ script: String, _ values: [String: String] = [:]
    ) throws -> any Submitter {
        let path = try folder.write(script, to: "run.sh")
        return try CommandSubmitter.submitterType().make(
            DestinationSettings(destination: "attic", values: ["run": "sh \(path)"].merging(values) { $1 }))
    }

    private func failure(_ script: String, _ values: [String: String] = [:]) async throws -> SubmitFailure {
        let submitter = try submitter(script, values)
        return try await #require(throws: SubmitFailure.self) {
            try await submitter.submit(
                bytes.item(named: "photo.jpg"), bytes: bytes, context: SubmissionContext(submission: "s-1"))
        }
    }

    @Test(arguments: [
        (64, Remedy.hold(.misconfigured, after: nil)), (78, .hold(.misconfigured, after: nil)),
        (126, .hold(.misconfigured, after: nil)), (127, .hold(.misconfigured, after: nil)),
        (69, .hold(.unreachable, after: nil)), (77, .renewCredentials), (73, .giveUp),
        (74, .retry(after: nil)), (75, .retry(after: nil)), (1, .retry(after: nil)),
    ])
    func `each exit status has its remedy`(status: Int, remedy: Remedy) async throws {
        let failure = try await failure("echo 'the disk is gone' >&2; exit \(status)")
        #expect(failure.remedy == remedy)
        #expect(failure.message.contains("the disk is gone"))
        #expect(failure.message.contains("photo.jpg"))
    }

    @Test func `words are filled in without a shell, and what they hold is not looked at again`() async throws {
        let output = folder.path("words")
        let submitter = try submitter(
            "for word; do printf '%s\\n' \"$word\"; done > '\(output)'",
            [
                "run": "sh \(folder.path("run.sh")) --title={caption} '{tags} {mime}' {album}/{name} "
                    + "'{print $1}' '${nonsense}' {}"
            ])
        let item = bytes.item(named: "a; rm -rf $HOME {path}.jpg", caption: "`id` {sha256}", tags: ["x", "y z"])
        _ = try await submitter.submit(
            item, bytes: bytes, context: SubmissionContext(submission: "s-1", album: "Summer"))
        let words = try folder.text("words").split(separator: "\n").map(String.init)
        #expect(
            words.dropLast() == [
                "--title=`id` {sha256}", "x,y z image/jpeg", "Summer/a; rm -rf $HOME {path}.jpg", "{print $1}",
                "${nonsense}", "{}",
            ])
    }

    @Test func `the path leads to the accepted file, also when another took its name`() async throws {
        let source = try folder.write([7, 7, 7], to: "original.jpg")
        let descriptor = open(source, O_RDONLY)
        defer { close(descriptor) }
        let accepted = DescribedBytes(descriptor)
        var item = accepted.item
        item.source = .init(source)
        let submitter = try submitter(
            "echo \"$1\" >> '\(folder.path("paths"))'; cat \"$1\" >> '\(folder.path("copy"))'")
        _ = try await submitter.submit(item, bytes: accepted, context: SubmissionContext(submission: "s-1"))
        try FileManager.default.moveItem(atPath: source, toPath: folder.path("moved.jpg"))
        try folder.write([8, 8, 8], to: "original.jpg")
        _ = try await submitter.submit(item, bytes: accepted, context: SubmissionContext(submission: "s-2"))
        #expect(try folder.text("paths").hasPrefix(source + "\n/proc/"))
        #expect(FileManager.default.contents(atPath: folder.path("copy")) == Data([7, 7, 7, 7, 7, 7]))
    }

    @Test func `the first line that is a URL is the receipt's, unless it holds a password`() {
        func url(_ text: String) -> String? { CommandSubmitter.url(in: Array(text.utf8)) }
        #expect(url("done\n https://example.org/p/1 \nhttps://example.org/2") == "https://example.org/p/1")
        #expect(url("see https://example.org/p/1") == nil)
        #expect(url("https://me:secret@example.org/1\nhttps://example.org/2") == "https://example.org/2")
        #expect(url("https://\u{1b}[31m.org") == nil)
    }

    @Test func `without a program that looks there is no evidence`() async throws {
        let receipt = try await submitter("exit 0").submit(
            bytes.item(named: "photo.jpg"), bytes: bytes, context: SubmissionContext(submission: "s-1"))
        #expect(receipt.evidence == .unknown)
        #expect(!receipt.wasThere)
    }

    @Test func `a success that the other program does not see is a failure`() async throws {
        let failure = try await failure("exit 0", ["present": "false"])
        #expect(failure.code == "not-there")
        #expect(failure.remedy == .retry(after: nil))
    }

    @Test(arguments: [(nil, nil), ("false", true), ("true", false), ("sh -c 'exit 2'", nil)] as [(String?, Bool?)])
    func `what must not be repeated is not, unless its absence is told`(present: String?, runs: Bool?) async throws {
        var values = ["repeatable": "no"]
        values["present"] = present
        // As the attempt that was killed after it had begun left it.
        let context = SubmissionContext(submission: "s-1", attempt: 2, checkpoint: Checkpoint(data: Array("run".utf8)))
        let ran = folder.path("ran")
        let submitter = try submitter("touch '\(ran)'", values)
        var remedy: Remedy?
        do throws(SubmitFailure) {
            _ = try await submitter.submit(bytes.item(named: "photo.jpg"), bytes: bytes, context: context)
        } catch {
            remedy = error.remedy
        }
        #expect(FileManager.default.fileExists(atPath: ran) == (runs ?? false))
        if runs == nil { #expect(remedy == .outcomeUnknown) }
    }

    @Test func `a checkpoint is kept before the program runs, and forgotten when it says no`() async throws {
        let kept = Locked<[Bool]>([])
        let submitter = try submitter("exit 75", ["repeatable": "no"])
        let context = SubmissionContext(
            submission: "s-1",
            keep: { checkpoint in
                kept.withLock { $0.append(checkpoint != nil) }
                return .success(())
            })
        await #expect(throws: SubmitFailure.self) {
            try await submitter.submit(bytes.item(named: "photo.jpg"), bytes: bytes, context: context)
        }
        #expect(kept.withLock { $0 } == [true, false])
        let killed = try await failure("kill -9 $$", ["repeatable": "no"])
        #expect(killed.remedy == .outcomeUnknown)
    }

    @Test func `a checkpoint is forgotten when the program did not run, and not kept without a file`() async throws {
        let kept = Locked<[Bool]>([])
        let context = SubmissionContext(
            submission: "s-1",
            keep: { checkpoint in
                kept.withLock { $0.append(checkpoint != nil) }
                return .success(())
            })
        let missing = try submitter("", ["run": "/nowhere/upload", "repeatable": "no"])
        await #expect(throws: SubmitFailure.self) {
            try await missing.submit(bytes.item(named: "photo.jpg"), bytes: bytes, context: context)
        }
        #expect(kept.withLock { $0 } == [true, false])
        kept.withLock { $0 = [] }
        let short = ScriptedBytes([1, 2, 3], fault: .endsAt(1))
        let sending = try submitter("exit 0", ["repeatable": "no"])
        await #expect(throws: SubmitFailure.self) {
            try await sending.submit(bytes.item(named: "photo.jpg"), bytes: short, context: context)
        }
        #expect(kept.withLock { $0 } == [])
    }

    @Test func `the programs that look and remove get the copy's name, album and URL, whenever they run`() async throws
    {
        let words = folder.path("words")
        let write = try folder.write("for word; do printf '%s|' \"$word\"; done >> '\(words)'; exit 1", to: "write.sh")
        let submitter = try submitter(
            "echo https://example.org/1",
            [
                "present": "sh \(write) {album} {name} {id} {url} {size} {sha256}",
                "remove": "sh -c 'sh \"$0\" \"$@\"; :' \(write) {album} {name} {id} {url}",
            ])
        let item = bytes.item(named: "photo.jpg")
        let receipt = Receipt(remoteID: "Summer/2026/photo.jpg", url: "https://example.org/1", evidence: .unknown)
        _ = await submitter.facets.presence?.presence(of: item, receipt: receipt)
        let digest = try #require(item.digests.hexadecimal(.sha256))
        let told = "Summer/2026|photo.jpg|Summer/2026/photo.jpg|https://example.org/1|"
        #expect(try folder.text("words") == "\(told)3|\(digest)|")
        try folder.write("", to: "words")
        try await submitter.facets.removal?.remove(receipt)
        #expect(try folder.text("words") == told)
        try folder.write("", to: "words")
        try await submitter.facets.removal?.removeAlbum("Summer/2026")
        #expect(try folder.text("words") == "Summer/2026||||")
        try folder.write("", to: "words")
        await #expect(throws: SubmitFailure.self) {
            try await submitter.submit(
                item, bytes: bytes, context: SubmissionContext(submission: "s-1", album: "Summer/2026"))
        }
        #expect(try folder.text("words").hasPrefix("Summer/2026|photo.jpg|Summer/2026/photo.jpg||3|\(digest)|"))
    }

    @Test func `a cancelled program is ended with all it started`() async throws {
        let pids = folder.path("pids")
        let submitter = try submitter(
            "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ >> \(pids); sleep 600' & echo $$ >> \(pids); wait; sleep 600")
        let task = Task {
            try await submitter.submit(
                bytes.item(named: "photo.jpg"), bytes: bytes, context: SubmissionContext(submission: "s-1"))
        }
        while try folder.text("pids").split(separator: "\n").count < 2 { await Task.yield() }
        task.cancel()
        let failure = await #expect(throws: SubmitFailure.self) { try await task.value }
        #expect(failure == .cancelled)
        for line in try folder.text("pids").split(separator: "\n") {
            let pid = try #require(pid_t(line))
            // Killed, and perhaps not yet reaped by whoever inherited it.
            while kill(pid, 0) == 0, !state(of: pid).contains(where: { "ZX".contains($0) }) { await Task.yield() }
        }
    }

    private func state(of pid: pid_t) -> String {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ") X"
        return String(text.split(separator: ")").last?.prefix(3) ?? "")
    }

    @Test func `a program that floods and never ends is ended in time`() async throws {
        let failure = try await failure("yes >&2 & yes", ["timeout": "1"])
        #expect(failure.code == "program-late")
    }

    @Test func `a program that is missing is told before anything is sent`() async throws {
        let submitter = try CommandSubmitter.submitterType().make(
            DestinationSettings(destination: "attic", values: ["run": "/nowhere/upload"]))
        let failure = await #expect(throws: SubmitFailure.self) { try await submitter.check() }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        let sent = await #expect(throws: SubmitFailure.self) {
            try await submitter.submit(
                bytes.item(named: "photo.jpg"), bytes: bytes, context: SubmissionContext(submission: "s-1"))
        }
        #expect(sent?.remedy == .hold(.misconfigured, after: nil))
    }

    @Test(arguments: [
        [:], ["run": "upload 'x"], ["run": "x", "jobs": "0"], ["run": "x", "present": "\""], ["run": "x {nonsense}"],
        ["run": "x {url}"], ["run": "x", "present": "y {path}"], ["run": "x", "present": "y {conflict}"],
        ["run": "x", "remove": "y a{sha256}"], ["run": "x", "albums": "y {album}"],
    ])
    func `settings that cannot be are refused by name`(values: [String: String]) {
        #expect(throws: SubmitFailure.self) {
            try CommandSubmitter.submitterType().make(DestinationSettings(destination: "attic", values: values))
        }
    }
}

/// Bytes of an open file that nobody guards.
struct DescribedBytes: MediaBytes {
    let descriptor: CInt
    let size: Int64
    var fileDescriptor: CInt? { descriptor }

    init(_ descriptor: CInt) {
        self.descriptor = descriptor
        var status = stat()
        fstat(descriptor, &status)
        size = Int64(status.st_size)
    }

    var item: MediaItem { ScriptedBytes([7, 7, 7]).item(named: "photo.jpg") }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        pread(descriptor, buffer.baseAddress, buffer.count, Int(offset))
    }

    func verifyUnchanged() throws(SubmitFailure) {}
}
