/// RAW files without sensor data.
enum RAWExample {
    /// One whose headers say how large it is. `size` bytes long at least.
    static func jpeg(
        _ width: Int, _ height: Int, frame: UInt8 = 0xc0, bits: UInt8 = 8, components: UInt8 = 3, exif: [UInt8] = [],
        size: Int = 0
    ) -> [UInt8] {
        let header =
            [bits] + Example.big(height, 2) + Example.big(width, 2) + [components]
            + (0..<components).flatMap { [$0 + 1, 0x11, 0] }
        let begin: [UInt8] = [0xff, 0xd8] + (exif.isEmpty ? [] : Example.segment(Array("Exif\0\0".utf8) + exif))
        let bytes = begin + [0xff, frame] + Example.big(header.count + 2, 2) + header + [0xff, 0xda, 0, 2]
        return bytes + [UInt8](repeating: 0, count: max(0, size - bytes.count - 2)) + [0xff, 0xd9]
    }

    /// An entry of a directory: tag, type, values.
    typealias Entry = (Int, Int, [Int])

    static func text(_ tag: Int, _ text: String) -> Entry { (tag, 2, text.utf8.map(Int.init) + [0]) }

    /// Where the directory of a number is.
    static func directory(_ index: Int) -> Int { 0x800 * (index + 1) }
    /// Where the picture of a number is.
    static func picture(_ index: Int) -> Int { 0x10000 * (index + 1) }

    /// - Parameters:
    ///   - chain: which directory follows which.
    ///   - header: what stands at the beginning, as far as it is not the first directory's offset.
    static func tiff(
        _ directories: [[Entry]], chain: [Int: Int] = [:], pictures: [[UInt8]] = [], header: String = "II*\0"
    ) -> [UInt8] {
        let isBig = header.first == "M"
        func number(_ value: Int, _ width: Int) -> [UInt8] {
            isBig ? Example.big(value, width) : Example.big(value, width).reversed()
        }
        let head = Array(header.utf8)
        var file = head.prefix(4) + number(directory(0), 4) + head.dropFirst(4)
        for (index, entries) in directories.enumerated() {
            let place = directory(index)
            file = pad(file, to: place)
            let values = place + 2 + 12 * entries.count + 4
            var (list, long) = (number(entries.count, 2), [UInt8]())
            for (tag, type, numbers) in entries.sorted(by: { $0.0 < $1.0 }) {
                let bytes = numbers.flatMap { number($0, [3: 2, 4: 4, 5: 4, 13: 4][type] ?? 1) }
                list += number(tag, 2) + number(type, 2) + number(numbers.count / (type == 5 ? 2 : 1), 4)
                if bytes.count <= 4 {
                    list += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
                } else {
                    list += number(values + long.count, 4)
                    long += bytes
                }
            }
            file += list + number(chain[index].map(directory) ?? 0, 4) + long
        }
        for (index, bytes) in pictures.enumerated() { file = pad(file, to: picture(index)) + bytes }
        return Array(file)
    }

    private static func pad(_ bytes: ArraySlice<UInt8>, to length: Int) -> ArraySlice<UInt8> {
        bytes + [UInt8](repeating: 0, count: max(0, length - bytes.count))
    }

    private static func pad(_ bytes: [UInt8], to length: Int) -> [UInt8] { Array(pad(bytes[...], to: length)) }

    /// What the first directory of a RAW file says of it, and leads to EXIF's: the next but one of `number`.
    static func facts(exif number: Int, orientation: Int = 1) -> [Entry] {
        [text(0x010f, "Maker"), text(0x0110, "Camera 1"), (0x0112, 3, [orientation]), (0x8769, 4, [directory(number)])]
    }

    static func exif(_ width: Int = 0, _ height: Int = 0, note: Entry? = nil) -> [Entry] {
        [text(0x9003, "2024:02:29 12:00:00"), (0x829a, 5, [1, 250])]
            + (width > 0 ? [(0xa002, 4, [width]), (0xa003, 4, [height])] : []) + (note.map { [$0] } ?? [])
    }

    static func thumbnail(_ picture: [UInt8], at index: Int) -> [Entry] {
        [(0x0201, 4, [self.picture(index)]), (0x0202, 4, [picture.count])]
    }

    static func strip(_ picture: [UInt8], at index: Int, compression: Int) -> [Entry] {
        [(0x0103, 3, [compression]), (0x0111, 4, [self.picture(index)]), (0x0117, 4, [picture.count])]
    }

    static func sensor(_ width: Int, _ height: Int) -> [Entry] {
        [(0x00fe, 4, [0]), (0x0100, 4, [width]), (0x0101, 4, [height]), (0x0106, 3, [32803])]
    }
}

extension RAWExample {
    static func raf(_ jpeg: [UInt8], whole: (width: Int, height: Int)) -> [UInt8] {
        let size = Example.big(whole.height, 2) + Example.big(whole.width, 2)
        let records =
            Example.big(2, 4) + Example.big(0x0100, 2) + Example.big(4, 2) + Example.big(0, 4)
            + Example.big(0x0111, 2) + Example.big(4, 2) + size
        let head = pad(Array("FUJIFILMCCD-RAW 0201".utf8), to: 84)
        let table = [256, jpeg.count, 128, records.count].flatMap { Example.big($0, 4) }
        return pad(pad(head + table, to: 128) + records, to: 256) + jpeg
    }

    static func mrw(_ tiff: [UInt8], whole: (width: Int, height: Int)) -> [UInt8] {
        let sizes = [whole.height + 8, whole.width + 8, whole.height, whole.width].flatMap { Example.big($0, 2) }
        let prd = Array("\0PRD".utf8) + Example.big(24, 4) + pad(Array("27730001".utf8) + sizes, to: 24)
        let ttw = Array("\0TTW".utf8) + Example.big(tiff.count, 4) + tiff
        return Array("\0MRM".utf8) + Example.big(prd.count + ttw.count, 4) + prd + ttw
    }

    static func crw(_ jpeg: [UInt8], thumbnail: [UInt8], whole: (width: Int, height: Int), turned: Int) -> [UInt8] {
        func little(_ number: Int, _ width: Int) -> [UInt8] { Example.big(number, width).reversed() }
        func heap(_ records: [(Int, [UInt8])]) -> [UInt8] {
            let content = records.flatMap(\.1)
            var (list, place) = (little(records.count, 2), 0)
            for (tag, bytes) in records {
                list += little(tag, 2) + little(bytes.count, 4) + little(place, 4)
                place += bytes.count
            }
            return content + list + little(content.count, 4)
        }
        let information = [whole.width, whole.height, 0x3f80_0000, turned, 8, 24, 1].flatMap { little($0, 4) }
        let time = little(1_709_208_000, 4) + little(0, 8)
        let camera = heap([(0x080a, Array("Maker\0Camera 1\0".utf8))])
        let properties = heap([(0x1810, information), (0x180e, time), (0x2807, camera)])
        return Array("II".utf8) + little(26, 4) + Array("HEAPCCDR".utf8) + little(0, 12)
            + heap([(0x2007, jpeg), (0x2008, thumbnail), (0x300a, properties)])
    }

    static func x3f(_ jpeg: [UInt8], whole: (width: Int, height: Int), turned: Int, version: Int) -> [UInt8] {
        func little(_ number: Int, _ width: Int = 4) -> [UInt8] { Example.big(number, width).reversed() }
        let size = little(whole.width) + little(whole.height) + little(turned)
        let head = pad(pad(Array("FOVb".utf8) + little(version << 16), to: version < 4 ? 28 : 40) + size, to: 768)
        func section(_ format: Int, _ content: [UInt8]) -> [UInt8] {
            Array("SECi".utf8) + little(0x20000) + little(2) + little(format) + little(0, 12) + content
        }
        let (raw, preview) = (section(30, self.jpeg(9000, 9000)), section(18, jpeg))
        let start = head.count + raw.count
        let list = [(head.count, raw.count), (start, preview.count)].flatMap {
            little($0.0) + little($0.1) + Array("IMA2".utf8)
        }
        return head + raw + preview + Array("SECd".utf8) + little(0x20000) + little(2) + list
            + little(start + preview.count)
    }

    /// - Parameter jpeg: a track's sample; none leaves the preview.
    static func cr3(_ jpeg: [UInt8]?, preview: [UInt8], whole: (width: Int, height: Int)) -> [UInt8] {
        let image = tiff([
            [text(0x010f, "Maker"), text(0x0110, "Camera 1"), (0x0112, 3, [8])]
                + [(0x0100, 4, [whole.width]), (0x0101, 4, [whole.height])]
        ])
        let place = tiff([[text(1, "N"), (2, 5, [52, 1, 30, 1, 0, 1])]])
        let canon: [UInt8] = [
            0x85, 0xc0, 0xb6, 0x87, 0x82, 0x0f, 0x11, 0xe0, 0x81, 0x11, 0xf4, 0xce, 0x46, 0x2b, 0x6a, 0x48,
        ]
        let previewing: [UInt8] = [
            0xea, 0xf4, 0x2b, 0x5e, 0x1c, 0x98, 0x4b, 0x88, 0xb9, 0xfb, 0xb7, 0xdc, 0x40, 0x6e, 0x4d, 0x16,
        ]
        let facts = Example.box("CMT1", image) + Example.box("CMT2", tiff([exif()])) + Example.box("CMT4", place)
        func track(_ offset: Int, _ size: Int) -> [UInt8] {
            let sizes = Example.box("stsz", Example.big(0, 4) + Example.big(size, 4) + Example.big(1, 4))
            let offsets = Example.box("co64", Example.big(0, 4) + Example.big(1, 4) + Example.big(offset, 8))
            return Example.box(
                "trak", Example.box("mdia", Example.box("minf", Example.box("stbl", sizes + offsets))))
        }
        let raw = self.jpeg(9000, 9000, frame: 0xc3)
        func movie(_ start: Int) -> [UInt8] {
            let tracks = (jpeg.map { track(start + raw.count, $0.count) } ?? []) + track(start, raw.count)
            return Example.box("ftyp", Array("crx \0\0\0\u{1}crx isom".utf8))
                + Example.box("moov", Example.box("uuid", canon + facts) + tracks)
                + Example.box(
                    "uuid",
                    previewing + Example.big(1, 8)
                        + Example.box(
                            "PRVW",
                            Example.big(0, 4) + Example.big(1, 2) + Example.big(0, 4) + Example.big(1, 2)
                                + Example.big(preview.count, 4) + preview))
        }
        return movie(movie(0).count + 8) + Example.box("mdat", raw + (jpeg ?? []))
    }
}
