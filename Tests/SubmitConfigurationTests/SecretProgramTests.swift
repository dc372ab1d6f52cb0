import Submit
import SubmitPrograms
import Testing

@testable import SubmitConfiguration

@Suite struct `A secret that a program prints` {
    private func line(
        _ command: String, _ environment: [String: String] = [:], life: Duration = .seconds(60)
    ) throws(SubmitFailure) -> String {
        let environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        let inherited = InheritedEnvironment(environment, passing: ["sh": ["BW_SESSION"]])
        guard let program = SecretProgram(command, environment: inherited, life: life) else {
            throw SubmitFailure(.giveUp, code: "usage", message: "no command")
        }
        return try program.firstLine(for: "“password_command” of “shop”")
    }

    @Test func `is its first line`() throws {
        #expect(try line("printf 's3 cret\\nuser: x\\n'") == "s3 cret")
        #expect(try line("printf s3cret") == "s3cret")
        #expect(try line("printf 's3cret\\r\\n'") == "s3cret")
        #expect(try line(#"sh -c "echo \"a  b\"""#) == "a  b")
    }

    @Test(arguments: [
        ("sh -c 'echo \(Keys.canary); exit 3'", "ended with 3"), ("printf ''", "no secret on its first line"),
        ("printf '\\n\(Keys.canary)'", "no secret on its first line"),
        ("no-such-program-of-the-tests x", "cannot be run"),
        ("sh -c 'kill -9 $$'", "the signal 9"), ("head -c 100000 /dev/zero", "too much"),
        ("sh -c 'printf \"\\\\377\"'", "no secret"),
    ])
    func `is none where the program fails, and nothing of it is shown`(command: String, words: String) throws {
        let failure = try #require(#expect(throws: SubmitFailure.self) { try line(command) })
        #expect(failure.message.contains(words), "\(failure)")
        #expect(failure.message.contains("“password_command” of “shop”") && !failure.message.contains(Keys.canary))
    }

    @Test func `is not waited for longer than its time`() throws {
        let failure = #expect(throws: SubmitFailure.self) { try line("sleep 600", life: .milliseconds(20)) }
        #expect(failure?.message.contains("longer than") == true)
    }

    @Test func `comes with what its program needs of the environment, and with no quote left open`() throws {
        let ours = [
            "SUBMIT_SHOP_PASSWORD": "x", "DATABASE_URL": "y", "GPG_TTY": "tty", "LC_ALL": "C", "BW_SESSION": "passed",
        ]
        #expect(
            try line("sh -c 'echo \"[$SUBMIT_SHOP_PASSWORD$DATABASE_URL]$GPG_TTY $LC_ALL $BW_SESSION\"'", ours)
                == "[]tty C passed")
        let none = InheritedEnvironment([:])
        #expect(SecretProgram("pass show 'x", environment: none) == nil && SecretProgram(" ", environment: none) == nil)
    }
}
