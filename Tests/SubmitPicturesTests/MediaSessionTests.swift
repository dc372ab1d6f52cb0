import Foundation
import SubmitPictures
import SubmitPixels
import SystemPackage
import TestServers
import Testing

/// Processes that are started, asked, ended and given another try.
@Suite struct MediaSessionTests {
    private static let made = #"say("made png 1 1 9 85")"#

    // MARK: Whether it is there

    @Test func `one that is not there, or is another, says so with what to do`() async throws {
        let missing = MediaProgram(path: "/nowhere/submit-media")
        #expect(missing.unavailable?.contains("there is no /nowhere/submit-media") == true)
        let other = MediaProgram(path: "/bin/false")
        #expect(other.unavailable?.contains("ended at once: install it anew") == true)
        let photos = try await KnownPhotos(program: other)
        #expect(throws: PixelFailure.self) { try photos.make("1x1.png", "", in: .png).get() }
    }

    @Test func `one that is installed meanwhile is found`() throws {
        let folder = TemporaryFolder()
        let path = folder.path("submit-media")
        let program = MediaProgram(path: FilePath(path), grudge: .zero)
        let forgetful = MediaProgram(path: FilePath(path), grudge: .seconds(3600))
        #expect(program.unavailable != nil && forgetful.unavailable != nil)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: KnownPhotos.program.string)
        #expect(program.unavailable == nil)
        #expect(forgetful.unavailable != nil)
    }

    @Test func `what cannot be executed is told of at once`() async throws {
        let folder = TemporaryFolder()
        chmod(try folder.write("no program\n", to: "submit-media"), 0o755)
        let program = MediaProgram(path: FilePath(folder.path("submit-media")))
        let start = ContinuousClock.now
        #expect(program.unavailable?.contains("cannot be run") == true)
        // And not after the time that libraries may take to load.
        #expect(ContinuousClock.now - start < .seconds(15))
    }

    @Test(arguments: [
        "os._exit(75)", "os.kill(os.getpid(), signal.SIGKILL)", #"say("missing it: Cannot allocate memory")"#,
    ])
    func `a start that failed for want of something is no reason to refuse a photo`(begin: String) throws {
        let fake = try FakeMedia(begin: begin, ask: Self.made)
        let program = fake.program
        #expect(program.unavailable == nil)
        guard case .failure(.passing) = fake.ask(program) else {
            Issue.record("it is given up")
            return
        }
        #expect(try fake.starts == 3)
    }

    @Test func `what failed to start once is started again for the same photo`() throws {
        let fake = try FakeMedia(begin: "if start == 1: os._exit(75)", ask: Self.made)
        #expect(try fake.ask(fake.program).get().width == 1)
    }

    // MARK: What it ends with

    @Test(arguments: [
        ("SEGV", PixelFailure.died, 2), ("ABRT", .died, 2), ("XCPU", .late, 1),
        ("KILL", .passing("submit-media was killed, as the system does where memory is short"), 2),
        ("BUS", .trouble(.unreadable, "it became shorter, or its disk failed, while it was read"), 1),
    ])
    func `how it ended tells whether it was the photo, and a death counts when it was the second`(
        signal: String, failure: PixelFailure, starts: Int
    ) async throws {
        let fake = try FakeMedia(ask: "os.kill(os.getpid(), signal.SIG\(signal))")
        #expect(fake.ask(fake.program) == .failure(failure))
        #expect(try fake.starts == starts)
    }

    @Test(arguments: [
        #"say("failed damaged it")"#, #"say("failed memory it")"#, "os.kill(os.getpid(), signal.SIGXCPU)",
        "os.kill(os.getpid(), signal.SIGBUS)", #"say("made of nonsense")"#,
    ])
    func `what a process says of a photo that has seen another is looked at in a new one`(answer: String) async throws {
        let fake = try FakeMedia(ask: "\(answer) if start == 1 and count == 2 else \(Self.made)")
        let program = fake.program
        for _ in 0..<2 { #expect(try fake.ask(program).get().width == 1) }
        #expect(try fake.starts == 2)
    }

    @Test func `what is plain of a photo is not asked twice`() async throws {
        let fake = try FakeMedia(ask: #"say("failed huge it")"#)
        let program = fake.program
        for _ in 0..<3 { #expect(fake.ask(program) == .failure(.trouble(.huge, "it"))) }
        #expect(try fake.starts == 1)
    }

    @Test func `killed from outside, it is started again for the same photo`() async throws {
        let photos = try await KnownPhotos()
        _ = try photos.make("1x1.png", "", in: .png).get()
        for process in try photos.processes() { kill(process, SIGKILL) }
        #expect(try photos.make("400x300.png", "box=40x40", in: .png).get().width == 40)
    }

    @Test func `stopped, it is given up, killed and reaped, and another one makes the photo`() async throws {
        let photos = try await KnownPhotos(
            program: MediaProgram(path: KnownPhotos.program, patience: .seconds(4)))
        _ = try photos.make("1x1.png", "", in: .png).get()
        let stopped = try photos.processes()
        #expect(!stopped.isEmpty)
        for process in stopped { kill(process, SIGSTOP) }
        #expect(try photos.make("400x300.png", "", in: .png).get().width == 400)
        for process in stopped { #expect(await photos.isGone(process)) }
    }

    @Test func `a new one that takes too long is late`() async throws {
        let fake = try FakeMedia(ask: "pass")
        let program = MediaProgram(path: fake.path, patience: .milliseconds(100))
        #expect(fake.ask(program) == .failure(.late))
        #expect(try fake.starts == 1)
    }

    @Test func `a process is reaped with the program that started it`() async throws {
        var program: MediaProgram? = MediaProgram(path: KnownPhotos.program)
        #expect(program?.unavailable == nil)
        let processes = program?.processes ?? []
        #expect(processes.count == 1)
        program = nil
        // A zombie still answers.
        for process in processes { #expect(kill(process, 0) != 0 && errno == ESRCH) }
    }
}
