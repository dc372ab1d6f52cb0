import Foundation
import Submit
import SubmitConcurrency
import SubmitPluginProtocol
import SubmitPrograms
import SystemPackage
import TestServers
import Testing

@testable import SubmitPluginHost

/// When processes begin and end.
@Suite(.timeLimit(.minutes(10))) struct ProgramLifeTests {
    /// A program that writes a line to a file each time it is started, and serves by `honest`.
    private static func counted(_ files: TemporaryFolder) throws -> ExternalProgram {
        let honest = TestPrograms.program("honest").path
        let path = try files.write(
            "#!/bin/sh\necho $$ >> \(files.path("starts"))\nexec '\(honest)'\n", to: "submit-to-counted")
        chmod(path, 0o755)
        return ExternalProgram(name: "counted", path: FilePath(path))
    }

    private static func starts(_ files: TemporaryFolder) throws -> [pid_t] {
        try files.text("starts").split(separator: "\n").compactMap { pid_t($0) }
    }

    @Test func `the process that says what it is becomes that of the first destination, and each has its own`() throws {
        let files = TemporaryFolder()
        let type = try Self.counted(files).submitterType(TestPrograms.surroundings())
        #expect(type.origin == files.path("submit-to-counted"))
        #expect(try Self.starts(files).count == 1)
        let first = try type.make(DestinationSettings(destination: "a"))
        #expect(try Self.starts(files).count == 1)
        let second = try type.make(DestinationSettings(destination: "b"))
        #expect(try Self.starts(files).count == 2)
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a process that nobody configured ends when its type is let go of`() async throws {
        let files = TemporaryFolder()
        var type: SubmitterType? = try Self.counted(files).submitterType(TestPrograms.surroundings())
        let process = try #require(try Self.starts(files).first)
        #expect(Processes.isThere(process))
        _ = type
        type = nil
        try await eventually { !Processes.isThere(process) }
    }

    @Test func `a process ends when its submitter is let go of, used or not`() async throws {
        for isUsed in [false, true] {
            var submitter: ExternalSubmitter? = try await TestPrograms.submitter("honest")
            if isUsed { #expect(await submitter?.submit(try Photo()).failure == nil) }
            let process = try #require(submitter?.keeper.conversation.process)
            submitter = nil
            try await eventually { !Processes.isThere(process) }
        }
    }

    @Test func `one that cannot be made leaves no process`() async throws {
        let files = TemporaryFolder()
        let honest = TestPrograms.program("more-than-promised").path
        let path = try files.write(
            "#!/bin/sh\necho $$ >> \(files.path("starts"))\nexec '\(honest)'\n", to: "submit-to-counted")
        chmod(path, 0o755)
        let type = try ExternalProgram(name: "counted", path: FilePath(path)).submitterType(TestPrograms.surroundings())
        #expect(throws: SubmitFailure.self) { _ = try type.make(DestinationSettings(destination: "a")) }
        let process = try #require(try Self.starts(files).first)
        try await eventually { !Processes.isThere(process) }
    }

    @Test(arguments: ["absent", "nothing", "exits-at-once"])
    func `no pipe stays open when a program cannot be started or has ended`(_ name: String) async throws {
        let (ours, theirs) = try ProgramPipes.make()
        let pipes = [ours.input, ours.output, ours.errors, ours.bell.hear].map { Self.identity($0.rawValue) }
        #expect(!pipes.contains(nil))
        let program = TestPrograms.program(name)
        let conversation = SubmitPluginHost.Conversation(program, TestPrograms.surroundings(), ours)
        conversation.start(environment: ["PATH": "/usr/bin:/bin"], theirs)
        await #expect(throws: SubmitFailure.self) { _ = try await conversation.greet() }
        try await eventually { conversation.child.isGone && conversation.state.withLock { $0.isOver } }
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { CInt($0) }
        #expect(open.filter { pipes.contains(Self.identity($0)) && Self.identity($0) != nil } == [])
    }

    /// Which pipe a descriptor is an end of.
    private static func identity(_ descriptor: CInt) -> UInt? {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO ? UInt(status.st_ino) : nil
    }

    @Test func `waiting for programs on every thread of tasks does not stop them from being started`() async throws {
        // More than there are threads, at once: each holds its own.
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (try? TestPrograms.program("honest").submitterType(TestPrograms.surroundings())) != nil
                }
            }
            for await isMade in group { #expect(isMade) }
        }
    }

    @Test func `a submitter in another process ends when its host is killed`() async throws {
        let outside = try OutsideProgram("file")
        let files = TemporaryFolder()
        // A shell is the host: it holds the other ends, and is killed.
        mkfifo(files.path("in"), 0o600)
        let host = try ChildProcess(
            [
                "/bin/sh", "-c",
                "'\(outside.program.path)' < \(files.path("in")) > \(files.path("out")) & echo $! > \(files.path("pid")); exec sleep 600 > \(files.path("in"))",
            ])
        let input = open(files.path("in"), O_WRONLY | O_CLOEXEC)
        let hello = HostMessage.request(id: 1, .hello(versions: [1], host: "submit tests")).line + [10]
        _ = hello.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
        try await eventually { try !files.text("out").isEmpty }
        let process = try #require(pid_t(try files.text("pid").split(separator: "\n").first ?? ""))
        #expect(Processes.isThere(process))
        close(input)
        host.signal(SIGKILL)
        try await eventually { !Processes.isThere(process) || Processes.isZombie(process) }
    }
}
