import Submit
import SubmitScaffold
import Testing

@Suite struct SubmitterNameTests {
    @Test(arguments: [
        ("Imgur", "imgur", "Imgur", "IMGUR"), ("imgur", "imgur", "Imgur", "IMGUR"),
        ("imgur-pro", "imgur-pro", "ImgurPro", "IMGUR_PRO"), ("ImgurPro", "imgurpro", "ImgurPro", "IMGURPRO"),
        ("s3-2", "s3-2", "S32", "S3_2"),
    ])
    func `a name has its form in each place`(text: String, type: String, swift: String, environment: String) throws {
        let name = try SubmitterName(text)
        #expect(name.type == type)
        #expect(name.swift == swift)
        #expect(name.environment == environment)
    }

    @Test(arguments: [
        "", "-a", "a-", "a--b", "1a", "a b", "a/b", "../a", "é", "a\n", "٣", String(repeating: "a", count: 41),
    ])
    func `what is no name is refused`(text: String) {
        let failure = #expect(throws: SubmitFailure.self) { try SubmitterName(text) }
        #expect(failure?.code == "usage")
    }
}
