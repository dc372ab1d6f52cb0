/// Fujifilm's RAF (https://libopenraw.freedesktop.org/formats/raf): metadata stands in the picture for looking at.
enum FujiRawFile {
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        preview(file).map(JPEGFile.metadata) ?? PhotoMetadata()
    }

    static func preview(_ file: FileRegion) -> FileRegion? {
        guard let offset = file.number(at: 84, width: 4), offset > 0, let length = file.number(at: 88, width: 4)
        else { return nil }
        return file.part(from: Int64(offset), length: Int64(length))
    }
}
