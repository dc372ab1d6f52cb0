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
        #expect(ItemPath.path(of: photo.item, photo) == photo.item.source.string)
        let open = "/proc/\(getpid())/fd/\(try #require(photo.fileDescriptor))"
        rename(photo.item.source.string, photo.item.source.string + ".moved")
        #expect(ItemPath.path(of: photo.item, photo) == open)
        try photo.folder.write("something else", to: "IMG_1.jpg")
        #expect(ItemPath.path(of: photo.item, photo) == open)
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
        #expect(ItemPath.path(of: item, photo)?.hasPrefix("/proc/") == true)
    }

    @Test func `without a file there is no path`() throws {
        let photo = try Photo(hasDescriptor: false)
        #expect(ItemPath.path(of: photo.item, photo) == nil)
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
}
