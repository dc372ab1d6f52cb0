import Foundation
import SystemPackage
import TestServers
import Testing

@testable import SubmitCommand

/// A card with what a camera puts on one.
@Suite(.fewAtOnce) struct `A card` {
    /// On a file system of its own, as a card is.
    private func make(_ photos: Int = 3) throws -> TemporaryFolder {
        let card = TemporaryFolder(in: "/dev/shm")
        try Photos.make(photos, in: card, "DCIM/100CANON")
        try card.write("x", to: "DCIM/100CANON/M0100.CTG")
        try card.folder("System Volume Information")
        try card.write("x", to: "System Volume Information/WPSettings.dat")
        return card
    }

    private func configured() throws -> Submit {
        let submit = Submit()
        try submit.configure(
            """
            destinations:
              nas:
                type: file
                path: "\(submit.folder.path("nas"))"
              second:
                type: file
                path: "\(submit.folder.path("second"))"

            """)
        return submit
    }

    private func run(_ arguments: [String], _ submit: Submit) async throws -> Outcome {
        try await submit.run(arguments, env: ["SUBMIT_FILE_PATH": ""])
    }

    @Test func `is sent, looked at again and called safe, and its files are deleted when that is asked for`()
        async throws
    {
        let submit = try configured()
        let disk = try make()
        let card = disk.path
        let outcome = try await run(["card", "--to", "nas,second", card], submit)
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(outcome.out.contains("\nsafe to format: 3 of 3 at 2 places (nas, second), "), "\(outcome)")
        #expect(outcome.out.contains("nas proves its copies by itself."), "\(outcome)")
        let again = try await run(["card", "--json", "--free", "--to", "nas,second", card], submit)
        #expect(again.end == .exited(0), "\(again)")
        let verdict = try #require(again.lines.first { $0.contains("\"event\":\"card\"") })
        #expect(verdict.contains("\"is_safe\":true") && verdict.contains("\"safe\":3"), "\(again)")
        #expect(try again.events("source-removed").count == 3, "\(again)")
        let left = try FileManager.default.subpathsOfDirectory(atPath: card).filter { $0.hasSuffix(".jpg") }
        #expect(left.isEmpty)
        #expect(try submit.names(in: submit.folder.path("nas")).count == 3)
        let empty = try await run(["card", "--to", "nas,second", card], submit)
        #expect(empty.end == .exited(1) && empty.out.contains("not safe to format: no photo"), "\(empty)")
    }

    @Test func `with a file that cannot be sent is not safe, and says which and why`() async throws {
        let submit = try configured()
        let disk = try make()
        let card = disk.path
        try disk.write("", to: "DCIM/100CANON/broken.jpg")
        try disk.write("a new raw", to: "DCIM/100CANON/IMG_9.NEW")
        let outcome = try await run(["card", "--to", "nas", "--free", card], submit)
        #expect(outcome.end == .exited(1), "\(outcome)")
        #expect(outcome.err.contains("not safe: \(card)/DCIM/100CANON/broken.jpg: It is empty"), "\(outcome)")
        #expect(outcome.out.contains("not safe to format: 3 of 4 at 1 place (nas)"), "\(outcome)")
        #expect(FileManager.default.fileExists(atPath: card + "/DCIM/100CANON/IMG_1000.jpg"))
        unlink(card + "/DCIM/100CANON/broken.jpg")
        let left = try await run(["card", "--to", "nas", card], submit)
        #expect(left.end == .exited(5) && left.out.contains("but 1 other file was left behind"), "\(left)")
    }

    @Test func `whose destination holds other bytes by now is not safe, whatever the journal says`() async throws {
        let submit = try configured()
        let disk = try make()
        let card = disk.path
        #expect(try await run(["card", "--to", "nas,second", card], submit).end == .exited(0))
        try submit.folder.write("other", to: "nas/IMG_1000.jpg")
        unlink(submit.folder.path("second/IMG_1001.jpg"))
        let outcome = try await run(["card", "--free", "--to", "nas,second", card], submit)
        #expect(outcome.end == .exited(1), "\(outcome)")
        #expect(outcome.out.contains("not safe to format: 1 of 3"), "\(outcome)")
        #expect(outcome.err.contains("not safe at second: \(card)/DCIM/100CANON/IMG_1001.jpg"), "\(outcome)")
        #expect(outcome.err.contains("`submit repair nas second` sends"), "\(outcome)")
        #expect(try await run(["repair", "nas", "second"], submit).end == .exited(0))
        #expect(try await run(["card", "--to", "nas,second", card], submit).end == .exited(0))
        #expect(try FileManager.default.contentsOfDirectory(atPath: card + "/DCIM/100CANON").count == 4)
    }

    @Test func `whose copies are on itself is not safe`() async throws {
        let submit = try configured()
        let card = try submit.folder.folder("card/DCIM")
        try Photos.make(1, in: submit.folder, "card/DCIM")
        let outcome = try await run(["card", "--to", "nas", card], submit)
        #expect(outcome.end == .exited(1) && outcome.out.contains("not safe to format: 0 of 1"), "\(outcome)")
        #expect(outcome.err.contains("The copy there is on the same disk as the file."), "\(outcome)")
    }

    @Test func `with a link is on its own disk, wherever the link leads to`() async throws {
        let submit = Submit()
        let (card, place) = (TemporaryFolder(in: "/dev/shm"), TemporaryFolder(in: "/dev/shm"))
        try submit.configure("destinations:\n  nas: { type: file, path: \"\(place.path("nas"))\" }\n")
        try card.folder("DCIM")
        symlink(try Photos.make(1, in: submit.folder)[0], card.path("DCIM/link.jpg"))
        let outcome = try await run(["card", "--to", "nas", card.path], submit)
        #expect(outcome.end == .exited(1) && outcome.err.contains("on the same disk"), "\(outcome)")
    }

    @Test func `that holds a destination, and a whole machine, are not sent unless that is meant`() async throws {
        let submit = Submit()
        try Photos.make(1, in: submit.folder)
        for arguments in [["--to", "file", submit.folder.path], ["--to", "file", "/"], ["card", "/"]] {
            let outcome = try await submit.run(arguments)
            #expect(outcome.end == .exited(2) && outcome.troubles.count == 1, "\(outcome)")
            #expect(outcome.err.contains("nothing was sent"), "\(outcome)")
        }
        let listed = try await submit.run(["--to", "file", "-"], input: "/\n")
        #expect(listed.end == .exited(2) && listed.err.contains("whole machine"), "\(listed)")
        #expect(try await submit.list().isEmpty)
    }

    @Test func `is found among what is mounted, by the folders that cameras make`() throws {
        let folder = TemporaryFolder()
        for name in ["a card/dcim", "video/PRIVATE/AVCHD", "disk/photos"] { try folder.folder(name) }
        let table = ["a card", "video", "disk", "nowhere"].map { name in
            "36 35 8:17 / \(folder.path(name).replacing(" ", with: "\\040")) rw,relatime - ext4 /dev/sdb1 rw"
        }
        let cards = MountedCards.all(table.joined(separator: "\n") + "\n")
        #expect(cards.map(\.string) == [folder.path("a card"), folder.path("video")])
        #expect(MountedCards.all("").isEmpty)
        #expect(throws: (any Error).self) { try MountedCards.only([]) }
        #expect(throws: (any Error).self) { try MountedCards.only(cards) }
        #expect(try MountedCards.only([cards[0]]) == cards[0])
    }

    @Test func `is safe though some of it failed before it arrived`() async throws {
        let submit = try configured()
        let disk = try make()
        let names = try FileManager.default.subpathsOfDirectory(atPath: disk.path).filter { $0.hasSuffix(".jpg") }
        let path = disk.path(try #require(names.first))
        #expect(try await run(["--later", "--to", "nas", path], submit).end == .exited(0))
        rename(path, path + ".away")
        #expect(try await run(["resume"], submit).end == .exited(1))
        rename(path + ".away", path)
        let other = try await run(["card", "--to", "second", disk.path], submit)
        #expect(other.end == .exited(1) && (other.out + other.err).contains("It is needed yet"), "\(other)")
        let outcome = try await run(["card", "--to", "nas", disk.path], submit)
        #expect(outcome.end == .exited(0) && outcome.out.contains("safe to format: 3 of 3"), "\(outcome)")
    }

    @Test func `on which a program is still writing is not safe, and none of its files is deleted`() async throws {
        let submit = try configured()
        let disk = try make()
        let half = disk.path("DCIM/100CANON/half.jpg")
        try FileManager.default.copyItem(atPath: disk.path("DCIM/100CANON/IMG_1000.jpg"), toPath: half)
        let writer = open(half, O_WRONLY | O_APPEND | O_CLOEXEC)
        let sent = try await run(["--to", "nas", disk.path], submit)
        #expect(sent.end == .exited(5), "\(sent)")
        #expect(
            sent.lines.last
                == "Not everything was sent: 1 file is still being written. Run the same command again when it is complete."
        )
        let quiet = try await run(["--quiet", "--to", "nas", disk.path], submit)
        #expect(quiet.end == .exited(5) && quiet.out == "" && quiet.err.contains("still being written"), "\(quiet)")
        let card = try await run(["card", "--free", "--to", "nas", disk.path], submit)
        #expect(card.end == .exited(1) && card.out.contains("not safe to format: 3 of 4"), "\(card)")
        #expect(card.err.contains("not safe: \(half): It is still being written."), "\(card)")
        #expect(FileManager.default.fileExists(atPath: disk.path("DCIM/100CANON/IMG_1000.jpg")))
        #expect([1, 2, 3].withUnsafeBytes { write(writer, $0.baseAddress, 3) } == 3)
        close(writer)
        let whole = try await run(["card", "--free", "--to", "nas", disk.path], submit)
        #expect(whole.end == .exited(0) && whole.out.contains("safe to format: 4 of 4"), "\(whole)")
        #expect(!FileManager.default.fileExists(atPath: half))
    }

    @Test func `has one line for each cause, and its sums agree`() async throws {
        let submit = try configured()
        let card = try submit.folder.folder("card/DCIM")
        try Photos.make(5, in: submit.folder, "card/DCIM")
        try submit.folder.write("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>", to: "card/DCIM/IMG_1000.xmp")
        try submit.folder.write("", to: "card/DCIM/MEMSTICK.IND")
        let outcome = try await run(["card", "--to", "nas", card], submit)
        #expect(outcome.end == .exited(1), "\(outcome)")
        let causes = outcome.err.split(separator: "\n").filter { $0.hasPrefix("not safe") }
        #expect(causes.count == 1 && causes[0].hasPrefix("not safe at nas: 5 files, \(card)/"), "\(outcome)")
        #expect(outcome.out.contains("left behind: 1 file\n"), "\(outcome)")
        #expect(outcome.out.contains("card/DCIM: 1 sidecar (IMG_1000.xmp)\n"), "\(outcome)")
        #expect(!outcome.err.contains("submit repair"), "\(outcome)")
        #expect(outcome.out.contains("Not everything was sent: 1 file was left behind.\n"), "\(outcome)")
        #expect(outcome.out.contains("left out: 1 file of cameras, programs and systems\n"), "\(outcome)")
        let verbose = try await run(["card", "--verbose", "--to", "nas", card], submit)
        #expect(verbose.err.split(separator: "\n").filter { $0.hasPrefix("not safe") }.count == 5, "\(verbose)")
    }

    @Test func `whose sidecars were sent earlier is safe to format without another word`() async throws {
        let submit = try configured()
        let disk = try make()
        try disk.write("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>", to: "DCIM/100CANON/IMG_1000.xmp")
        #expect(try await run(["--any-file", "--to", "nas", disk.path("DCIM")], submit).end == .exited(0))
        let outcome = try await run(["card", "--to", "nas", disk.path], submit)
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(outcome.out.contains("safe to format: 5 of 5"), "\(outcome)")
        #expect(!outcome.out.contains("Not everything was sent"), "\(outcome)")
    }

    @Test func `that has files which are left behind names some of them`() async throws {
        let submit = try configured()
        let disk = try make()
        for name in ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"] {
            try disk.write("text", to: "DCIM/100CANON/\(name)")
        }
        let outcome = try await run(["card", "--to", "nas", disk.path], submit)
        #expect(outcome.end == .exited(5), "\(outcome)")
        #expect(
            outcome.out.contains("100CANON: 5 files of unknown type (a.txt, b.txt, c.txt and 2 more)\n"), "\(outcome)")
    }
}
