import SubmitMedia
import Testing

@Suite struct SidecarTests {
    private static let packet = #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="…"/></x:xmpmeta>"#
    private static let plist = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        """

    private static func sidecar(_ text: String, _ fileExtension: String) -> Sidecar? {
        Sidecar(head: Array(text.utf8).span, fileExtension: fileExtension)
    }

    @Test(arguments: [
        (packet, ""), (packet, "XMP"), ("<?xml version=\"1.0\"?>\n\(packet)", "xmp"),
        ("\u{feff}<?xpacket begin='\u{feff}' id='W5M0'?>\r\n<!-- a > b -->\(packet)", "txt"),
        ("<rdf:RDF xmlns:rdf='…'>", "xmp"), ("<own:xmpmeta xmlns:own='adobe:ns:meta/'>", "xmp"),
    ])
    func `of XMP are told by what they hold`(text: String, fileExtension: String) {
        #expect(Self.sidecar(text, fileExtension) == .xmp)
    }

    @Test(arguments: [
        (plist + "<dict><key>adjustmentBaseVersion</key>", ""), (plist, "AAE"), ("bplist00\u{1}", "aae"),
        ("bplist00\u{1}_adjustmentFormatIdentifier", ""),
    ])
    func `of changes on Apple devices are told by what they hold`(text: String, fileExtension: String) {
        #expect(Self.sidecar(text, fileExtension) == .aae)
    }

    @Test func `JSON of a Takeout archive is a sidecar, and other JSON is none`() {
        let takeout =
            #"{"title":"IMG_4081.jpg","photoTakenTime":{"timestamp":"1338274506"},"geoData":{"latitude":0.0}}"#
        #expect(Self.sidecar(takeout, "json") == .json)
        #expect(Self.sidecar(takeout, "JSON") == .json)
        #expect(Self.sidecar(takeout, "txt") == nil)
        #expect(Self.sidecar(#"{"title":"albums"}"#, "json") == nil)
    }

    @Test func `that are small pictures are told by their name, and are pictures`() {
        let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0]
        #expect(Sidecar(head: jpeg.span, fileExtension: "THM") == .thm)
        #expect(Sidecar(head: jpeg.span, fileExtension: "thm") == .thm)
        #expect(Sidecar(head: jpeg.span, fileExtension: "jpg") == nil)
        #expect(Self.sidecar("no picture", "thm") == nil)
    }

    @Test(arguments: [
        ("", "xmp"), ("not at all", "xmp"), ("<svg><metadata>\(packet)", "svg"), ("<svg>", "xmp"),
        ("<!-- no end", "xmp"),
        (plist + "<dict><key>CFBundle</key>", "plist"), ("bplist00", "plist"), ("{}", "aae"), ("<rdf:RDF>", "rdf"),
        (packet.replacing("x:xmpmeta", with: "html"), "html"),
    ])
    func `are not what only looks like some`(text: String, fileExtension: String) {
        #expect(Self.sidecar(text, fileExtension) == nil)
    }
}
