import Foundation
import Submit
import SubmitConfiguration
import SubmitEngine
import TestServers
import Testing

/// What is configured with a secret holds it where neither printing nor reflection comes to.
@Suite(.fewAtOnce) struct `A configured destination` {
    /// Profiles are looked for in the home of the process, which is not this one's to write.
    @Test(arguments: CredentialKind.all.filter { !$0.files.keys.contains("home/.aws/config") })
    func `shows its secrets to no mirror`(kind: CredentialKind) async throws {
        let search = SecretSearch(kind.secrets)
        let (submit, server, _) = try kind.place(.whole)
        defer { withExtendedLifetime(server) {} }
        let places = AppPaths(environment: submit.environment)
        let catalog = try DestinationCatalog(program: ProgramIdentity("tests", version: "1"), places: places)
        let settings = try catalog.settings(of: "place")
        _ = try await settings.secretStore.read()
        let destination = try catalog.destination("place")
        // Tokens and keys are had when it is used.
        _ = await Result { () async throws(SubmitFailure) in try await destination.submitter.check() }
        var values: [(String, Any)] = [
            ("places", places), ("catalog", catalog), ("settings", settings), ("secret store", settings.secretStore),
            ("destination", destination), ("submitter", destination.submitter),
            ("facets", destination.submitter.facets),
        ]
        if let login = destination.submitter.facets.login { values.append(("login", login)) }
        for (name, value) in values {
            var walk = Walk(search: search)
            walk.visit(value, name)
            #expect(walk.found == nil, "\(kind.name): \(walk.found ?? "")")
            var dumped = ""
            dump(value, to: &dumped)
            for text in [dumped, "\(value)", String(reflecting: value)] {
                let found = search.find(in: text)
                #expect(found == nil, "\(kind.name), \(name): \(found ?? "")")
            }
        }
    }

    private struct Walk {
        let search: SecretSearch
        var found: String?
        private var seen: Set<ObjectIdentifier> = []

        init(search: SecretSearch) { self.search = search }

        mutating func visit(_ value: Any, _ path: String, depth: Int = 0) {
            guard found == nil, depth < 40 else { return }
            if type(of: value) is AnyClass {
                guard seen.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
            }
            if let text = value as? String {
                found = search.find(in: text).map { "\(path): \($0)" }
            } else if let bytes = value as? [UInt8] {
                found = search.find(in: Data(bytes)).map { "\(path): \($0)" }
            } else {
                let mirror = Mirror(reflecting: value)
                for (index, child) in mirror.children.enumerated() {
                    visit(child.value, path + "." + (child.label ?? "\(index)"), depth: depth + 1)
                }
                var parent = mirror.superclassMirror
                while let above = parent {
                    for child in above.children {
                        visit(child.value, path + "." + (child.label ?? ""), depth: depth + 1)
                    }
                    parent = above.superclassMirror
                }
            }
        }
    }
}

extension Result where Failure == SubmitFailure {
    fileprivate init(_ body: () async throws(SubmitFailure) -> Success) async {
        do throws(SubmitFailure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
