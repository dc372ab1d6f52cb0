import Foundation
import Submit
import SubmitScaffold
import Testing

@Suite struct PackageSubmitterTests {
    let folder: ScaffoldFolder

    /// A package with as much of ours as has to do with new submitters.
    init() throws {
        folder = try ScaffoldFolder()
        let package = URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).joined(separator: "/").dropFirst()
        for name in ["Package.swift", "Sources/SubmitConfiguration/Destinations/BuiltInTypes.swift"] {
            try folder.write(try String(contentsOfFile: "\(package)/\(name)", encoding: .utf8), to: name)
        }
    }

    @Test func `a submitter is made and written down with one row and two lines`() throws {
        let before = try folder.files()
        let made = try PackageSubmitter(SubmitterName("imgur-pro"), package: folder.path)
        #expect(made.folders == ["Plugins/ImgurProSubmitter", "Tests/ImgurProSubmitterTests"])
        let after = try folder.files()
        #expect(
            after.keys.filter { before[$0] == nil }.sorted() == [
                "Plugins/ImgurProSubmitter/ImgurProService.swift", "Plugins/ImgurProSubmitter/ImgurProSubmitter.swift",
                "Plugins/ImgurProSubmitter/StandIn.swift", "Tests/ImgurProSubmitterTests/ImgurProContractTests.swift",
            ])
        #expect(try added("Package.swift", before) == ["    (\"ImgurProSubmitter\", [], []),"])
        #expect(
            try added("Sources/SubmitConfiguration/Destinations/BuiltInTypes.swift", before) == [
                "internal import ImgurProSubmitter", "            ImgurProSubmitter.submitterType(),",
            ])
    }

    @Test func `twice says so and changes nothing`() throws {
        _ = try PackageSubmitter(SubmitterName("imgur"), package: folder.path)
        let before = try folder.files()
        let failure = #expect(throws: SubmitFailure.self) {
            try PackageSubmitter(SubmitterName("Imgur"), package: folder.path)
        }
        #expect(failure?.code == "already-there")
        #expect(try folder.files() == before)
    }

    @Test func `a folder that is in the way stops it before anything changed`() throws {
        try folder.write("mine", to: "Tests/ImgurSubmitterTests/Mine.swift")
        let before = try folder.files()
        #expect(throws: SubmitFailure.self) { try PackageSubmitter(SubmitterName("imgur"), package: folder.path) }
        #expect(try folder.files() == before)
    }

    @Test func `a manifest without the table stops it before anything changed`() throws {
        try folder.write("let package = Package()\n", to: "Package.swift")
        let before = try folder.files()
        let failure = #expect(throws: SubmitFailure.self) {
            try PackageSubmitter(SubmitterName("imgur"), package: folder.path)
        }
        #expect(failure?.code == "no-list")
        #expect(try folder.files() == before)
    }

    /// The lines that a file has now and had not; none may be gone.
    private func added(_ name: String, _ before: [String: String]) throws -> [String] {
        let change = try folder.text(name).split(separator: "\n").difference(
            from: (before[name] ?? "").split(separator: "\n"))
        #expect(change.removals.isEmpty)
        return change.insertions.map { change in
            if case .insert(_, let line, _) = change { String(line) } else { "" }
        }
    }
}
