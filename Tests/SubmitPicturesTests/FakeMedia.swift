import Foundation
import SubmitPictures
import SubmitPixels
import SystemPackage
import TestServers

/// A program that speaks as submit-media does and makes nothing: how often it was started is written down.
struct FakeMedia {
    private let folder = TemporaryFolder()

    var path: FilePath { FilePath(folder.path("submit-media")) }
    var program: MediaProgram { MediaProgram(path: path) }

    /// How often it was started.
    var starts: Int { get throws { try folder.text("starts").count } }

    /// Asks for anything.
    func ask(_ program: MediaProgram) -> Result<PixelResult, PixelFailure> {
        let photo = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let output = open(folder.path("output"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer {
            close(photo)
            close(output)
        }
        let job = PixelJob(mime: "image/png", recipe: PixelRecipe())
        do throws(PixelFailure) {
            return .success(try program.render(job, from: photo, to: output, isCancelled: { false }).result)
        } catch {
            return .failure(error)
        }
    }

    /// - Parameters:
    ///   - begin: Python that is run before it says that it is ready. `start` is how many starts there were.
    ///   - ask: Python that is run when it was asked for something: `say` answers, `count` is how many times it was asked.
    init(begin: String = "", ask: String) throws {
        try folder.write(
            """
            #!/usr/bin/python3
            import os, signal, socket
            peer = socket.socket(fileno=0)
            with open("\(folder.path("starts"))", "a+") as starts:
                starts.write("x")
                start = starts.tell()
            def say(text): peer.send(text.encode())
            \(begin)
            say("ready free fake")
            count = 0
            while True:
                message, descriptors, _, _ = socket.recv_fds(peer, 4096, 2)
                if not message: break
                for descriptor in descriptors: os.close(descriptor)
                count += 1
                \(ask)

            """, to: "submit-media")
        chmod(path.string, 0o755)
    }
}
