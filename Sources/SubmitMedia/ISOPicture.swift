/// The picture that a HEIF file is about, by its properties (ISO/IEC 23008-12, sections 6.5 and 9.3).
struct ISOPicture {
    let size: PixelSize
    /// What its properties turn and mirror, in their order, as EXIF's number: EXIF itself is not to be followed.
    let orientation: Int

    private static let mostBytes = 256 << 10

    init?(_ file: FileRegion) {
        guard let boxes = ISOMediaFile.box("meta", in: file)?.part(from: 4), let primary = Self.primary(boxes),
            let properties = ISOMediaFile.box("iprp", in: boxes),
            let list = ISOMediaFile.box("ipco", in: properties).map({ Array(ISOBoxes($0).prefix(1024)) })
        else { return nil }
        var size: PixelSize?
        // How often it is turned by 90 degrees against the clock, after it is mirrored, left for right, or not.
        var (turns, isMirrored) = (0, false)
        for box in ISOBoxes(properties) where box.type == ISOMediaFile.code("ipma") {
            for index in Self.associations(of: primary, box.content) where list.indices.contains(index - 1) {
                let (type, content) = list[index - 1]
                let value = Int(content.number(at: 0, width: 1) ?? 0)
                switch type {
                case ISOMediaFile.code("ispe") where size == nil:
                    size = PixelSize(content.number(at: 4, width: 4), content.number(at: 8, width: 4))
                case ISOMediaFile.code("irot"): turns = (turns + (value & 3)) % 4
                case ISOMediaFile.code("imir"):
                    // To mirror what is turned is to turn the other way what is mirrored; 0 is top for bottom.
                    turns = (4 - turns + (value & 1 == 1 ? 0 : 2)) % 4
                    isMirrored.toggle()
                default: break
                }
            }
        }
        guard let size else { return nil }
        self.size = size
        orientation = (isMirrored ? [2, 5, 4, 7] : [1, 8, 3, 6])[turns]
    }

    private static func primary(_ boxes: FileRegion) -> UInt64? {
        guard let box = ISOMediaFile.box("pitm", in: boxes), let version = box.number(at: 0, width: 1) else {
            return nil
        }
        return box.number(at: 4, width: version == 0 ? 2 : 4)
    }

    /// The numbers of its properties, from 1 on.
    private static func associations(of item: UInt64, _ content: FileRegion) -> [Int] {
        let bytes = content.bytes(mostBytes)
        let list = bytes.span
        guard let head = list.number(at: 0, width: 4), let count = list.number(at: 4, width: 4) else { return [] }
        let (isLong, width) = (head & 1 == 1, head >> 24 == 0 ? 2 : 4)
        var offset = 8
        for _ in 0..<min(count, UInt64(mostBytes)) {
            guard let id = list.number(at: offset, width: width),
                let number = list.number(at: offset + width, width: 1).map(Int.init)
            else { return [] }
            offset += width + 1
            if id == item {
                return (0..<number).compactMap {
                    list.number(at: offset + $0 * (isLong ? 2 : 1), width: isLong ? 2 : 1).map {
                        Int($0 & (isLong ? 0x7fff : 0x7f))
                    }
                }
            }
            offset += number * (isLong ? 2 : 1)
        }
        return []
    }
}
