import Foundation
import Submit
import SubmitRendition
import TestServers

/// Photos that tell where they were taken, in every way that other tools were seen to leave behind, as leaky.py makes
/// them.
struct LeakyPhotos {
    let folder: TemporaryFolder
    let names: [String]

    static func make() async throws -> LeakyPhotos {
        let folder = TemporaryFolder()
        let script = "\(#filePath)/../leaky.py"
        try await ChildProcess.output(
            of: ["/usr/bin/python3", (script as NSString).standardizingPath, folder.path])
        return LeakyPhotos(folder)
    }

    private init(_ folder: TemporaryFolder) {
        self.folder = folder
        names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    private init(folder: TemporaryFolder, names: [String]) {
        self.folder = folder
        self.names = names
    }

    /// Clean copies of all of them, under their names.
    func cleaned(keeping facts: Set<KeptFact>) throws -> LeakyPhotos {
        let copies = TemporaryFolder()
        for name in names {
            let copy = try Self.cleaned(folder.bytes(name), name, keeping: facts)
            try Data(copy).write(to: URL(fileURLWithPath: copies.path(name)))
        }
        return LeakyPhotos(folder: copies, names: names)
    }

    static func cleaned(_ bytes: [UInt8], _ name: String, keeping facts: Set<KeptFact>) throws -> [UInt8] {
        var copy: [UInt8] = []
        try CleanCopy.make(
            of: MemoryBytes(bytes), type: type(of: name), name: name, keeping: facts,
            write: { (piece) throws(SubmitFailure) in copy += piece })
        return copy
    }

    static func type(of name: String) -> MediaType {
        let end = String(name.split(separator: ".").last ?? "")
        return MediaType(kind: .photo, mime: end == "jpg" ? "image/jpeg" : "image/\(end)", filenameExtension: end)
    }

    /// What exiftool finds in each, by name: its groups and tags, embedded documents included.
    func tags() async throws -> [String: [String: String]] {
        let text = try await ChildProcess.output(
            of: ["exiftool", "-j", "-a", "-u", "-G1", "-ee3", "-n", folder.path], within: 120)
        let files = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
        return Dictionary(
            uniqueKeysWithValues: files.map { tags in
                let path = tags["SourceFile"] as? String ?? ""
                return ((path as NSString).lastPathComponent, tags.mapValues { "\($0)" })
            })
    }

    /// A digest of the pixels of all frames of each, by name, and of their colour profiles, as PIL decodes them; each line is a
    /// name and a digest.
    func pixels() async throws -> [String: String] {
        let script = """
            import hashlib, io, os, subprocess, sys
            from PIL import Image, ImageCms, ImageSequence
            for name in sorted(os.listdir(sys.argv[1])):
                path = os.path.join(sys.argv[1], name)
                if name == "arithmetic.jpg":  # PIL cannot
                    print(name, hashlib.sha256(subprocess.run(["djpeg", path], stdout=-1, check=True).stdout).hexdigest())
                    continue
                image = Image.open(path)
                digest = hashlib.sha256(image.mode.encode())
                profile = image.info.get("icc_profile")
                if profile and image.mode == "RGB":  # Its words go, its colours stay.
                    shown = ImageCms.profileToProfile(image, ImageCms.ImageCmsProfile(io.BytesIO(profile)), ImageCms.createProfile("sRGB"))
                    digest.update(shown.tobytes())
                # The second image of a pair is what is to go.
                for frame in [image] if name == "multi.jpg" else ImageSequence.Iterator(image):
                    digest.update(repr(frame.size).encode() + frame.tobytes())
                    digest.update(repr(frame.info.get("duration")).encode() + repr(frame.info.get("transparency")).encode())
                print(name, digest.hexdigest(), image.getexif().get(274, 1))
            """
        let text = try await ChildProcess.output(of: ["/usr/bin/python3", "-c", script, folder.path])
        return Dictionary(
            uniqueKeysWithValues: text.split(separator: "\n").map { line in
                let end = line.firstIndex(of: " ") ?? line.endIndex
                return (String(line[..<end]), String(line[end...]))
            })
    }
}

extension TemporaryFolder {
    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path(name)))) }
}
