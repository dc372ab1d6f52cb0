import Foundation
import Submit
import SubmitRendition
import TestServers
import Testing

/// A film for two eyes, as phones and headsets make them (ISO/IEC 14496-15, 9; Apple, “Stereo Video ISOBMFF Extensions”).
struct `A film with a picture for each eye` {
    private static let words = Array("We live at 35.12345, 139.12345: ring twice!".utf8)
    /// Of the second layer: coded bytes, and a message.
    private static let second: [UInt8] = [0x02, 0x09] + (0..<80).map { UInt8($0 * 37 % 251 | 128) }
    private static let message: [UInt8] = [0x4e, 0x09, 5, UInt8(words.count)] + words + [0x80]

    private static func unit(_ bytes: [UInt8]) -> [UInt8] { Planted.big(bytes.count, 4) + bytes }

    /// One frame, made of a photo.
    private static func film(hasLayers: Bool) throws -> ISOFile {
        let photo = try `The scan of HEIC and AVIF`.photo().root
        let setup = photo["meta", "iprp", "ipco", "hvcC"].head
        let frame = photo["mdat"].head + unit(second) + unit(message)
        return try ISOFile("boat.mp4", mime: "video/mp4").changed { root in
            root["mdat"].head = frame
            let list = ["moov", "trak", "mdia", "minf", "stbl"]
            root[list[0], list[1], list[2], list[3], list[4]].boxes.removeAll {
                ["ctts", "sdtp", "stss"].contains($0.type)
            }
            for (name, numbers) in [
                ("stsz", [0, frame.count, 1]), ("stts", [0, 1, 1, 512]), ("stsc", [0, 1, 1, 1, 1]),
            ] {
                root[list[0], list[1], list[2], list[3], list[4], name].head = numbers.flatMap { Planted.big($0, 4) }
            }
            let chunks = root[list[0], list[1], list[2], list[3], list[4], "stco"].head
            root[list[0], list[1], list[2], list[3], list[4], "stco"].head = [0, 0, 0, 0, 0, 0, 0, 1] + chunks[8..<12]
            var entry = root[list[0], list[1], list[2], list[3], list[4], "stsd", "avc1"]
            entry.type = "hvc1"
            entry.boxes = [ISOBox("hvcC", setup)]
            if hasLayers {
                entry.boxes.append(ISOBox("lhvC", [1, 0xf0, 0, 0xfc, 0xcf] + layered(Array(setup[22...]))))
                let eyes = ISOBox(
                    "eyes", ISOBox("stri", [0, 0, 0, 0, 3]).bytes + ISOBox("hero", [0, 0, 0, 0, 1]).bytes)
                entry.boxes.append(ISOBox("vexu", eyes.bytes))
                entry.boxes.append(ISOBox("hfov", [0, 0, 0xfa, 0]))
            }
            root[list[0], list[1], list[2], list[3], list[4], "stsd"].boxes = [entry]
        }
    }

    /// The lists of settings, of the second layer.
    private static func layered(_ lists: [UInt8]) -> [UInt8] {
        var (lists, place) = (lists, 1)
        for _ in 0..<lists[0] {
            let count = Int(lists[place + 1]) << 8 | Int(lists[place + 2])
            place += 3
            for _ in 0..<count {
                lists[place + 3] = lists[place + 3] & 7 | 8
                place += 2 + Int(lists[place]) << 8 + Int(lists[place + 1])
            }
        }
        return lists
    }

    private static func copy(hasLayers: Bool) throws -> [UInt8] {
        let bytes = try film(hasLayers: hasLayers).bytes
        #expect(Data(bytes).range(of: Data(second)) != nil && Data(bytes).range(of: Data(words)) != nil)
        let copy = try CleanedISOFiles.clean(bytes, "boat.mp4", keeping: [])
        let traces = try MetadataScan.traces(
            in: MemoryBytes(copy), type: MediaType(kind: .video, mime: "video/mp4", filenameExtension: "mp4"),
            allowing: [])
        #expect(traces.isEmpty, "\(traces)")
        #expect(Data(copy).range(of: Data(words)) == nil)
        return copy
    }

    @Test func `keeps both, and no words among either`() throws {
        let copy = try Data(Self.copy(hasLayers: true))
        #expect(copy.range(of: Data(Self.second)) != nil)
        for name in ["lhvC", "vexu", "stri", "hero", "hfov"] {
            #expect(copy.range(of: Data(name.utf8)) != nil, "\(name)")
        }
    }

    @Test func `that does not say so keeps one`() throws {
        #expect(try Data(Self.copy(hasLayers: false)).range(of: Data(Self.second)) == nil)
    }
}
