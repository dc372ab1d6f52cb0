import Foundation
import Submit
import SubmitScaffold
import Testing

@Suite struct StandAloneProjectTests {
    let folder: ScaffoldFolder

    init() throws { folder = try ScaffoldFolder() }

    @Test(arguments: StandAloneProject.Language.allCases)
    func `a project is called as its submitter everywhere, and its programs can be run`(
        language: StandAloneProject.Language
    ) throws {
        let project = try StandAloneProject(
            SubmitterName("imgur-pro"), in: language, at: folder.path, with: SubmitPackage("/src/Submit"))
        #expect(project.folder == folder.path + "/submit-to-imgur-pro")
        let files = try folder.files()
        #expect(files.keys.sorted() == project.files.map { "submit-to-imgur-pro/" + $0 }.sorted())
        for (name, text) in files {
            #expect(!name.lowercased().contains("acme"))
            #expect(!text.lowercased().contains("acme") && !text.contains("SUBMIT-"), "\(name)")
            #expect(
                FileManager.default.isExecutableFile(atPath: "\(folder.path)/\(name)") == text.hasPrefix("#!"),
                "\(name)")
        }
        #expect(files["submit-to-imgur-pro/test"]?.contains("submit contract") == true)
        for hole in 1...6 { #expect(files.values.contains { $0.contains("HOLE \(hole) of 6: ") }) }
    }

    @Test func `what is there is never touched`() throws {
        try folder.write("mine", to: "submit-to-imgur/README.md")
        let failure = #expect(throws: SubmitFailure.self) {
            try StandAloneProject(SubmitterName("imgur"), in: .python, at: folder.path, with: nil)
        }
        #expect(failure?.code == "already-there")
        #expect(try folder.files() == ["submit-to-imgur/README.md": "mine"])
    }

    @Test func `where nothing can be made, nothing is`() throws {
        try folder.write("", to: "file")
        let failure = #expect(throws: SubmitFailure.self) {
            try StandAloneProject(SubmitterName("imgur"), in: .sh, at: folder.path + "/file", with: nil)
        }
        #expect(failure?.code == "not-written")
        #expect(try folder.files().count == 1)
    }

    @Test(arguments: [
        ("/src/Submit/", #".package(path: "/src/Submit")"#, "submit"),
        (
            "https://example.org/a/submit-fork.git",
            #".package(url: "https://example.org/a/submit-fork.git", branch: "main")"#, "submit-fork"
        ),
        ("git@example.org:a/Submit.git", #".package(url: "git@example.org:a/Submit.git", branch: "main")"#, "submit"),
    ])
    func `a Swift project depends on the package where that is`(place: String, line: String, identity: String) throws {
        _ = try StandAloneProject(SubmitterName("imgur"), in: .swift, at: folder.path, with: SubmitPackage(place))
        let manifest = try folder.text("submit-to-imgur/Package.swift")
        #expect(manifest.contains("dependencies: [\(line)]"))
        #expect(manifest.contains("let submit = \"\(identity)\""))
    }

    @Test func `a Swift project is not made without the package`() throws {
        #expect(throws: SubmitFailure.self) {
            try StandAloneProject(SubmitterName("imgur"), in: .swift, at: folder.path, with: nil)
        }
        #expect(try folder.files().isEmpty)
    }

    @Test func `the checkout that this was built from is found`() throws {
        #expect(SubmitPackage.ownCheckout() != nil)
        #expect(SubmitPackage.ownCheckout("/nowhere/Sources/SubmitScaffold/SubmitPackage.swift") == nil)
    }
}
