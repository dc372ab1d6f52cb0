import Submit
import SubmitPrograms
import SystemPackage
import Testing

/// What both ways to run a program promise.
enum WayToRun: CaseIterable {
    case apart, onOurTerminal

    func end(_ script: String, endsWhenCut: Bool = false, life: Duration = .seconds(60)) async throws -> ProgramResult {
        let environment = ["GIVEN": "g", "PATH": "/usr/bin:/bin"]
        switch self {
        case .apart:
            var call = ProgramCall("sh", ["-c", script], environment: environment, life: life)
            call.mayPrintMore = !endsWhenCut
            return try await call.end()
        case .onOurTerminal:
            return try TerminalCall(
                "sh", ["-c", script], environment: environment, longestOutput: 64 << 10, life: life
            ).end()
        }
    }
}

@Suite struct `A program that is run` {
    private func text(_ end: ProgramResult) -> String { String(decoding: end.output, as: UTF8.self) }

    @Test(arguments: WayToRun.allCases)
    func `has only the environment it is given`(_ way: WayToRun) async throws {
        let end = try await way.end("echo $GIVEN; env | wc -l")
        // A shell adds a few of its own.
        let count = try #require(Int(text(end).split(separator: "\n")[1].filter { $0 != " " }))
        #expect(end.status == .exited(0) && text(end).hasPrefix("g\n") && count < 8, "\(text(end))")
    }

    @Test(arguments: WayToRun.allCases)
    func `is told of by its status or signal`(_ way: WayToRun) async throws {
        #expect(try await way.end("exit 3").status == .exited(3))
        #expect(try await way.end("kill -9 $$").status == .killed(9))
    }

    @Test(arguments: WayToRun.allCases)
    func `is ended where it prints more than it may`(_ way: WayToRun) async throws {
        let end = try await way.end("exec yes", endsWhenCut: true)
        #expect(end.isCut && end.output.count == 64 << 10)
        guard case .killed = end.status else {
            Issue.record("\(end.status)")
            return
        }
    }

    @Test(arguments: WayToRun.allCases)
    func `is not waited for longer than its life, though what it started holds its output`(_ way: WayToRun) async throws
    {
        #expect(try await way.end("sleep 20 & wait", life: .milliseconds(50)).status == .late)
    }

    @Test func `that is not there is told of as that`() async throws {
        await #expect(throws: ProgramFailure.notFound(.noSuchFileOrDirectory)) {
            try await ProgramCall("no-such-program", [], environment: [:]).end()
        }
        let failure = await #expect(throws: SubmitFailure.self) {
            try await ProgramCall("no-such-program", [], environment: [:]).run()
        }
        #expect(failure?.code == "program-missing")
        #expect(throws: ProgramFailure.notStarted(.noSuchFileOrDirectory)) {
            try TerminalCall("no-such-program", [], environment: [:], longestOutput: 1, life: .seconds(1)).end()
        }
    }
}
