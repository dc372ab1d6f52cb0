import Foundation
import Submit
import Testing

@testable import SubmitPluginHost

/// Secrets go to whom they belong, when they are asked for, and do not come back.
@Suite(.timeLimit(.minutes(10))) struct SecretTests {
    private static let environment = [
        "SHELF_TOKEN": "from-the-environment", "OTHER_SECRET": "another", "SUBMIT_FILE_PATH": "/srv", "LANG": "C.UTF-8",
        "GITHUB_TOKEN": "a-third", "GITHUB_PAT": "a-fourth", "DATABASE_URL": "postgres://me:a-fifth@db/",
    ]

    @Test func `a program is told its own secrets when it asks, and none comes back in what it says`() async throws {
        let surroundings = TestPrograms.surroundings(environment: Self.environment)
        let submitter = try await TestPrograms.submitter(
            "leaks-secret", surroundings, secrets: ["token": "s3cr3t", "password": "pw"])
        let failure = await submitter.submit(try Photo()).failure
        #expect(failure?.code == "leak")
        // Its own, then one that it does not have, then its environment.
        let variables = ["LANG", "LC_CTYPE", "PATH", "PYTHONDONTWRITEBYTECODE", "SUBMIT_HOST"]
        let sentences = [variables, variables.filter { $0 != "LC_CTYPE" }].map {
            "It is …, denied, None\u{fffd}[2J [\($0.map { "'\($0)'" }.joined(separator: ", "))]."
        }
        #expect(sentences.contains(failure?.message ?? ""), "\(failure?.message ?? "")")
        #expect(submitter.keeper.conversation.log == ["the token is …"])
    }

    @Test func `no secret shows in a description`() async throws {
        let submitter = try await TestPrograms.submitter("leaks-secret", secrets: ["token": "s3cr3t"])
        var dumped = ""
        dump(submitter, to: &dumped)
        for text in [dumped, "\(submitter)", String(reflecting: submitter)] { #expect(!text.contains("s3cr3t")) }
    }

    @Test func `a program's settings come from no variable that the user does not pass to it`() throws {
        var surroundings = TestPrograms.surroundings(environment: Self.environment)
        func variables() throws -> [String] {
            try TestPrograms.program("leaks-secret").submitterType(surroundings).settings.flatMap(\.environment)
        }
        #expect(try variables() == [])
        surroundings.passed["submit-to-honest"] = ["SHELF_TOKEN"]
        #expect(try variables() == [])
        surroundings.passed["submit-to-leaks-secret"]?.insert("SHELF_TOKEN")
        #expect(try variables() == ["SHELF_TOKEN"])
    }

    @Test func `a program gets of the environment what programs need, and what is passed to it by its name`()
        async throws
    {
        var surroundings = TestPrograms.surroundings(environment: Self.environment)
        surroundings.passed["submit-to-leaks-secret"] = ["OTHER_SECRET"]
        for (name, passed) in [("leaks-secret", true), ("honest", false)] {
            let submitter = try await TestPrograms.submitter(name, surroundings)
            let process = try #require(submitter.keeper.conversation.process)
            let given = try String(contentsOfFile: "/proc/\(process)/environ", encoding: .utf8)
            #expect(given.contains("LANG=C.UTF-8") && given.contains("OTHER_SECRET") == passed, "\(given)")
            for secret in ["SHELF_TOKEN", "SUBMIT_FILE_PATH", "GITHUB", "DATABASE_URL"] {
                #expect(!given.contains(secret), "\(given)")
            }
        }
    }
}
