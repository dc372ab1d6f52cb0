import Foundation
import SubmitEngine
import SubmitJournal
import SystemPackage
import TestServers
import Testing

/// Submitters that are programs of their own, beside those built in.
@Suite(.fewAtOnce) struct `A submitter that is a program` {
    @Test func `is listed with the built-in ones, and where it comes from`() async throws {
        let submit = try Submit.withPrograms()
        let listed = try await submit.run("types")
        #expect(listed.end == .exited(0), "\(listed)")
        #expect(listed.out.contains("\noutside-file") && listed.out.contains("\nfile "), "\(listed)")
        let told = try await submit.run("types", "outside-file", "file")
        #expect(told.out.contains("[built-in]"), "\(told)")
        #expect(
            told.out.contains("[\(submit.folder.path("home/.local/share/submit/plugins/submit-to-outside-file"))]"))
        struct Listed: Decodable { var type: String, origin: String }
        let types: [Listed] = try await submit.run("types", "--json").decoded()
        #expect(types.contains { $0.type == "outside-file" && $0.origin.hasSuffix("/submit-to-outside-file") })
    }

    @Test func `takes part beside a built-in one`() async throws {
        let submit = try Submit.withPrograms()
        try Photos.make(20, in: submit.folder)
        let sent = try await submit.run(["--to", "file,shelf", "--album", "Summer", submit.folder.path("photos")])
        #expect(sent.end == .exited(0), "\(sent)")
        let there = try submit.tree("place")
        let onShelf = try submit.tree("shelf")
        #expect(there.count == 20 && onShelf.count == 20, "\(there.keys.sorted()) \(onShelf.keys.sorted())")
        #expect(Set(onShelf.values) == Set(there.values))
        let list = try await submit.list("--to", "shelf")
        #expect(list.count == 20 && list.allSatisfy { $0.state == "done" && $0.evidence == "verified" }, "\(list)")
    }

    @Test func `that is killed in the midst is started again, and stores one copy of each`() async throws {
        let submit = try Submit.withPrograms(jobs: 1)
        try Photos.make(1000, in: submit.folder, sizes: 20_000...30_000)
        let running = try submit.start("--to", "shelf", submit.folder.path("photos"))
        _ = try await submit.killInTheMidst(running) { program, _ in program }
        let sent = try await running.outcome()
        #expect(sent.end == .exited(0), "\(sent)")
        #expect(try submit.tree("shelf").count == 1000)
    }

    @Test func `ends with a submit that is killed, and resume stores the rest`() async throws {
        let submit = try Submit.withPrograms(jobs: 1)
        try Photos.make(1000, in: submit.folder, sizes: 20_000...30_000)
        let running = try submit.start("--to", "shelf", submit.folder.path("photos"))
        _ = try await submit.killInTheMidst(running) { _, submit in submit }
        _ = try await running.outcome()
        let resumed = try await submit.run("resume")
        #expect(resumed.end == .exited(0), "\(resumed)")
        #expect(try submit.tree("shelf").count == 1000)
        #expect(submit.hidden("shelf").isEmpty)
    }

    @Test func `gets what was never accepted, once resume goes on with that`() async throws {
        let submit = try Submit.withPrograms()
        try Photos.make(3, in: submit.folder)
        let photos = submit.folder.path("photos")
        let sent = try await submit.run("--to", "shelf", photos + "/IMG_1000.jpg")
        #expect(sent.end == .exited(0), "\(sent)")
        try await submit.breakOffAcceptance(of: photos, for: "shelf")
        let resumed = try await submit.run("resume")
        #expect(resumed.end == .exited(0), "\(resumed)")
        #expect(try submit.tree("shelf").count == 3)
    }

    @Test func `that does not start is said to be why resume cannot go on`() async throws {
        let submit = try Submit.withPrograms()
        try Photos.make(1, in: submit.folder)
        try await submit.breakOffAcceptance(of: submit.folder.path("photos"), for: "shelf")
        let program = submit.folder.path("home/.local/share/submit/plugins/submit-to-outside-file")
        try FileManager.default.removeItem(atPath: program)
        try FileManager.default.createSymbolicLink(atPath: program, withDestinationPath: "/bin/false")
        let resumed = try await submit.run("resume")
        #expect(resumed.end == .exited(1), "\(resumed)")
        #expect(resumed.err.contains("cannot be completed: ") && resumed.err.contains("outside-file"), "\(resumed)")
        #expect(!resumed.err.contains("There is no destination"), "\(resumed)")
    }

    @Test func `that outlives a submit that is killed is ended before its submission is tried again`() async throws {
        let submit = try Submit.withPrograms(configuration: "destinations:\n  rock:\n    type: rock\n")
        let program = try submit.addProgram(
            "rock",
            """
            read line
            if mkdir "$0.first"; then echo $$ > "$0.new"; mv "$0.new" "$0.pid"; exec sleep 600; fi
            case "$(cat /proc/$(cat "$0.pid")/stat)" in ""|*") Z "*) ;; *) touch "$0.two" ;; esac
            echo '{"message":"done","id":3,"receipt":{"remoteID":"x","evidence":"size"}}'
            read line
            """)
        try Photos.make(1, in: submit.folder)
        let running = try submit.start("--to", "rock", submit.folder.path("photos"))
        try await until { FileManager.default.fileExists(atPath: program + ".pid") || !running.child.isRunning }
        running.child.signal(SIGKILL)
        _ = try await running.outcome()
        let resumed = try await submit.run("resume")
        #expect(resumed.end == .exited(0), "\(resumed)")
        #expect(!FileManager.default.fileExists(atPath: program + ".two"))
    }

    @Test func `is paid by resume though nothing but its name is configured`() async throws {
        let submit = try Submit.withPrograms()
        try Photos.make(1, in: submit.folder)
        let place = ["SUBMIT_OUTSIDE_FILE_PATH": submit.folder.path("loft")]
        let later = try await submit.run(["--later", "--to", "outside-file", submit.folder.path("photos")], env: place)
        #expect(later.end == .exited(0), "\(later)")
        let resumed = try await submit.run(["resume"], env: place)
        #expect(resumed.end == .exited(0), "\(resumed)")
        #expect(try submit.tree("loft").count == 1)
    }

    @Test func `that is owed something and says nothing holds nobody up, and is asked once`() async throws {
        let submit = try Submit.withPrograms(configuration: "destinations:\n  rock:\n    type: rock\n")
        let program = try submit.addProgram("rock", "read line\nread line\n")
        try Photos.make(1, in: submit.folder)
        let later = try await submit.run(["--later", "--to", "rock", submit.folder.path("photos")])
        #expect(later.end == .exited(0), "\(later)")
        // It says nothing from now on.
        try "#!/bin/sh\necho $$ >> \"$0.starts\"\nexec sleep 600\n".write(
            toFile: program, atomically: false, encoding: .utf8)
        func starts() -> [pid_t] {
            let text = (try? String(contentsOfFile: program + ".starts", encoding: .utf8)) ?? ""
            return text.split(separator: "\n").compactMap { pid_t($0) }
        }
        let status = try await submit.run("status")
        #expect(status.end == .exited(0) && starts().isEmpty, "\(status)")
        let running = try submit.start("--json", "--to", "file", submit.folder.path("photos"))
        let sent = try await running.outcome(within: 5)
        #expect(sent.end == .exited(0), "its own batch is done, and nobody waits for the other's program: \(sent)")
        #expect(starts().count <= 1)
        #expect(try submit.tree("place").count == 1)
    }

    @Test(arguments: ["run.sh", "submit-to-Attic", "submit-to-attic"])
    func `named by its path has to have a submitter's name, and to be safe from others`(_ name: String) async throws {
        let submit = try Submit.withPrograms()
        try Photos.make(1, in: submit.folder)
        let path = try submit.folder.write("#!/bin/sh\ntouch \"$0.ran\"\n", to: name)
        chmod(path, name == "submit-to-attic" ? 0o777 : 0o755)
        let sent = try await submit.run(["--to", path, submit.folder.path("photos")])
        #expect(sent.end == .exited(2) || sent.end == .exited(1), "\(sent)")
        #expect(sent.err.contains("“\(path)”"), "\(sent)")
        let why = ["run.sh": "is a file, not a folder", "submit-to-attic": "chmod go-w"][name] ?? "submit-to-TYPE"
        #expect(sent.err.contains(why), "\(sent)")
        #expect(!FileManager.default.fileExists(atPath: path + ".ran"))
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["exec sleep 600\n", "read line\necho starts\nexec sleep 600\n"])
    func `that is mute delays neither a cancel nor Ctrl-C`(script: String) async throws {
        let submit = try Submit.withPrograms(configuration: "destinations:\n  rock:\n    type: rock\n")
        let program = try submit.addProgram("rock", "read line\ntouch \"$0.asked\"\nexec sleep 600\n")
        try Photos.make(1, in: submit.folder)
        let running = try submit.start("--to", "rock", submit.folder.path("photos"))
        try await until { FileManager.default.fileExists(atPath: program + ".asked") || !running.child.isRunning }
        let interrupted = ContinuousClock.now
        running.child.signal(SIGINT)
        #expect(try await running.outcome().end == .exited(130))
        #expect(ContinuousClock.now - interrupted < .seconds(8), "less than the ten seconds that a program has")
        try "#!/bin/sh\n\(script)".write(toFile: program, atomically: false, encoding: .utf8)
        let begun = ContinuousClock.now
        let cancel = try await submit.run("cancel", "--all")
        #expect(cancel.end == .exited(0) && cancel.out == "1 submission cancelled.\n", "\(cancel)")
        #expect(ContinuousClock.now - begun < .seconds(8), "less than the ten seconds that a program has")
    }

    @Test func `has its settings checked where they stand`() async throws {
        let submit = try Submit.withPrograms(
            configuration: "destinations:\n  shelf:\n    type: outside-file\n    paht: /srv\n")
        try Photos.make(1, in: submit.folder)
        let sent = try await submit.run(["--to", "shelf", submit.folder.path("photos")])
        #expect(sent.end == .exited(2) || sent.end == .exited(1), "\(sent)")
        #expect(sent.err.contains("config.yaml:4:") && sent.err.contains("did you mean “path”?"), "\(sent)")
    }

    @Test func `is suggested where its name is mistyped`() async throws {
        let submit = try Submit.withPrograms()
        let added = try await submit.run("destinations", "add", "loft", "--type", "outside-fiel")
        #expect(added.err.contains("did you mean “outside-file”?"), "\(added)")
    }

    @Test func `is added by its path, and found again by it`() async throws {
        let submit = try Submit.withPrograms()
        let path = submit.folder.path("home/.local/share/submit/plugins/submit-to-outside-file")
        let elsewhere = submit.folder.path("submit-to-loft")
        try FileManager.default.createSymbolicLink(
            atPath: elsewhere, withDestinationPath: FileManager.default.destinationOfSymbolicLink(atPath: path))
        _ = try await submit.run("destinations", "remove", "shelf")
        let added = try await submit.run(
            [
                "destinations", "add", "loft", "--type", "./submit-to-outside-file",
                "path=\(submit.folder.path("loft"))",
            ],
            in: submit.folder.path("home/.local/share/submit/plugins"))
        #expect(added.end == .exited(0), "\(added)")
        #expect(try submit.folder.text("config/submit/config.yaml").contains("type: \(path)\n"))
        let checked = try await submit.run("destinations", "check", "loft")
        #expect(checked.end == .exited(0), "\(checked)")
    }

    @Test(arguments: [
        ("does nothing", "#!/bin/sh\nexit 3\n"), ("is no program", "#!/nowhere/sh\n"),
        ("answers rubbish", "#!/bin/sh\nread line; echo hello\n"),
    ])
    func `that cannot be used is told of in one sentence, and stops nobody`(what: String, text: String) async throws {
        let submit = try Submit.withPrograms()
        let path = "home/.local/share/submit/plugins/submit-to-broken"
        try submit.folder.write(text, to: path)
        chmod(submit.folder.path(path), 0o755)
        try Photos.make(2, in: submit.folder)
        let types = try await submit.run("types")
        #expect(
            types.end == .exited(1) && types.troubles.count == 1 && types.err.contains("submit-to-broken"), "\(types)")
        let sent = try await submit.run(["--to", "shelf", submit.folder.path("photos")])
        #expect(sent.end == .exited(0) && sent.err.isEmpty, "\(sent)")
    }

    @Test(arguments: [0o644, 0o777] as [mode_t])
    func `that may not be run, or was there for all to write to, is told of with what to do, and stops nobody`(
        _ mode: mode_t
    ) async throws {
        let submit = try Submit.withPrograms(
            configuration: "destinations:\n  attic:\n    type: loft\n  shelf:\n    type: outside-file\n    path: /tmp\n"
        )
        let path = "home/.local/share/submit/plugins/submit-to-loft"
        try submit.folder.write("#!/bin/sh\n", to: path)
        chmod(submit.folder.path(path), mode)
        try Photos.make(1, in: submit.folder)
        let others = try await submit.run(["--to", "file", submit.folder.path("photos")])
        #expect(others.end == .exited(0), "\(others)")
        let sent = try await submit.run(["--to", "attic", submit.folder.path("photos")])
        #expect(sent.end == .exited(2) && sent.err.contains("config.yaml:3: “\(submit.folder.path(path))” is not used"))
        #expect(sent.err.contains("`chmod "), "\(sent)")
        let list = try await submit.run("destinations", "list")
        #expect(list.end == .exited(0) && list.out.contains("attic [loft] not set up: "), "\(list)")
        let types = try await submit.run("types")
        #expect(types.err.contains("submit-to-loft” is not used"), "\(types)")
    }

    @Test func `gets no variable of others as a setting, whichever it names`() async throws {
        let submit = try Submit.withPrograms(
            configuration: """
                environment: {submit-to-spy: [SPY_SHELF]}
                destinations:
                  spy: {type: spy}
                  spy-2: {type: webdav, url: "http://127.0.0.1:1/", user: anna}
                """)
        let others = ["AWS_SECRET_ACCESS_KEY", "SUBMIT_PASSPHRASE", "SUBMIT_SPY_2_PASSWORD", "WEBDAV_PASSWORD"]
        let greeting: [String: Any] = [
            "message": "done", "id": 1, "version": 1, "summary": "x", "capabilities": ["requiresNetwork": false],
            "settings": [
                ["name": "grab", "summary": "x", "environment": others], ["name": "2_password", "summary": "x"],
                ["name": "own", "summary": "x"],
                ["name": "shelf", "summary": "x", "environment": ["SPY_SHELF"]],
            ],
        ]
        let text = String(decoding: try JSONSerialization.data(withJSONObject: greeting), as: UTF8.self)
        let path = "home/.local/share/submit/plugins/submit-to-spy"
        let seen = submit.folder.path("seen")
        try submit.folder.write(
            "#!/bin/sh\nread line\necho '\(text)'\nread line\necho \"$line\" >> '\(seen)'\n"
                + "echo '{\"message\":\"done\",\"id\":2}'\nread line\n", to: path)
        chmod(submit.folder.path(path), 0o755)
        var variables = Dictionary(uniqueKeysWithValues: others.map { ($0, Submit.secret) })
        variables.merge(["SPY_SHELF": "passed-to-it", "SUBMIT_SPY_OWN": "its-own"]) { $1 }
        let listed = try await submit.run(["destinations", "list", "--trace"], env: variables)
        let types = try await submit.run(["types"], env: variables)
        let configured = try submit.folder.text("seen")
        #expect(configured.contains("its-own") && configured.contains("passed-to-it"), "\(configured)")
        for text in [configured, "\(listed)", "\(types)"] { #expect(!text.contains(Submit.secret), "\(text)") }
    }

    @Test func `sees no secret of others, in its arguments or its environment`() async throws {
        let submit = try Submit.withPrograms()
        let path = "home/.local/share/submit/plugins/submit-to-spy"
        let seen = submit.folder.path("seen")
        try submit.folder.write("#!/bin/sh\n{ env; echo \"$@\"; } > '\(seen)'\n", to: path)
        chmod(submit.folder.path(path), 0o755)
        _ = try await submit.run(
            ["types"],
            env: [
                "WEBDAV_PASSWORD": Submit.secret, "SUBMIT_SHELF_TOKEN": Submit.secret, "GITHUB_TOKEN": Submit.secret,
                "GITHUB_PAT": Submit.secret, "TZ": "Asia/Tokyo",
            ])
        let text = try submit.folder.text("seen")
        #expect(text.contains("TZ=Asia/Tokyo") && !text.contains(Submit.secret), "\(text)")
    }
}

extension Submit {
    /// With `submit-to-outside-file`, our own `file` as a program, in the plug-in folder, and a destination `shelf` of it.
    fileprivate static func withPrograms(configuration: String? = nil, jobs: Int = 4) throws -> Submit {
        let submit = Submit(["PATH": "/usr/bin:/bin"])
        try submit.folder.folder("home/.local/share/submit/plugins")
        try FileManager.default.createSymbolicLink(
            atPath: submit.folder.path("home/.local/share/submit/plugins/submit-to-outside-file"),
            withDestinationPath: URL(fileURLWithPath: Submit.program).deletingLastPathComponent()
                .appendingPathComponent("OutsideSubmitter").path)
        try submit.configure(
            configuration
                ?? "destinations:\n  shelf:\n    type: outside-file\n    path: \(submit.folder.path("shelf"))\n    jobs: \(jobs)\n"
        )
        return submit
    }

    /// Adds a program that is a submitter: a shell script that says what it is and is configured, and then does this.
    ///
    /// - Returns: its path.
    fileprivate func addProgram(_ type: String, _ script: String) throws -> String {
        let path = "home/.local/share/submit/plugins/submit-to-\(type)"
        let hello =
            #"{"message":"done","id":1,"version":1,"summary":"x","capabilities":{"requiresNetwork":false},"settings":[]}"#
        try folder.write(
            "#!/bin/sh\nread line\necho '\(hello)'\nread line\necho '{\"message\":\"done\",\"id\":2}'\n\(script)\n",
            to: path)
        chmod(folder.path(path), 0o755)
        return folder.path(path)
    }

    /// Leaves a batch as a kill does before anything of it was accepted: nothing is waiting for the program.
    fileprivate func breakOffAcceptance(of path: String, for destination: String) async throws {
        let journal = try Journal(path: FilePath(journal))
        let request = SubmitRequest(paths: [FilePath(path)], destinations: [destination])
        _ = try await journal.beginAcceptance(
            String(decoding: JSONEncoder().encode(request), as: UTF8.self), in: nil, key: IdempotencyKey())
    }

    /// Kills one of the two while the program has stored some items and not yet all.
    ///
    /// On a thread of its own: when this machine is busy, a task may get its turn when all is over.
    ///
    /// - Returns: the program's process.
    fileprivate func killInTheMidst(
        _ running: RunningSubmit, _ victim: @escaping @Sendable (_ program: pid_t, _ submit: pid_t) -> pid_t
    ) async throws -> pid_t {
        let host = running.child.pid
        let program: pid_t? = await withCheckedContinuation { waiter in
            Thread.detachNewThread {
                while running.child.isRunning, self.paths("shelf").count < 3 { usleep(2000) }
                let program = Self.child(of: host)
                if let program { kill(victim(program, host), SIGKILL) }
                waiter.resume(returning: program)
            }
        }
        return try #require(program)
    }

    private static func child(of parent: pid_t) -> pid_t? {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap { pid_t($0) }.first { process in
            // The parent's number stands after the name, which is in parentheses, and the state.
            let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
            return fields.count > 2 && pid_t(fields[2]) == parent
        }
    }

    /// The files in a folder with their bytes, hidden ones not.
    fileprivate func tree(_ name: String) throws -> [String: Data] {
        let shown = paths(name).filter { !Self.isHidden($0) }
        return try Dictionary(
            uniqueKeysWithValues: shown.map { path in
                (path, try Data(contentsOf: URL(fileURLWithPath: "\(folder.path(name))/\(path)")))
            })
    }

    /// The paths of hidden files in a folder, but for the mark by which it is known again.
    fileprivate func hidden(_ name: String) -> [String] {
        paths(name).filter { Self.isHidden($0) && $0 != ".submit-folder" }
    }

    private static func isHidden(_ path: String) -> Bool { path.split(separator: "/").contains { $0.hasPrefix(".") } }

    private func paths(_ name: String) -> [String] {
        let folder = folder.path(name)
        var paths: [String] = []
        for case let path as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
            var isFolder = ObjCBool(false)
            _ = FileManager.default.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder)
            if !isFolder.boolValue { paths.append(path) }
        }
        return paths
    }
}
