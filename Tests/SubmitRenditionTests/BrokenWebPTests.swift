import Submit
import Testing

@Suite struct BrokenWebPTests {
    @Test(arguments: 0...3 as ClosedRange<UInt8>)
    func `a WebP that claims to end within its own header is reported as damaged`(length: UInt8) throws {
        let bytes = Array("RIFF".utf8) + [length, 0, 0, 0] + Array("WEBP".utf8) + [UInt8](repeating: 0, count: 20)
        #expect(throws: SubmitFailure.self) { try LeakyPhotos.cleaned(bytes, "a.webp", keeping: []) }
    }
}
