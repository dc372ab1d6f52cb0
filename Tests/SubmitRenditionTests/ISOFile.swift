import Foundation
import Submit
import SubmitRendition

/// A box that can be changed, made without any of our code.
struct ISOBox {
    private static let heads = [
        "moov": 0, "trak": 0, "mdia": 0, "minf": 0, "stbl": 0, "dinf": 0, "edts": 0, "iprp": 0, "ipco": 0, "ilst": 0,
        "iref": 4, "iinf": 6, "stsd": 8, "dref": 8, "avc1": 78,
    ]

    var type: String
    /// What stands in front of the boxes in it, or all that is in it.
    var head: [UInt8]
    var boxes: [ISOBox] = []

    init(_ type: String, _ head: [UInt8] = [], _ boxes: [ISOBox] = []) {
        (self.type, self.head, self.boxes) = (type, head, boxes)
    }

    static func list(_ bytes: [UInt8]) -> [ISOBox] {
        var (list, place) = ([ISOBox](), 0)
        while place + 8 <= bytes.count {
            let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let type = String(String.UnicodeScalarView(bytes[place + 4..<place + 8].map { Unicode.Scalar($0) }))
            let content = Array(bytes[place + 8..<place + length])
            var head = heads[type]
            if type == "meta" { head = content.starts(with: [0, 0, 0, 0]) ? 4 : 0 }
            list.append(
                head.map { ISOBox(type, Array(content.prefix($0)), Self.list(Array(content.dropFirst($0)))) }
                    ?? ISOBox(type, content))
            place += length
        }
        return list
    }

    var bytes: [UInt8] {
        let content = head + boxes.flatMap(\.bytes)
        return Planted.big(content.count + 8, 4) + type.unicodeScalars.map { UInt8($0.value) } + content
    }

    subscript(_ path: String...) -> ISOBox {
        get { path.reduce(self) { box, type in box.boxes.first { $0.type == type } ?? ISOBox("none") } }
        set {
            guard let first = path.first, let index = boxes.firstIndex(where: { $0.type == first }) else {
                self = newValue
                return
            }
            var box = boxes[index]
            var rest = path.dropFirst()
            func change(_ box: inout ISOBox) {
                guard let next = rest.popFirst(), let index = box.boxes.firstIndex(where: { $0.type == next }) else {
                    box = newValue
                    return
                }
                change(&box.boxes[index])
            }
            change(&box)
            boxes[index] = box
        }
    }
}

/// A HEIC, AVIF or MP4 file whose parts can be changed; offsets go with what they point to.
struct ISOFile {
    var root: ISOBox
    var allowing: Set<KeptFact> = []
    let mime: String
    private let origin: Int

    init(_ name: String, mime: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Media")
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
        self.mime = mime
        root = ISOBox("root", [], ISOBox.list(bytes))
        origin = Self.start(of: root)
    }

    private static func start(of root: ISOBox) -> Int {
        root.boxes.prefix { $0.type != "mdat" }.reduce(8) { $0 + $1.bytes.count }
    }

    var bytes: [UInt8] {
        var root = root
        let moved = Self.start(of: root) - origin
        func move(_ head: inout [UInt8], _ places: some Sequence<Int>) {
            for place in places where place + 4 <= head.count {
                let number = head[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
                head.replaceSubrange(place..<place + 4, with: Planted.big(number + moved, 4))
            }
        }
        func moveAll(_ box: inout ISOBox) {
            if box.type == "stco" { move(&box.head, stride(from: 8, to: box.head.count, by: 4)) }
            // Items of 14 bytes, with one extent each.
            if box.type == "iloc" { move(&box.head, stride(from: 14, to: box.head.count, by: 14)) }
            for index in box.boxes.indices { moveAll(&box.boxes[index]) }
        }
        moveAll(&root)
        return root.boxes.flatMap(\.bytes)
    }

    func traces(of bytes: [UInt8]? = nil, allowing facts: Set<KeptFact>? = nil) throws -> [Trace] {
        try MetadataScan.traces(
            in: MemoryBytes(bytes ?? self.bytes), type: MediaType(kind: .photo, mime: mime, filenameExtension: ""),
            allowing: facts ?? allowing)
    }

    func changed(_ body: (inout ISOBox) -> Void) -> ISOFile {
        var file = self
        body(&file.root)
        return file
    }
}
