import Foundation
import SubmitPrograms
import Testing

@Suite struct `A private folder` {
    @Test func `is nobody else's, and is gone afterwards with all that is in it`() throws {
        var folder: PrivateFolder? = try PrivateFolder()
        let path = try #require(folder?.path)
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        try FileManager.default.createDirectory(atPath: path + "/inner/deep", withIntermediateDirectories: true)
        try Data([1]).write(to: URL(fileURLWithPath: path + "/inner/deep/file"))
        try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: "/usr")
        #expect(folder?.path("a") == path + "/a")
        folder = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
