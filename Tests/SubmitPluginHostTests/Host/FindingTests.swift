import Foundation
import SubmitPluginHost
import SystemPackage
import TestServers
import Testing

@Suite struct FindingTests {
    private let files = TemporaryFolder()

    private func add(_ path: String, mode: mode_t = 0o755) throws {
        try files.folder(String(path.split(separator: "/")[0]))
        chmod(try files.write("#!/bin/sh\ntouch ran\n", to: path), mode)
    }

    private func found(_ folders: String...) -> ExternalPrograms {
        ExternalPrograms(in: folders.map { FilePath(files.path($0)) })
    }

    @Test func `the first folder that has a program gives it, and nothing is run`() throws {
        try add("best/submit-to-shelf")
        try add("worse/submit-to-shelf")
        try add("worse/submit-to-attic")
        let programs = found("best", "absent", "worse").programs
        #expect(programs.map(\.name) == ["attic", "shelf"])
        #expect(
            programs.map(\.path.string) == [files.path("worse/submit-to-attic"), files.path("best/submit-to-shelf")])
        #expect(!FileManager.default.fileExists(atPath: "ran"))
    }

    @Test(arguments: ["submit-to-", "submit-to-Shelf", "submit-to-a b", "submit-to-ä", "submit-to_shelf", "to-shelf"])
    func `what has another name is none`(_ name: String) throws {
        try add("folder/\(name)")
        #expect(found("folder") == found())
    }

    @Test func `a folder is none, and what may not be run is said`() throws {
        try add("folder/submit-to-file", mode: 0o644)
        try files.folder("folder/submit-to-folder")
        let found = found("folder")
        #expect(found.programs.isEmpty && found.unused.map(\.program.name) == ["file"])
        #expect(found.unused.first?.reason.contains("may not be executed; `chmod +x` it") == true)
    }

    @Test func `what others can write to is said and not used, and does not hide a good one`() throws {
        try add("folder/submit-to-shelf", mode: 0o775)
        try add("open/submit-to-attic")
        chmod(files.path("open"), 0o777)
        try add("good/submit-to-attic")
        let found = found("folder", "open", "good")
        #expect(found.programs.map(\.path.string) == [files.path("good/submit-to-attic")])
        #expect(found.unused.map(\.program.name) == ["shelf", "attic"])
        #expect(found.unused[0].reason.contains("can be written to by others; `chmod go-w`"))
        #expect(found.unused[1].reason.contains("its folder can be written to by others"))
    }

    @Test func `a link is as good as the file and the folder that it leads to`() throws {
        try add("open/program")
        chmod(files.path("open"), 0o777)
        try files.folder("folder")
        symlink(files.path("open/program"), files.path("folder/submit-to-shelf"))
        symlink(files.path("absent"), files.path("folder/submit-to-attic"))
        let found = found("folder")
        #expect(found.programs.isEmpty)
        #expect(found.unused.map(\.program.name) == ["shelf"])
    }

    @Test(.enabled(if: getuid() == 0)) func `what belongs to another user is not used`() throws {
        try add("folder/submit-to-shelf")
        chown(files.path("folder/submit-to-shelf"), 12345, 12345)
        #expect(found("folder").programs.isEmpty)
        #expect(found("folder").unused.first?.reason.contains("belongs to another user") == true)
    }

    @Test func `the empty and the relative folders of a PATH are passed over`() {
        #expect(ExternalPrograms.folders(ofPath: "/usr/bin::bin:.:/bin:").map(\.string) == ["/usr/bin", "/bin"])
    }
}
