import Foundation
import Submit
import SystemPackage
import TestServers
import Testing

@testable import SubmitPluginHost

/// What a program reads is what was accepted.
@Suite(.timeLimit(.minutes(10))) struct SourceTests {
    @Test func `the path is the file's own, as long as it leads there`() throws {
        let photo = try Photo()
        #expect(AcceptedPath(photo.item, photo)?.text == photo.item.source.string)
        let open = "/proc/\(getpid())/fd/\(try #require(photo.fileDescriptor))"
        rename(photo.item.source.string, photo.item.source.string + ".moved")
        #expect(AcceptedPath(photo.item, photo)?.text == open)
        try photo.folder.write("something else", to: "IMG_1.jpg")
        #expect(AcceptedPath(photo.item, photo)?.text == open)
    }

    @Test func `a path that is no text is told as the open file`() throws {
        let photo = try Photo()
        var item = photo.item
        let path = [UInt8](photo.folder.path.utf8) + [UInt8(ascii: "/"), 0xff, 0]
        path.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { name in
                _ = rename(photo.item.source.string, name.baseAddress!)
                item.source = FilePath(platformString: name.baseAddress!)
            }
        }
        #expect(AcceptedPath(item, photo)?.text.hasPrefix("/proc/") == true)
    }

    @Test func `without a file there is no path`() throws {
        let photo = try Photo(hasDescriptor: false)
        #expect(AcceptedPath(photo.item, photo)?.text == nil)
    }

    @Test func `a source that was moved away is read to its end`() async throws {
        let photo = try Photo()
        let submitter = try await TestPrograms.submitter("honest")
        #expect(try await submitter.submit(photo).get().remoteID == photo.item.source.string)
        unlink(photo.item.source.string)
        #expect(try await submitter.submit(photo).get().remoteID.hasPrefix("/proc/\(getpid())/fd/"))
    }

    @Test(arguments: ["honest", "never-looks"])
    func `a source that changed fails the attempt, whether or not the program asks`(_ name: String) async throws {
        let photo = try Photo()
        let submitter = try await TestPrograms.submitter(name)
        #expect(await submitter.submit(photo).failure == nil)
        photo.change()
        let failure = await submitter.submit(photo).failure
        if name == "never-looks" { #expect(failure == Photo.changed) } else { #expect(failure != nil) }
    }

    @Test func `a source that is replaced when its path was told fails the attempt`() async throws {
        let photo = try Photo()
        let submitter = try await TestPrograms.submitter("never-looks")
        let failure = await submitter.submit(photo) { photo.replace() }.failure
        #expect(failure?.code == "source-changed")
        #expect(failure?.remedy == .retry(after: .zero))
        // By then only the open file leads to what was accepted.
        #expect(await submitter.submit(photo).failure == nil)
    }

    @Test func `what was unchanged when the program asked is looked at again`() async throws {
        let photo = try Photo()
        let submitter = try await TestPrograms.submitter("asks-too-early")
        let context = SubmissionContext(submission: "test-1", sent: { if $0 == 1 { photo.change() } })
        let failure = await #expect(throws: SubmitFailure.self) {
            try await submitter.submit(photo.item, bytes: photo, context: context)
        }
        #expect(failure == Photo.changed)
    }
}
