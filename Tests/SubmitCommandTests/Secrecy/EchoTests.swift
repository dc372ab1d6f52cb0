import Foundation
import SubmitConcurrency
import TestServers
import Testing

/// Every kind of credential, at servers and programs that give it back in their errors, by every way that prints.
@Suite(.fewAtOnce) struct `A secret that comes back` {
    @Test(arguments: CredentialKind.all)
    func `shows nowhere`(kind: CredentialKind) async throws {
        let search = SecretSearch(kind.secrets)
        var marks = 0
        var last: Outcome?
        for echo in Echo.allCases {
            let (submit, server, said) = try kind.place(echo)
            defer { withExtendedLifetime(server) {} }
            let path = try Photos.make(1, in: submit.folder)[0]
            let sent = try await submit.run(["--wait", "0", "--json", "--to", "place", path])
            #expect(said.withLock { $0 } || kind.program != nil, "the server was not asked: \(sent)")
            #expect(sent.end != .exited(2), "\(sent)")
            if sent.out.contains("…") { marks += 1 }
            last = sent
            var shown = [("send", sent)]
            if echo == .cut {
                shown.append(("list", try await submit.run("list", "--attempts")))
                shown.append(("status", try await submit.run("status", "--json")))
                shown.append(("check", try await submit.run("destinations", "check", "place")))
            }
            for (verb, outcome) in shown {
                for (what, text) in [("out", outcome.out), ("err", outcome.err)] {
                    let found = search.find(in: text)
                    #expect(found == nil, "\(kind.name), \(echo): \(verb), standard \(what): \(found ?? "")")
                }
            }
            let found = search.find(in: submit.journalBytes())
            #expect(found == nil, "\(kind.name), \(echo): journal: \(found ?? "")")
        }
        // What came back was told, but for the secrets.
        #expect(marks > 0 || kind.isSilent, "nothing was told: \(last.map { "\($0)" } ?? "")")
    }
}
