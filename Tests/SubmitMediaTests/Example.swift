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

    static func segment(_ content: [UInt8]) -> [UInt8] {
        [0xff, 0xe1] + big(content.count + 2, 2) + content
    }

    enum MetadataPlace: CaseIterable { case movie, userData }

    /// An MP4 without tracks; `created` in seconds since 1904.
    static func mp4(
        created: Int, appleDate: String? = nil, in place: MetadataPlace = .movie, userData: [UInt8] = [],
        after: [UInt8] = []
    ) -> [UInt8] {
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
        if !userData.isEmpty { movie += box("udta", userData) }
        return box("ftyp", Array("isom".utf8) + big(0, 4) + Array("isom".utf8)) + box("mdat", [0, 0, 0, 0])
            + box("moov", movie) + after
    }

    /// The movie of an AVCHD camera, whose first packet has its clock: year, month, day, hour, minute and second as decimal digits.
    ///
    /// - Parameter isCut: the message is cut in two, as packets end anywhere.
    static func transport(clock: String, zone: UInt8 = 0, packet: Int = 192, isCut: Bool = true) -> [UInt8] {
        let text = Array(clock)
        let digits = (0..<7).map { UInt8(String(text[2 * $0...2 * $0 + 1]), radix: 16) ?? 0 }
        let signature: [UInt8] = [
            0x17, 0xee, 0x8c, 0x60, 0xf8, 0x4d, 0x11, 0xd9, 0x8c, 0xd6, 0x08, 0x00, 0x20, 0x0c, 0x9a, 0x66,
        ]
        let content: [UInt8] = Array("MDPM".utf8) + [2, 0x18, zone] + digits[..<3] + [0x19] + digits[3...]
        var (escaped, zeros) = ([UInt8](), 0)
        for byte in content {
            if zeros == 2, byte <= 3 {
                escaped.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            escaped.append(byte)
        }
        let message: [UInt8] =
            [0, 0, 1, 9, 0xf0, 0, 0, 1, 6, 5, UInt8(16 + content.count)] + signature + escaped + [0x80]
        let head: [UInt8] = [0, 0, 1, 0xe0, 0, 0, 0x80, 0, 0]
        let parts = isCut ? [head + message[..<30], Array(message[30...])] : [head + message]
        var packets: [[UInt8]] = []
        for (index, part) in parts.enumerated() {
            let stuffing = [UInt8](repeating: 0xff, count: 182 - part.count)
            let start: [UInt8] = [
                0x47, index == 0 ? 0x50 : 0x10, 0x11, UInt8(0x30 + index), UInt8(stuffing.count + 1), 0,
            ]
            packets.append(start + stuffing + part)
        }
        let empty: [UInt8] = [0x47, 0x1f, 0xff, 0x10] + [UInt8](repeating: 0xff, count: 184)
        packets += [[UInt8]](repeating: empty, count: 8)
        let time = [UInt8](repeating: 0, count: packet - 188)
        return packets.flatMap { time + $0 }
    }

    /// A JPEG without a picture, with these texts in IPTC's record 2.
    static func jpeg(iptc values: [(dataSet: UInt8, text: String)], exif tags: [(tag: UInt16, text: String)] = [])
        -> [UInt8]
    {
        let record = values.flatMap { value -> [UInt8] in
            [0x1c, 2, value.dataSet] + big(value.text.utf8.count, 2) + Array(value.text.utf8)
        }
        let resource: [UInt8] = Array("8BIM".utf8) + big(1028, 2) + [0, 0] + big(record.count, 4) + record
        let content = Array("Photoshop 3.0\0".utf8) + resource
        return [0xff, 0xd8, 0xff, 0xed] + big(content.count + 2, 2) + content + jpeg(exif: tags).dropFirst(2)
    }

    /// A PNG without a picture, with these texts.
    static func png(_ texts: [(keyword: String, text: String)]) -> [UInt8] {
        let chunks = texts.flatMap { text -> [UInt8] in
            let content = Array(text.keyword.utf8) + [0] + Array(text.text.utf8)
            return big(content.count, 4) + Array("tEXt".utf8) + content + big(0, 4)
        }
        return [0x89] + Array("PNG\r\n\u{1a}\n".utf8) + chunks
    }

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] { box(Array(type.utf8), content) }

    static func box(_ type: [UInt8], _ content: [UInt8]) -> [UInt8] {
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

    /// The header of a WMV film whose file properties come behind another object.
    static func windowsMedia(created: Int, flags: UInt8 = 2, behind other: Int = 0) -> [UInt8] {
        let header: [UInt8] = [
            0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0x00, 0xaa, 0x00, 0x62, 0xce, 0x6c,
        ]
        let properties: [UInt8] = [
            0xa1, 0xdc, 0xab, 0x8c, 0x47, 0xa9, 0xcf, 0x11, 0x8e, 0xe4, 0x00, 0xc0, 0x0c, 0x20, 0x53, 0x65,
        ]
        func little(_ number: Int, _ width: Int = 8) -> [UInt8] { big(number, width).reversed() }
        // Units of 100 ns since 1601.
        let date = (created + 11_644_473_600) * 10_000_000
        let content = big(0, 24) + little(date) + big(0, 32) + [flags, 0, 0, 0] + big(0, 12)
        let first = [UInt8](repeating: 7, count: 16) + little(24 + other) + big(0, other)
        let objects = first + properties + little(24 + content.count) + content
        return header + little(30 + objects.count) + little(2, 4) + [1, 2] + objects
    }

    /// A photo of Sigma's SD9, which has no EXIF.
    static func sigma(time: String) -> [UInt8] {
        func little(_ number: Int) -> [UInt8] { big(number, 4).reversed() }
        let words = ["ISO", "100", "TIME", time]
        var (offsets, characters) = ([Int](), [UInt8]())
        for word in words {
            offsets.append(characters.count / 2)
            characters += word.utf8.flatMap { [$0, 0] } + [0, 0]
        }
        let section =
            Array("SECp".utf8) + little(0x20000) + little(2) + little(0) + little(0) + little(characters.count / 2)
            + offsets.flatMap(little) + characters
        let head = Array("FOVb".utf8) + little(0x20002) + big(0, 20)
        let directory =
            Array("SECd".utf8) + little(0x20000) + little(1) + little(head.count) + little(section.count)
            + Array("PROP".utf8)
        return head + section + directory + little(head.count + section.count)
    }

    static func avi(date: String) -> [UInt8] {
        let header = chunk("avih", [UInt8](repeating: 0, count: 56)) + chunk("IDIT", Array(date.utf8))
        return chunk("RIFF", Array("AVI ".utf8) + chunk("LIST", Array("hdrl".utf8) + header))
    }

    static func chunk(_ id: String, _ content: [UInt8]) -> [UInt8] {
        Array(id.utf8) + big(content.count, 4).reversed() + content + (content.count % 2 == 0 ? [] : [0])
    }

    static func big(_ number: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { index in
            let shift = (width - 1 - index) * 8
            return shift < 64 ? UInt8(truncatingIfNeeded: number >> shift) : 0
        }
    }

    /// A TIFF without a picture, with these texts in its first directory and in EXIF's.
    static func tiff(
        magic: String, image: [(tag: Int, text: String)] = [], photo: [(tag: Int, text: String)] = []
    ) -> [UInt8] {
        let head = Array(magic.utf8)
        let (isBig, isLong) = (head[0] == 0x4d, head[2...].contains(43))
        let wide = isLong ? 8 : 4
        func number(_ value: Int, _ width: Int) -> [UInt8] {
            isBig ? big(value, width) : big(value, width).reversed()
        }
        func directory(_ tags: [(tag: Int, text: String)], then pointer: Int?, at start: Int) -> [UInt8] {
            let count = tags.count + (pointer == nil ? 0 : 1)
            let valuesStart = start + (isLong ? 8 : 2) + count * (4 + 2 * wide) + wide
            var values: [UInt8] = []
            var entries = number(count, isLong ? 8 : 2)
            for (tag, text) in tags {
                let value = Array(text.utf8) + [0]
                entries += number(tag, 2) + number(tag == 0x02bc ? 1 : 2, 2)
                entries += number(value.count, wide) + number(valuesStart + values.count, wide)
                values += value + (value.count % 2 == 0 ? [] : [0])
            }
            if let pointer { entries += number(0x8769, 2) + number(4, 2) + number(1, wide) + number(pointer, 4) }
            if pointer != nil, isLong { entries += number(0, 4) }
            return entries + number(0, wide) + values
        }
        let start = isLong ? 16 : 8
        let header = head + (isLong ? number(8, 2) + number(0, 2) : []) + number(start, wide)
        if photo.isEmpty { return header + directory(image, then: nil, at: start) }
        let place = start + directory(image, then: 0, at: start).count
        return header + directory(image, then: place, at: start) + directory(photo, then: nil, at: place)
    }

    static func xmp(_ date: String) -> String {
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:DateTimeOriginal="\(date)"/></rdf:RDF>\
        </x:xmpmeta>
        """
    }

    /// A zlib stream of these bytes, as they are.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65521
            high = (high + low) % 65521
        }
        let size = big(bytes.count, 2).reversed()
        return [0x78, 1, 1] + size + size.map { ~$0 } + bytes + big(high << 16 | low, 4)
    }
}
