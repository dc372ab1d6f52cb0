import Submit
import Testing

@testable import SubmitConfiguration

@Suite struct `A secret that a program prints` {
    private func line(
        _ command: String, _ environment: [String: String] = [:], life: Duration = .seconds(60)
    ) throws(SubmitFailure) -> String {
        let environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        guard let program = SecretProgram(command, environment: environment, life: life) else {
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

    @Test func `comes without our own secrets in its environment, and with no quote left open`() throws {
        #expect(
            try line("sh -c 'echo \"[$SUBMIT_SHOP_PASSWORD]$KEPT\"'", ["SUBMIT_SHOP_PASSWORD": "x", "KEPT": "k"])
                == "[]k")
        #expect(SecretProgram("pass show 'x", environment: [:]) == nil && SecretProgram(" ", environment: [:]) == nil)
    }
}
