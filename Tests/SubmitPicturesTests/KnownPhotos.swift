import Foundation
import SubmitPictures
import SubmitPixels
import SystemPackage
import TestServers
import Testing

/// Photos of which pixels.py knows every pixel, and what was made of them.
struct KnownPhotos {
    static let program: FilePath = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return FilePath(own).removingLastComponent().appending("submit-media")
    }()

    let folder = TemporaryFolder()
    let names: [String]
    private let media: MediaProgram
    private let made = TemporaryFolder()

    /// - Parameter drawn: what pixels.py draws, `make` for small ones and `large` for those of many pixels; `nil`: nothing.
    init(program: MediaProgram = MediaProgram(), drawn: String? = "make") async throws {
        media = program
        switch drawn {
        case "make":
            // By links: who writes to one of them writes a file of another name.
            let small = try await Self.small.value
            for name in try FileManager.default.contentsOfDirectory(atPath: small.path) {
                try FileManager.default.linkItem(atPath: small.path(name), toPath: folder.path(name))
            }
        case let drawn?: try await Self.draw(drawn, in: folder)
        case nil: break
        }
        for name in drawn == "make" ? ["leaf.webp", "scan.tiff", "still.avif", "garden.heic"] : ["wide.heic"] {
            try FileManager.default.copyItem(
                atPath: "\(Self.samples)/\(name)",
                toPath: folder.path(name == "garden.heic" ? "garden.heic.jpg" : name))
        }
        names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// Drawn once for all tests.
    private static let small = Task {
        let folder = TemporaryFolder()
        try await draw("make", in: folder)
        return folder
    }

    private static func draw(_ verb: String, in folder: TemporaryFolder) async throws {
        try await ChildProcess.output(of: ["/usr/bin/python3", script, verb, folder.path, samples])
    }

    private static let samples = ("\(#filePath)/../../Media" as NSString).standardizingPath
    private static let script = ("\(#filePath)/../pixels.py" as NSString).standardizingPath

    func isHostile(_ name: String) -> Bool {
        ["bomb.png", "moving.gif", "truncated.jpg", "svg.jpg", "mvg.jpg", "pdf.jpg", "garden.heic.jpg"].contains(name)
    }

    func bytes(_ name: String) -> [UInt8] {
        FileManager.default.contents(atPath: folder.path(name)).map(Array.init) ?? []
    }

    func mime(_ name: String) -> String {
        let end = name.split(separator: ".").last ?? ""
        return end == "jpg" ? "image/jpeg" : "image/\(end)"
    }

    /// Makes one, to be found by ``found()``.
    func make(
        _ name: String, _ recipe: String, in format: PixelFormat, bytes: [UInt8]? = nil, mime: String? = nil,
        source: String? = nil, output: String? = nil, readable: Bool = true
    ) -> Result<PixelResult, PixelFailure> {
        let source = source ?? folder.path(name)
        if let bytes { try? Data(bytes).write(to: URL(fileURLWithPath: source)) }
        let path = output ?? made.path("made-\(name).\(format.rawValue)")
        let input = open(source, (readable ? O_RDONLY : O_WRONLY) | O_CLOEXEC)
        let result = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer {
            close(input)
            close(result)
        }
        let words =
            "\(mime ?? self.mime(name)) \(recipe)" + (recipe.contains("format=") ? "" : " format=\(format.rawValue)")
        guard let job = PixelJob(words) else { return .failure(.trouble(.unsupported, words)) }
        do throws(PixelFailure) {
            return .success(try media.render(job, from: input, to: result, isCancelled: { false }).result)
        } catch {
            unlink(path == output ? "" : path)
            return .failure(error)
        }
    }

    func trouble(_ name: String, _ recipe: String, output: String? = nil, readable: Bool = true) -> PixelTrouble? {
        let made = make(name, recipe, in: .jpeg, output: output, readable: readable)
        guard case .failure(.trouble(let trouble, _)) = made else { return nil }
        return trouble
    }

    struct Facts: Decodable {
        let width: Int
        let height: Int
        let mode: String
        let orientation: Int
        let profile: Bool
        let difference: Double?
        let corner: [Int]
        let extrema: [[Int]]

        var size: [Int] { [width, height] }
    }

    /// Makes one of what was made of another.
    func remake(_ name: String, _ format: PixelFormat, _ recipe: String, in next: PixelFormat) throws -> PixelResult {
        try make(
            "again-\(name)", recipe, in: next, mime: format.mime,
            source: made.path("made-\(name).\(format.rawValue)")
        ).get()
    }

    /// What PIL finds in all that were made.
    func found() async throws -> [String: Facts] {
        for name in try FileManager.default.contentsOfDirectory(atPath: made.path) {
            // PIL wants to see what they are by their bytes; the script takes one end off.
            try FileManager.default.moveItem(atPath: made.path(name), toPath: made.path("\(name).bin"))
        }
        let text = try await ChildProcess.output(of: ["/usr/bin/python3", Self.script, "compare", made.path])
        return try JSONDecoder().decode([String: Facts].self, from: Data(text.utf8))
    }

    /// The processes that this one's program has started: those of ours whose socket is none of another test's.
    func processes() throws -> [pid_t] { media.processes }

    func isGone(_ process: pid_t) async -> Bool {
        for _ in 0..<1000 {
            if kill(process, 0) != 0 { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}
