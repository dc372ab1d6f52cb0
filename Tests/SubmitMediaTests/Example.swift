/// The smallest files that carry a date.
enum Example {
    /// A JPEG without a picture, with these text tags in its EXIF directory.
    static func jpeg(exif tags: [(tag: UInt16, text: String)] = [], xmpDate: String? = nil) -> [UInt8] {
        var content: [UInt8] = [0xff, 0xd8]
        if !tags.isEmpty {
            var tiff: [UInt8] = Array("MM\0*".utf8) + big(8, 4)
            tiff += big(1, 2) + big(0x8769, 2) + big(4, 2) + big(1, 4) + big(26, 4) + big(0, 4)
            var values: [UInt8] = []
            let valuesStart = 26 + 2 + tags.count * 12 + 4
            tiff += big(tags.count, 2)
            for (tag, text) in tags {
                let value = Array(text.utf8) + [0]
                tiff += big(Int(tag), 2) + big(2, 2) + big(value.count, 4) + big(valuesStart + values.count, 4)
                values += value + (value.count % 2 == 0 ? [] : [0])
            }
            content += segment(Array("Exif\0\0".utf8) + tiff + big(0, 4) + values)
        }
        if let xmpDate {
            let packet = """
                <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
                <rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" \
                exif:DateTimeOriginal="\(xmpDate)"/></rdf:RDF></x:xmpmeta>
                """
            content += segment(Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(packet.utf8))
        }
        return content + [0xff, 0xda, 0, 2, 0xff, 0xd9]
    }

    private static func segment(_ content: [UInt8]) -> [UInt8] {
        [0xff, 0xe1] + big(content.count + 2, 2) + content
    }

    enum MetadataPlace: CaseIterable { case movie, userData }

    /// An MP4 without tracks; `created` in seconds since 1904.
    static func mp4(created: Int, appleDate: String? = nil, in place: MetadataPlace = .movie) -> [UInt8] {
        let header = big(0, 4) + big(created, 4) + big(created, 4) + big(1000, 4) + big(1000, 4) + big(0, 80)
        var movie = box("mvhd", header)
        if let appleDate {
            let names = ["com.apple.quicktime.make", "com.apple.quicktime.creationdate"]
            let keys = names.flatMap { box("mdta", Array($0.utf8)) }
            let values = ["maker", appleDate].enumerated().flatMap { index, text in
                box(big(index + 1, 4), box("data", big(1, 4) + big(0, 4) + Array(text.utf8)))
            }
            let metadata = box("keys", big(0, 4) + big(2, 4) + keys) + box("ilst", values)
            // QuickTime's form has no version, ISO's has.
            movie += place == .movie ? box("meta", metadata) : box("udta", box("meta", big(0, 4) + metadata))
        }
        return box("ftyp", Array("isom".utf8) + big(0, 4) + Array("isom".utf8)) + box("mdat", [0, 0, 0, 0])
            + box("moov", movie)
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] { box(Array(type.utf8), content) }

    private static func box(_ type: [UInt8], _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + type + content
    }

    static func matroska(nanosecondsSince2001 date: Int) -> [UInt8] {
        let head = element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], Array("matroska".utf8)))
        let info = element([0x15, 0x49, 0xa9, 0x66], element([0x44, 0x61], big(date, 8)))
        return head + element([0x18, 0x53, 0x80, 0x67], info)
    }

    private static func element(_ id: [UInt8], _ content: [UInt8]) -> [UInt8] {
        id + [0x80 | UInt8(content.count)] + content
    }

    static func avi(date: String) -> [UInt8] {
        let header = chunk("avih", [UInt8](repeating: 0, count: 56)) + chunk("IDIT", Array(date.utf8))
        return chunk("RIFF", Array("AVI ".utf8) + chunk("LIST", Array("hdrl".utf8) + header))
    }

    private static func chunk(_ id: String, _ content: [UInt8]) -> [UInt8] {
        Array(id.utf8) + big(content.count, 4).reversed() + content + (content.count % 2 == 0 ? [] : [0])
    }

    private static func big(_ number: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { index in
            let shift = (width - 1 - index) * 8
            return shift < 64 ? UInt8(truncatingIfNeeded: number >> shift) : 0
        }
    }
}
