import Foundation
import Submit
import SubmitRendition
import TestServers

/// Samples in which places were put, and copies of them.
struct CleanedISOFiles {
    static let types = [
        "heic": MediaType(kind: .photo, mime: "image/heic", filenameExtension: "heic"),
        "avif": MediaType(kind: .photo, mime: "image/avif", filenameExtension: "avif"),
        "mp4": MediaType(kind: .video, mime: "video/mp4", filenameExtension: "mp4"),
        "m4v": MediaType(kind: .video, mime: "video/x-m4v", filenameExtension: "m4v"),
        "mov": MediaType(kind: .video, mime: "video/quicktime", filenameExtension: "mov"),
    ]
    /// Latitude and longitude, as exiftool takes them.
    static let places = ["NE": (35.6762, 139.6503), "SW": (-35.6762, -139.6503), "NW": (35.6762, -139.6503)]

    let folder = TemporaryFolder()

    static func sample(_ name: String) throws -> [UInt8] {
        let media = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return [UInt8](try Data(contentsOf: media.appendingPathComponent("Media/\(name)")))
    }

    static func clean(_ bytes: [UInt8], _ name: String, keeping facts: Set<KeptFact>) throws -> [UInt8] {
        var copy: [UInt8] = []
        let end = String(name.split(separator: ".").last ?? "")
        guard let type = types[end] else { throw CocoaError(.fileReadUnknown) }
        try CleanCopy.make(
            of: MemoryBytes(bytes), type: type, name: name, keeping: facts,
            write: { (piece) throws(SubmitFailure) in copy += piece })
        return copy
    }

    /// Writes a sample with the tags that exiftool is told to.
    func plant(_ arguments: [String], in sample: String, as name: String) async throws -> [UInt8] {
        try folder.write(Self.sample(sample), to: name)
        try await ChildProcess.output(
            of: ["exiftool", "-q", "-m", "-n", "-overwrite_original"] + arguments + [name], folder: folder.path,
            within: 60)
        return try bytes(name)
    }

    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path(name))))
    }

    /// All that exiftool knows of a file, a tag a line.
    func tags(_ bytes: [UInt8], _ name: String) async throws -> [String] {
        try folder.write(bytes, to: name)
        let text = try await ChildProcess.output(
            of: ["exiftool", "-a", "-u", "-G1", "-s", "-ee3", "--System:all", name], folder: folder.path, within: 60)
        return "\(text)".split(separator: "\n").map(String.init)
    }

    /// Words of the places, and what tells of them.
    static func tellingWords(in bytes: [UInt8]) -> [String] {
        let text = Data(bytes)
        return ["35.6762", "139.6503", "Musterstadt", "SN12345", "xmpmeta", "rdf:RDF", "GPS", "x264 - core"].filter {
            text.range(of: Data($0.utf8)) != nil
        }
    }
}
