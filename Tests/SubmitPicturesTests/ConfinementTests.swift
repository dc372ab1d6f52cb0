import Foundation
import SubmitPictures
import SubmitPixels
import SystemPackage
import TestServers
import Testing

/// What a process can do that reads the bytes of strangers.
@Suite struct ConfinementTests {
    @Test func `neither its first thread nor one that was there before opens, connects, starts or signals anything`()
        async throws
    {
        let probe = KnownPhotos.program.removingLastComponent().appending("ConfinedProbe")
        let lines = try await ChildProcess.output(of: [probe.string]).split(separator: "\n")
        // A kernel without seccomp.
        if lines == ["main confined refused"] { return }
        #expect(lines.count > 40 && lines.contains { $0.hasPrefix("early") })
        for line in lines.dropFirst() {
            let words = line.split(separator: " ")
            #expect((words.last == "done") == (words.count == 3 && words[1].hasPrefix("may-")), "\(line)")
        }
    }

    @Test func `every thread of it is confined where the kernel can do that, and it says whether it is`() async throws {
        let program = MediaProgram()
        let photos = try await KnownPhotos(program: program)
        _ = try photos.make("1x1.png", "", in: .png).get()
        let process = try #require(try photos.processes().first)
        let tasks = "/proc/\(process)/task"
        let numbers = try FileManager.default.contentsOfDirectory(atPath: tasks)
        #expect(numbers.count > 1)
        for number in numbers {
            let status = try String(contentsOfFile: "\(tasks)/\(number)/status", encoding: .utf8)
            #expect(status.contains(program.isConfined == true ? "Seccomp:\t2" : "Seccomp:\t0"), "\(status)")
            #expect(status.contains("NoNewPrivs:\t1") || program.isConfined == false)
        }
        #expect(try String(contentsOfFile: "/proc/\(process)/environ", encoding: .utf8).isEmpty)
        let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        #expect(limits.contains(#/Max address space +4294967296/#))
        #expect(limits.contains(#/Max core file size +0/#))
    }

    @Test func `holds nothing of a photo that it has answered for`() async throws {
        let photos = try await KnownPhotos()
        _ = try photos.make("400x300.png", "box=20x20", in: .webp).get()
        #expect(photos.trouble("truncated.jpg", "box=20x20") == .damaged)
        for process in try photos.processes() {
            let folder = "/proc/\(process)/fd"
            let places = try FileManager.default.contentsOfDirectory(atPath: folder).map {
                try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            }
            #expect(places.count { $0.hasPrefix("socket:") } == 1, "\(places)")
            #expect(places.allSatisfy { $0.hasPrefix("socket:") || $0 == "/dev/null" }, "\(places)")
        }
    }

    @Test func `every format is made and read there`() async throws {
        let photos = try await KnownPhotos()
        for format in PixelFormat.allCases {
            _ = try photos.make("turned1.heic", "", in: format).get()
            #expect(try photos.remake("turned1.heic", format, "box=60x60", in: .jpeg).height == 60, "\(format)")
        }
        for name in ["still.avif", "scan.tiff", "leaf.webp"] { _ = try photos.make(name, "", in: .avif).get() }
    }
}
