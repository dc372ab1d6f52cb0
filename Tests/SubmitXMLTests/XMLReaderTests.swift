import Testing

@testable import SubmitXML

/// Reads a document to its end.
private func pieces(_ document: String, limits: XMLLimits = XMLLimits()) throws -> [XMLPiece] {
    try pieces(Array(document.utf8), limits: limits)
}

private func pieces(_ document: [UInt8], limits: XMLLimits = XMLLimits()) throws -> [XMLPiece] {
    let reader = XMLReader(document, limits: limits)
    var all: [XMLPiece] = []
    while let piece = try reader.next() { all.append(piece) }
    return all
}

private func failure(_ document: [UInt8], limits: XMLLimits = XMLLimits()) -> XMLFailure? {
    #expect(throws: XMLFailure.self) { _ = try pieces(document, limits: limits) }
}

private func failure(_ document: String, limits: XMLLimits = XMLLimits()) -> XMLFailure? {
    failure(Array(document.utf8), limits: limits)
}

private func isMalformed(_ failure: XMLFailure?) -> Bool {
    if case .malformed = failure { true } else { false }
}

private func isTooLarge(_ failure: XMLFailure?) -> Bool {
    if case .tooLarge = failure { true } else { false }
}

@Suite struct `An XML document` {
    @Test func `comes as starts, texts and ends with the namespace instead of the prefix`() throws {
        let document = """
            <?xml version="1.0" encoding="UTF-8"?>
            <D:a xmlns:D="DAV:" xmlns="urn:x"><!-- no --><b>é &amp; &#x5199;</b><?pi no?><D:c/><d/></D:a>
            """
        #expect(
            try pieces(document) == [
                .start(XMLName("a", namespace: "DAV:")),
                .start(XMLName("b", namespace: "urn:x")), .text("é & 写"), .end(XMLName("b", namespace: "urn:x")),
                .start(XMLName("c", namespace: "DAV:")), .end(XMLName("c", namespace: "DAV:")),
                .start(XMLName("d", namespace: "urn:x")), .end(XMLName("d", namespace: "urn:x")),
                .end(XMLName("a", namespace: "DAV:")),
            ])
    }

    @Test func `keeps spaces and CDATA as text`() throws {
        #expect(
            try pieces("<a> <![CDATA[<b>&amp;]]></a>")
                == [.start(XMLName("a")), .text(" "), .text("<b>&amp;"), .end(XMLName("a"))])
    }

    @Test func `has its namespaces without references`() throws {
        let name = XMLName("a", namespace: "urn:&#38;<\"x")
        #expect(try pieces("<a xmlns='urn:&amp;#38;&lt;&quot;&#120;'/>") == [.start(name), .end(name)])
    }

    @Test func `may have white space before its declaration`() throws {
        #expect(try pieces(" \r\n\t<?xml version='1.0'?><a/>") == [.start(XMLName("a")), .end(XMLName("a"))])
    }

    @Test func `may begin with a byte order mark`() throws {
        #expect(try pieces("\u{FEFF}<a>é</a>") == [.start(XMLName("a")), .text("é"), .end(XMLName("a"))])
    }

    @Test(arguments: [
        "", " ", "\0", "not XML", "<a>", "<a><b></a>", "<a/><b/>", "<a b=1/>", "<a>&nbsp;</a>", "</a>", "<a>\0</a>",
        "<Error><Code>NoSuchKey</Code>", "<a", "<a>]]></a>", "<p:a/>x", "{\"error\": 1}",
    ])
    func `that is broken, cut short or something else is refused`(document: String) {
        #expect(isMalformed(failure(document)))
    }

    @Test func `in another encoding than UTF-8 is refused`() {
        #expect(isMalformed(failure(Array("<a>".utf8) + [0xE9, 0x20] + Array("</a>".utf8))))
        let latin1 = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8) + [0xE9] + Array("</a>".utf8)
        #expect(isMalformed(failure(latin1)))
        let utf16: [UInt8] = [0xFF, 0xFE] + "<a>é</a>".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        #expect(isMalformed(failure(utf16)))
    }

    @Test func `keeps failing once it has failed`() {
        let reader = XMLReader(Array("<a><b></a>".utf8))
        var failures: [XMLFailure] = []
        for _ in 0..<6 {
            do throws(XMLFailure) { _ = try reader.next() } catch { failures.append(error) }
        }
        #expect(failures.count >= 3 && Set(failures).count == 1)
    }
}

@Suite struct `A hostile XML document` {
    @Test(arguments: [
        "<!DOCTYPE a><a/>",
        "<!DOCTYPE html><html><body>It works!</body></html>",
        "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>",
        "<!DOCTYPE a SYSTEM 'http://127.0.0.1:9/x.dtd'><a/>",
        "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><a>&e;</a>",
        "<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><a/>",
        "<!DOCTYPE a [<!ATTLIST a b CDATA 'default'>]><a/>",
    ])
    func `with a document type is refused before its content`(document: String) {
        let reader = XMLReader(Array(document.utf8))
        #expect(throws: XMLFailure.documentType) { _ = try reader.next() }
    }

    @Test(arguments: [true, false])
    func `with a document type in UTF-16 is refused as well`(bigEndian: Bool) {
        let units = ("\u{FEFF}<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>").utf16
        let bytes = units.flatMap {
            bigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)]
        }
        #expect(isMalformed(failure(bytes)))
    }

    @Test func `with a document type in an encoding that hides it is refused as well`() {
        let utf7 = "<?xml version='1.0' encoding='UTF-7'?>+ADwAIQ-DOCTYPE a+AD4-<a/>"
        #expect(isMalformed(failure(utf7)))
        let ebcdic: [UInt8] = [
            0x4C, 0x6F, 0xA7, 0x94, 0x93, 0x40, 0xA5, 0x85, 0x99, 0xA2, 0x89, 0x96, 0x95, 0x6F, 0x6E,
        ]
        #expect(isMalformed(failure(ebcdic)))
    }

    @Test func `that laughs a billion times is refused`() {
        var document = "<!DOCTYPE lolz [<!ENTITY lol0 'lol'>"
        for level in 1...9 {
            document += "<!ENTITY lol\(level) '" + String(repeating: "&lol\(level - 1);", count: 10) + "'>"
        }
        #expect(failure(document + "]><lolz>&lol9;</lolz>") == .documentType)
    }

    @Test func `with parameter entities that multiply is refused`() {
        var document = "<!DOCTYPE a [<!ENTITY % p0 '<!ENTITY x \"y\">'>"
        for level in 1...9 {
            let reference = String(repeating: "&#37;p\(level - 1);", count: 10)
            document += "<!ENTITY % p\(level) '\(reference)'>"
        }
        #expect(failure(document + "%p9;]><a/>") == .documentType)
    }

    @Test func `with a hundred thousand attributes is refused`() {
        let attributes = (0..<100_000).map { " a\($0)=''" }.joined()
        #expect(isTooLarge(failure("<a\(attributes)/>")))
        #expect(isTooLarge(failure("<a" + attributes.replacing("''", with: "= \">\"") + "/>")))
    }

    @Test func `with hundreds of namespaces in force is refused`() throws {
        func document(declarations: Int) -> String {
            (0..<8).reduce("<n0x0:b/>") { inner, level in
                let names = (0..<declarations).map { " xmlns:n\(level)x\($0)='u'" }.joined()
                return "<a\(names)>\(inner)</a>"
            }
        }
        #expect(throws: Never.self) { try pieces(document(declarations: 32)) }
        #expect(isTooLarge(failure(document(declarations: 33))))
    }

    @Test func `that nests deeper than allowed is refused`() {
        let fits = String(repeating: "<a>", count: 64) + String(repeating: "</a>", count: 64)
        #expect(throws: Never.self) { try pieces(fits) }
        #expect(isTooLarge(failure("<a>" + fits + "</a>")))
        #expect(isTooLarge(failure(String(repeating: "<a>", count: 1_000_000))))
    }

    @Test func `with too many nodes or too long names is refused`() {
        let limits = XMLLimits(nameBytes: 8, nodes: 10)
        #expect(isTooLarge(failure("<a>" + String(repeating: "<b/>", count: 10) + "</a>", limits: limits)))
        #expect(isTooLarge(failure("<a>" + String(repeating: "<!---->", count: 10) + "</a>", limits: limits)))
        #expect(isTooLarge(failure("<abcdefghi/>", limits: limits)))
        #expect(isTooLarge(failure("<a xmlns='urn:abcdefghi'/>", limits: limits)))
        #expect(throws: Never.self) { try pieces("<abcdefgh/>", limits: limits) }
    }

    @Test func `larger than allowed is refused unread`() {
        let limits = XMLLimits(bytes: 100)
        #expect(isTooLarge(failure("<a>" + String(repeating: "x", count: 94) + "</a>", limits: limits)))
        #expect(throws: Never.self) { try pieces("<a>" + String(repeating: "x", count: 93) + "</a>", limits: limits) }
    }

    @Test func `with ten megabytes of text ends in time, read or refused`() throws {
        let short = "<a>" + String(repeating: "x", count: 1_000_000) + "</a>"
        #expect(try pieces(short).count == 3)
        // libxml2 itself stops at a text of ten million bytes.
        let long = "<a>" + String(repeating: "x", count: 10_500_000) + "</a>"
        #expect(isMalformed(failure(long)))
    }
}
