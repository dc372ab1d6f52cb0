internal import FoundationEssentials
internal import Submit

/// A real picture or video of any size that nobody has seen before: for services that look into what they are given, and
/// for those that know again what they had.
///
/// It is a very small one, with noise in it where each format has room for what is no picture.
package enum InventedMedia: Sendable, Hashable, CaseIterable {
    case jpeg, png, mp4

    /// Its bytes: the same for the same seed. Those too few for one are noise.
    package func bytes(count: Int, seed: UInt64) -> [UInt8] {
        let room = count - model.count - overhead
        guard room >= 0 else { return ScriptedBytes.content(count: count, seed: seed) }
        let noise = ScriptedBytes.content(count: room, seed: seed)
        switch self {
        case .jpeg: return jpeg(noise)
        case .png:
            let chunk = Array("suBm".utf8) + noise
            // Before the last chunk, IEND.
            let end = model.count - 12
            return model[..<end] + bigEndian(UInt32(room)) + chunk + bigEndian(crc32(chunk)) + model[end...]
        case .mp4: return model + bigEndian(UInt32(room + overhead)) + Array("free".utf8) + noise
        }
    }

    var type: MediaType {
        switch self {
        case .jpeg: .jpeg
        case .png: MediaType(kind: .photo, mime: "image/png", filenameExtension: "png")
        case .mp4: MediaType(kind: .video, mime: "video/mp4", filenameExtension: "mp4")
        }
    }

    /// Bytes that the smallest room for noise takes itself.
    private var overhead: Int {
        switch self {
        case .jpeg: 0
        case .png: 12
        case .mp4: 8
        }
    }

    /// 16 x 16 pixels, or one frame of that.
    private var model: [UInt8] {
        let text =
            switch self {
            case .jpeg: Self.jpegModel
            case .png: Self.pngModel
            case .mp4: Self.mp4Model
            }
        return Data(base64Encoded: text).map(Array.init) ?? []
    }

    /// Comments of at most 65,533 bytes after the first marker (ITU-T T.81, B.2.4.5).
    private func jpeg(_ noise: [UInt8]) -> [UInt8] {
        var bytes = Array(model.prefix(2))
        bytes.reserveCapacity(model.count + noise.count)
        var rest = noise[...]
        while rest.count >= 4 {
            let count = min(rest.count - 4, 65_533)
            bytes += [0xff, 0xfe, UInt8((count + 2) >> 8), UInt8((count + 2) & 0xff)]
            bytes += rest.prefix(count)
            rest = rest.dropFirst(count + 4)
        }
        // Any marker may have such bytes before it (B.1.1.2).
        bytes += [UInt8](repeating: 0xff, count: rest.count)
        return bytes + model[2...]
    }

    private func bigEndian(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// That of PNG (ISO/IEC 15948, annex D).
    private func crc32(_ bytes: [UInt8]) -> UInt32 {
        let table = (0..<256).map { (index: UInt32) in
            (0..<8).reduce(index) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xedb8_8320 }
        }
        return ~bytes.reduce(~0) { crc, byte in table[Int((crc ^ UInt32(byte)) & 0xff)] ^ crc >> 8 }
    }

    private static let jpegModel = """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqm\
        x5moq6T/wAALCAAQABABAREA/8QAFQABAQAAAAAAAAAAAAAAAAAABQb/xAAfEAACAQQCAwAAAAAAAAAAAAABAgMABAUxERIhUbH/2gAIAQEAAD8A\
        Nx6aqjtCkMTSyHhEUsx40BQePTVLXztDhrh1AJK9fPpiAftf/9k=
        """

    private static let pngModel = """
        iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAAAAAA6mKC9AAAAE0lEQVR42mNkEEAFTMxoYGQJAABvVgPgRxDBPgAAAABJRU5ErkJggg==
        """

    private static let mp4Model = """
        AAAAHGZ0eXBpc29tAAACAGlzb21pc28ybXA0MQAAAAhmcmVlAAAAGG1kYXQAAAGzABAHAAABthYFHLb9AAADMW1vb3YAAABsbXZoZAAAAAAAAAAA\
        AAAAAAAAA+gAAAPoAAEAAAEAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAIAAAJbdHJhawAAAFx0a2hkAAAAAwAAAAAAAAAAAAAAAQAAAAAAAAPoAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAQAA\
        AAAAAAAAAAAAAAAAQAAAAAAQAAAAEAAAAAAAJGVkdHMAAAAcZWxzdAAAAAAAAAABAAAD6AAAAAAAAQAAAAAB021kaWEAAAAgbWRoZAAAAAAAAAAA\
        AAAAAAAAQAAAAEAAVcQAAAAAAC1oZGxyAAAAAAAAAAB2aWRlAAAAAAAAAAAAAAAAVmlkZW9IYW5kbGVyAAAAAX5taW5mAAAAFHZtaGQAAAABAAAA\
        AAAAAAAAAAAkZGluZgAAABxkcmVmAAAAAAAAAAEAAAAMdXJsIAAAAAEAAAE+c3RibAAAANpzdHNkAAAAAAAAAAEAAADKbXA0dgAAAAAAAAABAAAA\
        AAAAAAAAAAAAAAAAAAAQABAASAAAAEgAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABj//wAAAGBlc2RzAAAAAAOAgIBP\
        AAEABICAgEEgEQAAAAAAAIAAAAAABYCAgC8AAAGwAQAAAbWJEwAAAQAAAAEgAMSNiAANAIQCFGMAAAGyTGF2YzYyLjI4LjEwMgaAgIABAgAAABRi\
        dHJ0AAAAAAAAAIAAAAAAAAAAGHN0dHMAAAAAAAAAAQAAAAEAAEAAAAAAHHN0c2MAAAAAAAAAAQAAAAEAAAABAAAAAQAAABRzdHN6AAAAAAAAABAA\
        AAABAAAAFHN0Y28AAAAAAAAAAQAAACwAAABidWR0YQAAAFptZXRhAAAAAAAAACFoZGxyAAAAAAAAAABtZGlyYXBwbAAAAAAAAAAAAAAAAC1pbHN0\
        AAAAJal0b28AAAAdZGF0YQAAAAEAAAAATGF2ZjYyLjEyLjEwMg==
        """
}
