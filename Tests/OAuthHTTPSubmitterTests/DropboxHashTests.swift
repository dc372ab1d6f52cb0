import Submit
import SubmitTesting
import Testing

@testable import OAuthHTTPSubmitter

/// Dropbox's digest of files of `A`s, as rclone's `dbhash_test.go` has it.
@Suite struct `Dropbox's digest` {
    @Test(arguments: [
        (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (1, "1cd6ef71e6e0ff46ad2609d403dc3fee244417089aa4461245a4e4fe23a55e42"),
        (4_194_304, "d4d63bac5b866c71620185392a8a6218ac1092454a2d16f820363b69852befa3"),
        (4_194_305, "8f553da8d00d0bf509d8470e242888be33019c20c0544811f5b2b89e98360b92"),
        (8_388_609, "02c8a4aefc2bfc9036f89a7098001865885938ca580e5c9e5db672385edd303c"),
    ])
    func `is the published one`(count: Int, digest: String) async throws {
        let bytes = ScriptedBytes([UInt8](repeating: UInt8(ascii: "A"), count: count))
        #expect(try await RecipeNames.dropboxHash(of: bytes) == digest)
    }
}
