import Submit
import Testing

@testable import SubmitMedia

@Suite struct XMPDatesTests {
    private static let told = CaptureTime("2024-05-17T18:42:07")

    private func original(_ packet: String) -> CaptureTime? { XMPDates(FileRegion(Array(packet.utf8)))?.original }

    private func packet(_ content: String, attributes: String = "") -> String {
        """
        <?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
        xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
        xmlns:e="http://ns.adobe.com/exif/1.0/" \(attributes)>\(content)</rdf:Description></rdf:RDF></x:xmpmeta>
        \(String(repeating: " ", count: 2000))<?xpacket end="w"?>
        """
    }

    @Test func `a date is an attribute or an element, by whatever prefix`() {
        #expect(original(packet("", attributes: #"e:DateTimeOriginal="2024-05-17T18:42:07""#)) == Self.told)
        let element = "<e:DateTimeOriginal>\n 2024-05-17T<!-- -->18:42:07</e:DateTimeOriginal>"
        #expect(original(packet(element)) == Self.told)
        #expect(original(packet(element + element.replacing("2024", with: "2001"))) == Self.told)
        #expect(original("\u{feff}" + packet(element) + "\0\0\0") == Self.told)
        #expect(original(packet(element).replacing("exif/1.0", with: "exif/2.0")) == nil)
    }

    @Test func `dates of what a photo was made from are not its own`() {
        let date = "<e:DateTimeOriginal>2024-05-17T18:42:07</e:DateTimeOriginal>"
        #expect(original(packet("<e:Part rdf:parseType='Resource'>\(date)</e:Part>")) == nil)
        let nested = "<e:Part><rdf:Description e:DateTimeOriginal='2024-05-17T18:42:07'/></e:Part>"
        #expect(original(packet(nested)) == nil)
        #expect(original(packet(nested + "<e:DateTimeOriginal/>" + nested)) == nil)
    }

    @Test func `what is no XMP of reasonable size is not read`() {
        let whole = packet("", attributes: #"e:DateTimeOriginal="2024-05-17T18:42:07""#)
        #expect(original("<!DOCTYPE x [<!ENTITY e 'x'>]>" + whole) == nil)
        #expect(original(String(whole.dropLast(2100))) == nil)
        #expect(original(whole + String(repeating: " ", count: 1 << 20)) == nil)
        #expect(original("") == nil)
        #expect(original(String(repeating: "<a>", count: 10_000)) == nil)
    }
}
