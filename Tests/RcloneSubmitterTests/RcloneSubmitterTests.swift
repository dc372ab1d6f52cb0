import Foundation
import Submit
import SubmitConcurrency
import SubmitPrograms
import SubmitTesting
import TestServers
import Testing

@testable import RcloneSubmitter

@Suite struct RcloneSubmitterTests {
    let place: RclonePlace
    let bytes = ScriptedBytes(ScriptedBytes.content(count: 100_000))
    var item: MediaItem { bytes.item(named: "photo.jpg") }

    init() throws { place = try RclonePlace() }

    @Test func `a configuration that others can read is used only if it is encrypted`() throws {
        let config = place.folder.path("rclone.conf")
        func make(_ secrets: [String: String]) throws {
            _ = try RcloneSubmitter.submitterType().make(
                DestinationSettings(
                    destination: "shelf", values: ["remote": "shelf:", "config": config], secrets: secrets))
        }
        chmod(config, 0o644)
        try make(["config_pass": "s3cr3t-of-th1s-rem0te"])
        let failure = #expect(throws: SubmitFailure.self) { try make([:]) }
        #expect(failure?.message.contains("“config”") == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("others can read it; `chmod 600` it") == true, "\(failure?.message ?? "")")
        chmod(config, 0o600)
        try make([:])
    }

    /// A program that is rclone but for one call, and everything after it.
    private func rclone(breakingAt call: Int, _ how: String) throws -> String {
        let script = """
            #!/bin/sh
            count=$(($(cat '\(place.folder.path("count"))' 2>/dev/null || echo 0) + 1))
            echo $count > '\(place.folder.path("count"))'
            [ $count -lt \(call) ] && exec rclone "$@"
            [ $count -gt \(call) ] && kill -9 $$
            \(how)
            kill -9 $$
            """
        try place.folder.write(script, to: "rclone")
        chmod(place.folder.path("rclone"), 0o755)
        return place.folder.path("rclone")
    }

    @Test(arguments: [("", 0), ("rclone \"$@\"", 0), ("head -c 5000 | rclone \"$@\"", 3)])
    func `whatever call breaks, the next attempt leaves one copy and nothing else`(how: String, only: Int) async throws
    {
        for call in only == 0 ? Array(1...7) : [only] {
            let place = try RclonePlace()
            let tests = try RcloneSubmitterTests(place)
            let broken = try place.submitter(["program": try tests.rclone(breakingAt: call, how)])
            let kept = Locked<Checkpoint?>(nil)
            let first = SubmissionContext(
                submission: "s-1",
                keep: { checkpoint in
                    kept.withLock { $0 = checkpoint }
                    return .success(())
                })
            await #expect(throws: SubmitFailure.self, "call \(call)") {
                try await broken.submit(item, bytes: bytes, context: first)
            }
            let again = SubmissionContext(submission: "s-1", attempt: 2, checkpoint: kept.withLock { $0 })
            let receipt = try await place.makeSubmitter().submit(item, bytes: bytes, context: again)
            #expect(receipt.remoteID == "photo.jpg")
            #expect(receipt.evidence == .verified)
            #expect(try place.contents() == ["photo.jpg": bytes.content], "call \(call)")
            // A copy that had got its name before the answer was lost is found, and not sent again.
            #expect(receipt.wasThere == (how.hasPrefix("rclone") && call >= 5 || how.isEmpty && call >= 6))
            #expect(try place.leftovers() == [], "call \(call)")
        }
    }

    private init(_ place: RclonePlace) throws { self.place = place }

    @Test func `what an attempt left is listed, spared while it may go on, and removed`() async throws {
        try place.folder.folder("root/Summer")
        try place.put([1, 2], named: "Summer/.submit-a-1.part")
        try place.put([3], named: ".submit-b-2.part")
        try place.put([4], named: "photo.parts")
        let leftovers = try #require(try place.makeSubmitter().facets.leftovers)
        let all = try await leftovers.list(sparing: [])
        #expect(Set(all.map(\.id)) == ["Summer/.submit-a-1.part", ".submit-b-2.part"])
        // Their dates are those of the photos.
        #expect(all.allSatisfy { $0.begun == nil })
        let rest = try await leftovers.list(sparing: [Checkpoint(data: Array(".submit-b-2.part".utf8))])
        #expect(rest.map(\.id) == ["Summer/.submit-a-1.part"])
        try await leftovers.remove(rest[0])
        try await leftovers.remove(rest[0])
        #expect(try place.leftovers() == [".submit-b-2.part"])
        await #expect(throws: SubmitFailure.self) {
            try await leftovers.remove(Leftover(id: "../root/photo.parts", name: ""))
        }
    }

    @Test func `copies and empty albums are removed, and nothing else`() async throws {
        let submitter = try place.makeSubmitter()
        let receipt = try await submitter.submit(
            item, bytes: bytes, context: SubmissionContext(submission: "s-1", album: "Summer"))
        let removal = try #require(submitter.facets.removal)
        try await removal.removeAlbum("Summer")
        #expect(try place.contents().count == 1)
        for _ in 1...2 { try await removal.remove(receipt) }
        for _ in 1...2 { try await removal.removeAlbum("Summer") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.root) == [])
        await #expect(throws: SubmitFailure.self) {
            try await removal.remove(Receipt(remoteID: "../rclone.conf", evidence: .size))
        }
    }

    @Test func `a copy is read back where that is asked for`() async throws {
        var context = SubmissionContext(submission: "s-1", verification: .readback)
        let log = place.folder.path("calls")
        try place.folder.write("#!/bin/sh\necho \"$@\" >> '\(log)'\nexec rclone \"$@\"\n", to: "rclone")
        chmod(place.folder.path("rclone"), 0o755)
        let submitter = try place.submitter(["program": place.folder.path("rclone")])
        #expect(try await submitter.submit(item, bytes: bytes, context: context).evidence == .verified)
        #expect(try place.folder.text("calls").contains(" cat --no-traverse -- shelf:.submit-s-1.part"))
        let again = try await submitter.submit(item, bytes: bytes, context: context)
        #expect(again.wasThere && again.evidence == .verified)
        #expect(try place.folder.text("calls").contains(" cat --no-traverse -- shelf:photo.jpg"))
        context.verification = .usual
    }

    @Test func `the configuration's password is in rclone's environment and in no argument`() async throws {
        let script =
            "#!/bin/sh\necho \"$@\" >> '\(place.folder.path("calls"))'\n"
            + "echo \"$RCLONE_CONFIG_PASS\" >> '\(place.folder.path("password"))'\nexec rclone \"$@\"\n"
        try place.folder.write(script, to: "rclone")
        chmod(place.folder.path("rclone"), 0o755)
        let submitter = try place.submitter(["program": place.folder.path("rclone")])
        _ = try await submitter.submit(item, bytes: bytes, context: SubmissionContext(submission: "s-1"))
        #expect(try !place.folder.text("calls").contains(place.secrets[0]))
        let passwords = try place.folder.text("password").split(separator: "\n").map(String.init)
        #expect(passwords == Array(repeating: place.secrets[0], count: 7))
    }

    @Test func `a check of a place that is not there yet leaves it so`() async throws {
        let root = place.folder.path("later")
        let sentence = try await place.submitter(["remote": root]).check()
        #expect(sentence.contains("SHA256"))
        #expect(!FileManager.default.fileExists(atPath: root))
    }

    @Test(.enabled("it takes the right to mount") { await SmallDisk.isAllowed() })
    func `a full disk holds the destination`() async throws {
        let disk = try await SmallDisk.mount("512k")
        let large = ScriptedBytes(ScriptedBytes.content(count: 1 << 20))
        let submitter = try place.submitter(["remote": disk.path])
        let failure = await #expect(throws: SubmitFailure.self) {
            try await submitter.submit(
                large.item(named: "photo.jpg"), bytes: large, context: SubmissionContext(submission: "s-1"))
        }
        #expect(failure?.remedy == .hold(.full, after: nil))
        #expect(try FolderContents.files(below: disk.path) == [])
    }

    @Test(
        arguments: [
            "remote": [
                nil, "photos", "-x:", ":sftp,host=h,pass=abc:p", ":s3,access_key_id=a,secret_access_key=b:p",
                ":webdav,url='https://me:abc@nas/dav',user=me:p", ":webdav,url='https://me:a''abc@nas':p",
                ":webdav,url='https://nas',headers='Cookie,abc':p",
            ],
            "jobs": ["0", "17", "x"], "template": ["{nme}"],
        ] as [String: [String?]])
    func `settings that cannot be are refused by name`(name: String, values: [String?]) {
        for value in values {
            var settings = ["remote": "shelf:"]
            settings[name] = value
            let failure = #expect(throws: SubmitFailure.self, "\(value ?? "nothing")") {
                try RcloneSubmitter.submitterType().make(DestinationSettings(destination: "shelf", values: settings))
            }
            #expect(failure?.message.contains("“\(name)”") == true)
            #expect(failure?.message.contains("abc") == false)
        }
    }

    @Test(arguments: [
        ":webdav,url='https://nas.example',user='me@nas.example':p",
        ":webdav,url='https://me@nas.example:8443/a':b:c@d",
    ])
    func `a user's name and a port are no password`(remote: String) throws {
        _ = try RcloneSubmitter.submitterType().make(
            DestinationSettings(destination: "nas", values: ["remote": remote]))
    }

    @Test(arguments: [ConflictPolicy.rename, .skip])
    func `what a broken attempt left goes when there is nothing to send`(policy: ConflictPolicy) async throws {
        try place.put(policy == .skip ? [1] : bytes.content, named: "photo.jpg")
        try place.put([1, 2], named: ".submit-s-1.part")
        let context = SubmissionContext(
            submission: "s-1", attempt: 2, onConflict: policy,
            checkpoint: Checkpoint(data: Array(".submit-s-1.part".utf8)))
        #expect(try await place.makeSubmitter().submit(item, bytes: bytes, context: context).wasThere)
        #expect(try place.leftovers() == [])
    }

    @Test func `a copy is not left twice where someone stored the same bytes a moment before`() async throws {
        let same = try place.folder.write(bytes.content, to: "same")
        let script = """
            #!/bin/sh
            case "$*" in *moveto*) cp '\(same)' '\(place.root)/photo.jpg' ;; esac
            exec rclone "$@"
            """
        try place.folder.write(script, to: "rclone")
        chmod(place.folder.path("rclone"), 0o755)
        let submitter = try place.submitter(["program": place.folder.path("rclone")])
        let receipt = try await submitter.submit(item, bytes: bytes, context: SubmissionContext(submission: "s-1"))
        #expect(receipt.wasThere && receipt.evidence == .verified)
        #expect(try place.contents() == ["photo.jpg": bytes.content])
        #expect(try place.leftovers() == [])
    }

    @Test func `paths are told to rclone below the remote`() {
        func place(_ root: String) -> String {
            let rclone = Rclone(program: "rclone", configuration: nil, environment: [:], destination: "d")
            return RcloneRemote(root: root, rclone: rclone).place("a/b")
        }
        #expect(place("gdrive:") == "gdrive:a/b")
        #expect(place("gdrive:photos") == "gdrive:photos/a/b")
        #expect(place("/") == "/a/b")
        #expect(place("/srv") == "/srv/a/b")
    }

    /// Which it calls a notice, and Debian's rclone calls nothing.
    @Test func `a newer rclone says what failed, too`() async throws {
        let locked = ":webdav,url='\(try await DAVServer.locked().endpoint)',user=nobody:photos"
        let program = try await RcloneS3Server.shared().program
        let submitter = try place.submitter(["remote": locked, "program": program])
        let failure = await #expect(throws: SubmitFailure.self) { try await submitter.check() }
        #expect(failure?.remedy == .renewCredentials)
    }

    @Test(arguments: [
        ("Failed to copy: googleapi: Error 429: Too Many Requests, rateLimitExceeded", 1, "throttled"),
        ("couldn't fetch token: invalid_grant: maybe token expired?", 1, "credentials"),
        ("AccessDenied: Access Denied. status code: 403", 1, "credentials"),
        ("ssh: handshake failed: ssh: unable to authenticate, attempted methods [none]", 1, "credentials"),
        ("dial tcp: lookup nas on 127.0.0.53:53: no such host", 1, "unreachable"),
        ("storageQuotaExceeded: The user's Drive storage quota has been exceeded", 1, "full"),
        ("Failed to create file system for \"x:\": didn't find section in config file", 1, "misconfigured"),
        ("open /srv/x: permission denied", 1, "not-writable"),
        ("x509: certificate signed by unknown authority", 1, "certificate"),
        ("googleapi: got HTTP response code 429 with body", 1, "throttled"),
        ("Failed to create file system: 530 Login incorrect.", 1, "credentials"),
        ("ERROR : IMG_0530 2.jpg: Failed to copy: something new", 1, "rclone"),
        ("error reading source directory \"Trip 1429 km\": something new", 1, "rclone"),
        ("read metadata failed: Propfind \"http://nas/dav/photos\": EOF", 5, "unreachable"),
        ("Put \"http://nas/x\": set tcp 127.0.0.1:58994: use of closed network connection", 5, "unreachable"),
        ("Update mkParentDir failed: 404 Not Found", 1, "misconfigured"),
        ("read metadata failed: 405 Method Not Allowed", 1, "misconfigured"),
        (
            "operation error S3: CreateBucket, https response error StatusCode: 404, api error NotFound", 1,
            "misconfigured"
        ),
        ("NoSuchBucket: The specified bucket does not exist\n\tstatus code: 404", 1, "misconfigured"),
        ("something new", 7, "fatal"), ("something new", 8, "throttled"), ("something new", 5, "rclone"),
    ])
    func `complaints have their remedies`(complaint: String, status: Int, code: String) {
        let end = ProgramResult(
            status: .exited(status), output: [], isCut: false, complaint: Array(complaint.utf8), readAll: true)
        #expect(SubmitFailure.rclone("It failed", end, at: "shelf", about: []).code == code)
    }

    @Test(arguments: [
        "Quota exceeded/Error 429 Unauthorized.jpg: something new", "open /srv/Access denied/x.jpg: something new",
        "PUT https://nas/Access%20denied/Error%20429%20Unauthorized.jpg: something new",
    ])
    func `what a photo or an album is called is no complaint`(complaint: String) {
        let end = ProgramResult(
            status: .exited(1), output: [], isCut: false, complaint: Array(complaint.utf8), readAll: true)
        let places = ["nas:Quota exceeded/Error 429 Unauthorized.jpg", "/srv/Access denied/x.jpg"]
        #expect(SubmitFailure.rclone("It failed", end, at: "shelf", about: places).code == "rclone")
        let denied = ProgramResult(
            status: .exited(1), output: [], isCut: false, complaint: Array("x: access denied".utf8), readAll: true)
        #expect(
            SubmitFailure.rclone("It failed", denied, at: "shelf", about: ["nas:access/x"]).code
                == "credentials")
    }

    @Test func `a remote that keeps its own memory of digests is not believed`() throws {
        func traits(_ name: String) -> RcloneTraits? {
            RcloneTraits(Array(#"{"String":"\#(name)","Hashes":["md5","sha1"],"Features":{"BucketBased":true}}"#.utf8))
        }
        #expect(traits("S3 bucket photos")?.digest == .sha1)
        #expect(traits("hasher::h:photos")?.digest == nil)
        #expect(traits("Chunked 'c:photos'")?.digest == nil)
        #expect(traits("Compressed: c:photos")?.digest == nil)
        #expect(traits("S3 bucket photos")?.isBucketBased == true)
    }
}
