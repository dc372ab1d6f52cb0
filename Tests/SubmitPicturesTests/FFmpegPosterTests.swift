import Foundation
import SubmitConcurrency
import SubmitPictures
import SubmitPixels
import TestServers
import Testing

/// Pictures of films, looked at by PIL, which is other code than they are made with.
@Suite struct FFmpegPosterTests {
    private let folder = TemporaryFolder()

    private func poster(
        of path: String, _ mime: String = "video/mp4", by maker: FFmpegPoster = FFmpegPoster(),
        isCancelled: Bool = false
    ) async throws -> (path: String, maker: String) {
        let name = folder.path("poster-\(UUID()).png")
        // It blocks its thread.
        let outcome = await BlockingThreads.sources.run { () -> Result<String, PixelFailure> in
            let (input, output) = (
                open(path, O_RDONLY | O_CLOEXEC), open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            )
            defer { [input, output].forEach { close($0) } }
            do throws(PixelFailure) {
                return .success(try maker.poster(of: mime, from: input, to: output) { isCancelled })
            } catch {
                return .failure(error)
            }
        }
        return (name, try outcome.get())
    }

    /// Width, height and the colour in the middle.
    private func look(at path: String) async throws -> [Int] {
        let script = """
            import sys
            from PIL import Image
            i = Image.open(sys.argv[1]); i.load(); assert (i.mode, i.format) == ('RGB', 'PNG'), i
            print(*i.size, *i.getpixel((i.size[0] // 2, i.size[1] // 2)))
            """
        return try await ChildProcess.output(of: ["/usr/bin/python3", "-c", script, path]).split(separator: " ")
            .compactMap {
                Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
            }
    }

    @Test func `a film's picture is upright, and not the dark that it begins with`() async throws {
        let (level, turned) = (folder.path("level.mov"), folder.path("turned.mov"))
        let ffmpeg = ["ffmpeg", "-v", "error"]
        try await ChildProcess.output(
            of: ffmpeg + [
                "-f", "lavfi", "-i",
                "color=black:s=322x180:r=25:d=0.2[a];color=red:s=322x180:r=25:d=2[b];[a][b]concat", "-c:v", "mjpeg",
                level,
            ])
        try await ChildProcess.output(
            of: ffmpeg + ["-i", level, "-c", "copy", "-metadata:s:v:0", "rotate=90", turned])
        for (path, size) in [(level, [322, 180]), (turned, [180, 322])] {
            let (picture, maker) = try await poster(of: path, "video/quicktime")
            let seen = try await look(at: picture)
            #expect(Array(seen.prefix(2)) == size && seen[2] > 200 && seen[3] < 60 && seen[4] < 60, "\(seen)")
            #expect(maker.contains(#/^ffmpeg \S*\d/#), "\(maker)")
        }
    }

    @Test(arguments: [
        ("mov", "video/quicktime"), ("mp4", "video/mp4"), ("m4v", "video/x-m4v"), ("mkv", "video/x-matroska"),
        ("webm", "video/webm"), ("avi", "video/x-msvideo"),
    ])
    func `every kind of film has one`(end: String, mime: String) async throws {
        let film = (#filePath as NSString).deletingLastPathComponent + "/../Media/boat.\(end)"
        #expect(try await look(at: await poster(of: film, mime).path).first ?? 0 > 100)
    }

    @Test func `what is no film is damaged, whatever it says that it is`() async throws {
        let photo = (#filePath as NSString).deletingLastPathComponent + "/../Media/harbour.jpg"
        let list = folder.path("list.mp4")
        try "ffconcat version 1.0\nfile /etc/passwd\n#EXTM3U\nhttp://127.0.0.1:1/\n".write(
            toFile: list, atomically: true, encoding: .utf8)
        for path in [photo, list] {
            let failure = await #expect(throws: PixelFailure.self) { try await poster(of: path) }
            guard case .trouble(.damaged, _) = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
        }
    }

    @Test func `a program that is missing, stays away, dies or does nothing is told apart`() async throws {
        func program(_ lines: String) throws -> FFmpegPoster {
            let path = folder.path("program-\(UUID())")
            try "#!/bin/sh\n\(lines)\n".write(toFile: path, atomically: true, encoding: .utf8)
            chmod(path, 0o755)
            return FFmpegPoster(program: path, patience: .seconds(1))
        }
        let film = (#filePath as NSString).deletingLastPathComponent + "/../Media/boat.mp4"
        #expect(FFmpegPoster(program: "/nowhere/ffmpeg").unavailable?.contains("install ffmpeg") == true)
        await #expect(throws: PixelFailure.late) {
            try await poster(of: film, by: program("[ \"$1\" = -version ] || exec sleep 600"))
        }
        await #expect(throws: PixelFailure.died) {
            try await poster(of: film, by: program("[ \"$1\" = -version ] || kill -9 $$"))
        }
        await #expect(throws: PixelFailure.trouble(.damaged, "ffmpeg finds no picture in it")) {
            try await poster(of: film, by: program("exit 0"))
        }
        await #expect(throws: PixelFailure.cancelled) {
            try await poster(of: film, by: program("[ \"$1\" = -version ] || exec sleep 600"), isCancelled: true)
        }
    }
}
