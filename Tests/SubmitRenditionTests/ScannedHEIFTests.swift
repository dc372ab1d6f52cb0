import Foundation
import Submit
import SubmitRendition
import TestServers
import Testing

struct `The scan of HEIC and AVIF` {
    /// With an EXIF block that tells nothing, at the end of the data, or without one.
    static func photo(_ name: String = "garden.heic", exif: [UInt8]? = nil) throws -> ISOFile {
        let isAVIF = name.hasSuffix("avif")
        return try ISOFile(name, mime: isAVIF ? "image/avif" : "image/heic").changed { root in
            for index in 24..<root["meta", "hdlr"].head.count { root["meta", "hdlr"].head[index] = 0 }
            for index in root["meta", "iinf"].boxes.indices {
                root["meta", "iinf"].boxes[index].head = Array(root["meta", "iinf"].boxes[index].head.prefix(12)) + [0]
            }
            let mdat = root["mdat"].head
            // Where both files have the picture, and how long it is; the second item is the EXIF block.
            let picture = Array(isAVIF ? mdat[(573 - 343)..<(573 - 343 + 1923)] : mdat[..<21071])
            let block = exif.map { [0, 0, 0, 0] + $0 } ?? []
            let origin = isAVIF ? 343 : 421
            var iloc =
                [0, 0, 0, 0, 0x44, 0, 0, 2] + place(1, origin, picture.count)
                + place(2, origin + picture.count, block.count)
            if exif == nil {
                iloc = Array(iloc.prefix(22))
                iloc[7] = 1
                root["meta", "iinf"].boxes.removeLast()
                root["meta", "iinf"].head[5] = 1
                root["meta"].boxes.removeAll { $0.type == "iref" }
            }
            root["meta", "iloc"].head = iloc
            root["mdat"].head = picture + block
        }
    }

    static func place(_ id: UInt8, _ offset: Int, _ count: Int) -> [UInt8] {
        [0, id, 0, 0, 0, 1] + Planted.big(offset, 4) + Planted.big(count, 4)
    }

    static let home = Array("We live in the attic".utf8)

    @Test(arguments: ["garden.heic", "still.avif"])
    func `Clean photos are clean`(name: String) throws {
        let plain = try Self.photo(name).traces()
        #expect(plain.isEmpty, "\(plain)")
        let exif = try Self.photo(name, exif: Planted.tiff([Planted.orientation]))
        let traces = try exif.traces()
        #expect(traces.isEmpty, "\(traces)")
        let dated = try Self.photo(name, exif: Planted.exif(0x9003, 2, Array("2024:05:06 07:08:09\0".utf8)))
        #expect(try dated.traces(allowing: [.date]).isEmpty)
        #expect(!(try dated.traces(allowing: [.camera, .exposure, .copyright])).isEmpty)
        #expect(!(try ISOFile(name, mime: "image/heic").traces(allowing: [.date, .exposure, .copyright])).isEmpty)
    }

    @Test(arguments: ["garden.heic", "still.avif"])
    func `What is in an EXIF block is found`(name: String) throws {
        for block in [
            Planted.gpsTIFF, Planted.tiff([Planted.orientation]) + Self.home, Self.home, [],
            Planted.exif(0x927c, 7, Array("at home!".utf8)), Planted.exif(0xa431, 2, Array("1234567\0".utf8)),
        ] {
            let photo = try Self.photo(name, exif: block)
            #expect(!(try photo.traces(allowing: KeptFact.publishable)).isEmpty)
        }
    }

    @Test(arguments: ["garden.heic", "still.avif"])
    func `Each thing that is planted is found`(name: String) throws {
        let block = Planted.tiff([Planted.orientation])
        let photo = try Self.photo(name, exif: block)
        func item(_ id: UInt8, _ type: String, _ more: [UInt8] = [0], flags: UInt8 = 0) -> ISOBox {
            ISOBox("infe", [2, 0, 0, flags, 0, id, 0, 0] + Array(type.utf8) + more)
        }
        func planting(_ item: ISOBox, _ bytes: [UInt8]) -> (inout ISOBox) -> Void {
            { root in
                root["meta", "iinf"].boxes.append(item)
                root["meta", "iinf"].head[5] += 1
                let origin = name.hasSuffix("avif") ? 343 : 421
                root["meta", "iloc"].head += Self.place(item.head[5], origin + root["mdat"].head.count, bytes.count)
                root["meta", "iloc"].head[7] += 1
                root["mdat"].head += bytes
            }
        }
        let urn = Array("urn:com:apple:photo:2020:aux:hdrgainmap\0".utf8)
        var plants: [(String, (inout ISOBox) -> Void)] = [
            ("name", { $0["meta", "iinf"].boxes[0].head[12] = 0x41 }),
            ("longer name", { $0["meta", "iinf"].boxes[0].head += Self.home }),
            ("hdlr name", { $0["meta", "hdlr"].head[24] = 0x41 }),
            ("text in mdat", { $0["mdat"].head += Self.home }), ("byte in mdat", { $0["mdat"].head += [0, 0, 1] }),
            ("text before", { $0.boxes.insert(ISOBox("free", Self.home), at: 1) }),
            ("free in meta", { $0["meta"].boxes.append(ISOBox("free", [1])) }),
            ("free in ipco", { $0["meta", "iprp", "ipco"].boxes.append(ISOBox("free", [1])) }),
            ("brand", { $0["ftyp"].head += Array("home".utf8) }),
            ("a second meta", { $0.boxes.append($0["meta"]) }),
            ("a second mdat", { $0.boxes.append(ISOBox("mdat", [1])) }),
            ("moov", { $0.boxes.append(ISOBox("moov", Self.home)) }),
            ("uuid", { $0.boxes.append(ISOBox("uuid", Self.home)) }),
            ("idat", { $0["meta"].boxes.append(ISOBox("idat", Self.home)) }),
            ("grpl", { $0["meta"].boxes.append(ISOBox("grpl", Self.home)) }),
            ("uuid in meta", { $0["meta"].boxes.append(ISOBox("uuid", Self.home)) }),
            ("xml", { $0["meta"].boxes.append(ISOBox("xml ", Self.home)) }),
            ("bytes in iloc", { $0["meta", "iloc"].head += [0] }),
            ("bytes in pitm", { $0["meta", "pitm"].head += [0] }),
            ("item of nothing", { $0["meta", "pitm"].head[5] = 9 }),
            ("thumbnail", { $0["meta", "iref"].boxes.append(ISOBox("thmb", [0, 2, 0, 1, 0, 1])) }),
            ("reference", { $0["meta", "iref"].boxes.append(ISOBox("auxl", [0, 2, 0, 1, 0, 1])) }),
            ("reference with more", { $0["meta", "iref"].boxes[0].head += [0, 1] }),
            ("EXIF of nothing", { $0["meta", "iref"].boxes = [] }),
            ("mime item", planting(item(3, "mime", Array("\0application/rdf+xml\0".utf8)), Self.home)),
            ("uri item", planting(item(3, "uri ", Array("\0urn:x\0".utf8)), Self.home)),
            ("second EXIF", planting(item(3, "Exif"), [0, 0, 0, 0] + block)),
            ("tmap", planting(item(3, "tmap"), [0])),
            (
                "hidden picture",
                { root in
                    let picture = root["mdat"].head
                    planting(item(3, name.hasSuffix("avif") ? "av01" : "hvc1", flags: 1), picture)(&root)
                }
            ),
            ("protected", { $0["meta", "iinf"].boxes[0].head[7] = 1 }),
            (
                "a shorter picture",
                { root in
                    // By one byte that is not zero.
                    root["meta", "iloc"].head[21] -= 1
                }
            ),
            ("colour", { $0["meta", "iprp", "ipco"].boxes.append(ISOBox("colr", Array("home".utf8) + Self.home)) }),
            ("profile", { $0["meta", "iprp", "ipco"].boxes.append(ISOBox("colr", Array("prof".utf8) + Self.home)) }),
            ("depth or gain", { $0["meta", "iprp", "ipco"].boxes.append(ISOBox("auxC", [0, 0, 0, 0] + urn)) }),
            ("pixi", { $0["meta", "iprp", "ipco"].boxes.append(ISOBox("pixi", [0, 0, 0, 0, 1, 8, 8])) }),
        ]
        for type in [
            "udes", "cmin", "cmex", "crtt", "mdft", "uuid", "zzzz", "rloc", "lhvC", "irot", "clap", "a1op", "lsel",
        ] {
            plants.append((type, { $0["meta", "iprp", "ipco"].boxes.append(ISOBox(type, Self.home)) }))
        }
        if name.hasSuffix("heic") {
            plants.append(("hvcC", { $0["meta", "iprp", "ipco", "hvcC"].head += Self.home }))
            let unit = [0x4e, 1, 5, 20] + Self.home + [0x80]
            plants.append(
                (
                    "SEI in hvcC",
                    {
                        $0["meta", "iprp", "ipco", "hvcC"].head[22] += 1
                        $0["meta", "iprp", "ipco", "hvcC"].head += [39, 0, 1] + Planted.big(unit.count, 2) + unit
                    }
                ))
            for unit in [
                unit, [0x2a, 1] + Self.home + Self.home, [0x40, 1] + Self.home, [0x42, 1] + Self.home,
                [0x44, 1] + Self.home, [0x50, 1] + Self.home,
                [0x60, 1] + Self.home, [0x02, 9, 1],
            ] {
                plants.append(
                    (
                        "unit \(unit[0])",
                        { root in
                            Self.planting(Planted.big(unit.count, 4) + unit, in: &root)
                        }
                    ))
            }
        } else {
            plants.append(("av1C", { $0["meta", "iprp", "ipco", "av1C"].head += [0x2a, 2, 4, 0x80] }))
            for unit in [
                [0x2a, 22, 4] + Self.home + [0x80], [0x7a, 20] + Self.home, [0x42, 20] + Self.home,
                [0x2a, 3, 9, 1, 0x80],
            ] {
                plants.append(("unit \(unit[0])", { root in Self.planting(unit, in: &root) }))
            }
        }
        for (what, plant) in plants {
            #expect(!(try photo.changed(plant).traces(allowing: KeptFact.publishable)).isEmpty, "\(what)")
        }
        for tail in [[0], [0, 0, 0, 8], Self.home] { #expect(!(try photo.traces(of: photo.bytes + tail)).isEmpty) }
        // What is planted the same way and tells nothing.
        let harmless: [(String, (inout ISOBox) -> Void)] = [
            ("free", { $0.boxes.append(ISOBox("free", [0, 0])) }), ("zeros", { $0["mdat"].head += [0, 0, 0] }),
            ("free in ipco", { $0["meta", "iprp", "ipco"].boxes.append(ISOBox("free", [0])) }),
            ("rotation", { $0["meta", "iprp", "ipco"].boxes.append(ISOBox("irot", [1])) }),
            ("unit", { Self.planting(name.hasSuffix("heic") ? [0, 0, 0, 3, 0x46, 1, 0x50] : [0x12, 0], in: &$0) }),
        ]
        for (what, change) in harmless {
            let traces = try photo.changed(change).traces()
            #expect(traces.isEmpty, "\(what): \(traces)")
        }
    }

    /// In front of the picture's own data.
    static func planting(_ unit: [UInt8], in root: inout ISOBox) {
        func number(_ place: Int) -> Int {
            root["meta", "iloc"].head[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        let (length, exif) = (number(18), number(28))
        root["meta", "iloc"].head.replaceSubrange(18..<22, with: Planted.big(length + unit.count, 4))
        root["meta", "iloc"].head.replaceSubrange(28..<32, with: Planted.big(exif + unit.count, 4))
        root["mdat"].head.insert(contentsOf: unit, at: 0)
    }

    @Test(arguments: ["garden.heic", "still.avif"])
    func `Each byte in front of the picture is known, and so is its end`(name: String) throws {
        let photo = try Self.photo(name, exif: Planted.tiff([Planted.orientation]))
        var bytes = photo.bytes
        var quiet: [Int] = []
        for place in 0..<bytes.count - photo.root["mdat"].head.count {
            let byte = bytes[place]
            bytes[place] ^= 0x41
            if try photo.traces(of: bytes).isEmpty { quiet.append(place) }
            bytes[place] = byte
        }
        // Numbers of the decoder, the picture's size and the version of brands.
        #expect(quiet.count < 130, "\(quiet.count): \(quiet)")
        for count in stride(from: 0, to: bytes.count, by: 23) {
            #expect(!(try photo.traces(of: Array(bytes.prefix(count)))).isEmpty, "\(count)")
        }
    }

    @Test(arguments: ["garden.heic", "still.avif"])
    func `No damage makes the scan crash or hang, or hides a text`(name: String) throws {
        let photo = try Self.photo(name, exif: Planted.tiff([Planted.orientation]))
        for seed in 0..<200 {
            var numbers = SeededNumbers(seed: UInt64(seed))
            let words = Array("We live at 35.12345, 139.12345: ring twice!".utf8)
            let type = ["free", "uuid", "mdat", "meta"].randomElement(using: &numbers) ?? "free"
            let planted = photo.changed {
                $0.boxes.insert(ISOBox(type, words), at: 1)
                if seed % 4 < 2 { $0["meta"].boxes.append(ISOBox(type, words)) }
            }
            let all = KeptFact.publishable
            _ = try photo.traces(of: `The scan of what goes out`.damaged(photo.bytes, &numbers), allowing: all)
            let bytes = `The scan of what goes out`.damaged(planted.bytes, &numbers)
            if try photo.traces(of: bytes, allowing: all).isEmpty {
                #expect(bytes.firstRange(of: Array("139.12345".utf8)) == nil, "\(seed)")
            }
        }
    }
}
