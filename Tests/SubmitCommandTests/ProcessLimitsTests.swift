import TestServers
import Testing

@Suite(.fewAtOnce) struct `A process that may have too little` {
    @Test(arguments: [
        ("--nofile=20", "Only 20 files may be open at once, and 32 is the least: raise `ulimit -n`."),
        ("--as=314572800", "Only 300 MiB of addresses may be used, and 512 is the least: raise `ulimit -v`."),
    ])
    func `says so before it begins anything`(limit: String, sentence: String) async throws {
        let submit = Submit()
        let path = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run(["--to", "file", path], wrapper: ["/usr/bin/prlimit", limit])
        #expect(outcome.end == .exited(2) && outcome.troubles == ["submit: " + sentence], "\(outcome)")
        let after = try await submit.run("--to", "file", path)
        #expect(after.end == .exited(0), "\(after)")
    }

    @Test(arguments: ["--nofile=64", "--as=1073741824"])
    func `and has enough sends all the same`(limit: String) async throws {
        let submit = Submit()
        let paths = try Photos.make(20, in: submit.folder)
        let outcome = try await submit.run(["--to", "file"] + paths, wrapper: ["/usr/bin/prlimit", limit])
        #expect(outcome.end == .exited(0), "\(outcome)")
    }
}
