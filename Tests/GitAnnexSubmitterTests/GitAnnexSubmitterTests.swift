import Foundation
import Submit
import SubmitConcurrency
import SubmitTesting
import TestServers
import Testing

@testable import GitAnnexSubmitter

@Suite struct GitAnnexSubmitterTests {
    @Test func `a remote's yes is no evidence, and reading back is`() async throws {
        let remote = try ScriptedRemote()
        #expect(try await remote.submit().evidence == .unknown)
        // The same bytes are told by reading them.
        let again = try await remote.submit()
        #expect(again.wasThere && again.evidence == .verified)
        let proven = try ScriptedRemote()
        let context = SubmissionContext(submission: "s-1", verification: .readback)
        let receipt = try await proven.submitter().submit(proven.item, bytes: proven.bytes, context: context)
        #expect(receipt.evidence == .verified && !receipt.wasThere)
    }

    @Test func `what comes back damaged is removed and not done`() async throws {
        let remote = try ScriptedRemote(
            #"TRANSFEREXPORT) [ $2 = STORE ] && echo x > stored/$name || cp stored/$name $4; echo TRANSFER-SUCCESS $2 $3 ;;"#
        )
        #expect(try await remote.failure(["readback": "yes"])?.code == "damaged")
        #expect(try FileManager.default.contentsOfDirectory(atPath: remote.folder.path("stored")) == [])
    }

    @Test func `one program serves all, set up once in its life and prepared once in the program's`() async throws {
        let remote = try ScriptedRemote()
        let submitter = try remote.submitter()
        for number in 1...3 {
            _ = try await submitter.submit(
                remote.bytes.item(named: "photo\(number).jpg"), bytes: remote.bytes, context: remote.context)
        }
        _ = try await remote.submitter().check()
        let requests = try remote.lines("requests")
        #expect(try remote.lines("starts").count == 2)
        #expect(requests.filter { $0 == "INITREMOTE" }.count == 1)
        #expect(requests.filter { $0 == "PREPARE" }.count == 2)
        #expect(requests.first == "EXTENSIONS INFO GETGITREMOTENAME UNAVAILABLERESPONSE")
        #expect(requests.contains("EXPORT photo2.jpg"))
        // What is configured otherwise is set up anew.
        _ = try await remote.submitter(["config": "a=b"]).check()
        #expect(try remote.lines("requests").filter { $0 == "INITREMOTE" }.count == 2)
    }

    @Test func `a remote that cannot be prepared is not set up again, which may make its folder anew`() async throws {
        let remote = try ScriptedRemote("PREPARE) echo PREPARE-FAILURE the disk is away ;;")
        let submitter = try remote.submitter()
        for _ in 1...2 {
            await #expect(throws: SubmitFailure.self) {
                try await submitter.submit(remote.item, bytes: remote.bytes, context: remote.context)
            }
        }
        _ = try await remote.failure()
        let requests = try remote.lines("requests")
        #expect(requests.filter { $0 == "PREPARE" }.count == 3)
        #expect(requests.filter { $0 == "INITREMOTE" }.count == 1)
    }

    @Test func `a copy is found and removed by whatever name it could be stored under`() async throws {
        let remote = try ScriptedRemote()
        let item = remote.bytes.item(named: "one\u{2028}two\u{85}\n.jpg")
        let submitter = try remote.submitter()
        let receipt = try await submitter.submit(item, bytes: remote.bytes, context: remote.context)
        #expect(receipt.remoteID == "one\u{2028}two\u{85}_.jpg")
        #expect(await submitter.facets.presence?.presence(of: item, receipt: receipt) == .present(.unknown))
        try await submitter.facets.removal?.remove(receipt)
        #expect(try FileManager.default.contentsOfDirectory(atPath: remote.folder.path("stored")) == [])
    }

    @Test func `a remote is answered what it asks`() async throws {
        let remote = try ScriptedRemote(
            """
            PREPARE)
                ask GETCONFIG directory; ask GETCONFIG nonsense; ask GETCONFIG encryption
                echo SETCONFIG directory /else where; ask GETCONFIG directory
                ask GETCREDS login; echo SETCREDS other bob his words; ask GETCREDS other
                ask GETGITREMOTENAME; ask DIRHASH SHA256E-s5--abc.jpg; ask DIRHASH-LOWER SHA256E-s5--abc.jpg
                ask GETWANTED; echo SETWANTED standard; ask GETWANTED; ask GETUUID; ask GETGITDIR
                echo INFO hello; echo DEBUG hello
                echo PREPARE-SUCCESS ;;
            """)
        _ = try await remote.submitter(["config": "directory='/srv/my photos' x=y"]).check()
        let answers = try remote.lines("answers")
        #expect(
            answers.prefix(11) == [
                "VALUE /srv/my photos", "VALUE ", "VALUE none", "VALUE /else where", "CREDS alice s3cr3t words",
                "CREDS bob his words", "VALUE annex", "VALUE K2/61/", "VALUE 421/e9a/", "VALUE ", "VALUE standard",
            ])
        #expect(answers[11].count == 6 + 36)
        #expect(answers[12].hasPrefix("VALUE /"))
    }

    @Test func `what a remote notes of a key is there in the next process, and its URL is the receipt's`() async throws
    {
        let remote = try ScriptedRemote(
            """
            CHECKPRESENTEXPORT)
                ask GETSTATE $2; ask GETURLS $2 http; [ "$answer" = "VALUE " ] || IFS= read -r end
                if [ -e "stored/$name" ]; then echo "CHECKPRESENT-SUCCESS $2"; else echo "CHECKPRESENT-FAILURE $2"; fi ;;
            TRANSFEREXPORT)
                cp "$4" "stored/$name"; echo SETSTATE $3 some state; echo SETURLPRESENT $3 https://photos.example/1
                echo PROGRESS 500; echo "TRANSFER-SUCCESS $2 $3" ;;
            """)
        let sent = Locked<[Int64]>([])
        let context = SubmissionContext(submission: "s-1", sent: { count in sent.withLock { $0.append(count) } })
        let receipt = try await remote.submitter().submit(remote.item, bytes: remote.bytes, context: context)
        #expect(receipt.url == "https://photos.example/1")
        #expect(sent.withLock { $0 } == [500, 1000])
        let presence = try #require(try remote.submitter().facets.presence)
        #expect(await presence.presence(of: remote.item, receipt: receipt) == .present(.unknown))
        #expect(try remote.lines("answers").suffix(2) == ["VALUE some state", "VALUE https://photos.example/1"])
    }

    @Test func `what a remote cannot tell is neither there nor not there`() async throws {
        let remote = try ScriptedRemote("CHECKPRESENTEXPORT) echo CHECKPRESENT-UNKNOWN $2 the disk is away ;;")
        let failure = try #require(try await remote.failure())
        #expect(failure.remedy == .hold(.unreachable, after: nil))
        #expect(failure.message.contains("the disk is away"))
        #expect(try !remote.lines("requests").contains { $0.hasPrefix("TRANSFER") })
        let presence = try #require(try remote.submitter().facets.presence)
        let answer = await presence.presence(
            of: remote.item, receipt: Receipt(remoteID: "photo.jpg", evidence: .unknown))
        guard case .unknown(let sentence) = answer else {
            Issue.record("it answered \(answer)")
            return
        }
        #expect(sentence.contains("the disk is away"))
    }

    @Test(arguments: [
        ("EXPORTSUPPORTED) echo EXPORTSUPPORTED-FAILURE ;;", "misconfigured"),
        ("INITREMOTE) echo INITREMOTE-FAILURE no directory ;;", "misconfigured"),
        ("PREPARE) echo PREPARE-FAILURE away ;;", "unreachable"),
        ("TRANSFEREXPORT) echo TRANSFER-FAILURE $2 $3 broken ;;", "not-transferred"),
        ("TRANSFEREXPORT) echo TRANSFER-SUCCESS $2 $3 ;;", "not-there"),
        ("TRANSFEREXPORT) echo TRANSFER-SUCCESS STORE another ;;", "program-broken"),
        ("PREPARE) echo ERROR it is over ;;", "program-broken"),
        ("PREPARE) echo HELLO ;;", "program-broken"), ("PREPARE) exit 3 ;;", "program-broken"),
        ("PREPARE) kill -9 $$ ;;", "program-broken"), ("PREPARE) sleep 600 ;;", "program-broken"),
        ("PREPARE) yes DEBUG x ;;", "program-broken"),
        ("PREPARE) head -c 100000000 /dev/zero | tr '\\0' x ;;", "program-broken"),
        ("PREPARE) printf '\\377\\376\\n' ;;", "program-broken"),
        ("PREPARE) trap '' TERM; exec 1>&-; while :; do sleep 1; done ;;", "program-broken"),
    ])
    func `a remote that fails or misbehaves is told, and is begun anew`(script: String, code: String) async throws {
        let remote = try ScriptedRemote(script)
        let submitter = try remote.submitter(["timeout": "1"])
        for _ in 1...2 {
            let failure = await #expect(throws: SubmitFailure.self) {
                try await submitter.submit(remote.item, bytes: remote.bytes, context: remote.context)
            }
            #expect(failure?.code == code, "\(failure?.message ?? "")")
        }
    }

    @Test(arguments: ["", "echo VERSION 3", "echo hello; sleep 600"])
    func `what does not speak the protocol is told by its first line`(begins: String) async throws {
        let remote = try ScriptedRemote(begins: begins + "; exit", "")
        #expect(try await remote.failure()?.code == "program-broken")
    }

    @Test func `a program that is not there is told`() async throws {
        let failure = try await ScriptedRemote().failure(["externaltype": "no-such-remote"])
        #expect(failure?.code == "program-missing")
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
    }

    @Test func `the password shows in no sentence`() async throws {
        let remote = try ScriptedRemote(
            "PREPARE) ask GETCREDS x; echo PREPARE-FAILURE \"login failed for $answer\" ;;")
        let failure = try #require(try await remote.failure())
        #expect(failure.message.contains("login failed"))
        #expect(!failure.message.contains("s3cr3t"))
        #expect(
            await remote.notes.read("git-annex").map { String(decoding: $0, as: UTF8.self) }?.contains("s3cr3t")
                != true)
    }

    @Test func `it shows neither in the last words of a program that dies`() async throws {
        let remote = try ScriptedRemote(
            """
            PREPARE)
                ask GETCREDS x; echo SETCREDS y bob 0ther-w0rds
                echo "no login for $answer 0ther-w0rds" >&2; exit 3 ;;
            """)
        let failure = try #require(try await remote.failure())
        #expect(failure.message.contains("no login for"))
        #expect(!failure.message.contains("s3cr3t") && !failure.message.contains("0ther-w0rds"))
    }

    @Test func `a cancelled transfer ends at once, with its program`() async throws {
        let remote = try ScriptedRemote("TRANSFEREXPORT) echo $$ > pid; sleep 600 ;;")
        let task = Task {
            try await remote.submitter().submit(remote.item, bytes: remote.bytes, context: remote.context)
        }
        while try remote.lines("pid").isEmpty { await Task.yield() }
        task.cancel()
        let failure = await #expect(throws: SubmitFailure.self) { try await task.value }
        #expect(failure == .cancelled)
        let pid = try #require(pid_t(try remote.lines("pid")[0]))
        #expect(kill(pid, 0) != 0)
    }

    @Test(arguments: [
        [:], ["externaltype": "x", "config": "a"], ["externaltype": "x", "config": "a='b"],
        ["externaltype": "x", "config": "encryption=shared"], ["externaltype": "x", "user": "two words"],
        ["externaltype": "x", "template": "{album}/{name}"],
    ])
    func `settings that cannot be are refused by name`(values: [String: String]) {
        #expect(throws: SubmitFailure.self) {
            try GitAnnexSubmitter.submitterType().make(DestinationSettings(destination: "annex", values: values))
        }
    }

    @Test func `keys are git-annex's own`() {
        let item = ScriptedBytes([]).item(named: "photo.jpg")
        let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(AnnexKey(item).text == "SHA256E-s0--\(digest).jpg")
        #expect(AnnexKey(ScriptedBytes([]).item(named: "photo.a b")).text == "SHA256E-s0--\(digest)")
        // By `git annex examinekey --format='${hashdirmixed} ${hashdirlower}'`.
        #expect(AnnexKey.mixedFolders("SHA256E-s0--def") == "pm/0V/")
        #expect(AnnexKey.lowerFolders("SHA256E-s0--def") == "cfb/481/")
    }
}
