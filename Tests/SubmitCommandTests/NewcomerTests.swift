import Foundation
import TestServers
import Testing

/// The first commands of somebody who has configured nothing.
@Suite struct NewcomerTests {
    /// Nothing says where `file` is.
    private static let unset = ["env", "-u", "SUBMIT_FILE_PATH"]

    @Test func `the first folder that a newcomer sends goes to a folder outside of the pictures`() async throws {
        let submit = Submit()
        try Photos.make(3, in: submit.folder, "home/Pictures")
        for _ in 0..<2 {
            let sent = try await submit.run(
                ["~/Pictures".replacing("~", with: submit.folder.path("home"))], wrapper: Self.unset)
            #expect(sent.end == .exited(0), "\(sent)")
        }
        #expect(try submit.names(in: submit.folder.path("home/Submitted")).count == 3)
        #expect(!FileManager.default.fileExists(atPath: submit.folder.path("home/Pictures/Submitted")))
        let watched = try await submit.run(
            ["watch", "--once", submit.folder.path("home/Pictures")], wrapper: Self.unset)
        #expect(watched.end == .exited(0), "\(watched)")
    }

    @Test func `a destination's folder below a named folder is left out and reported in one line`() async throws {
        let submit = Submit(place: nil, [:])
        let photos = submit.folder.path("photos")
        try Photos.make(3, in: submit.folder)
        try submit.configure("destinations: {nas: {type: file, path: \(photos)/mine/copies}}\n")
        for _ in 0..<2 {
            let sent = try await submit.run("--to", "nas", photos)
            #expect(sent.end == .exited(0), "\(sent)")
        }
        #expect(try submit.names(in: "\(photos)/mine/copies").count == 3)
        let again = try await submit.run("--to", "nas", photos)
        #expect((again.out + again.err).contains("left out: \(photos)/mine/copies, where submit stores its copies"))
        #expect(!(again.out + again.err).contains("left behind"), "\(again)")
        let own = try await submit.run("--to", "nas", "\(photos)/mine/copies")
        #expect(own.end == .exited(2) && own.err.contains("the folder in which “nas” stores its copies"), "\(own)")
        // Originals may lie among the copies: a card is formatted as a whole.
        let card = try await submit.run("card", photos, "--to", "nas")
        #expect(card.end == .exited(2) && card.err.contains("contains the folder"), "\(card)")
        let watched = try await submit.run("watch", "--once", "--to", "nas", photos)
        #expect(watched.end == .exited(0), "\(watched)")
    }

    @Test func `a journal from before keeps its default folder among the pictures`() async throws {
        let submit = Submit()
        let old = submit.folder.path("home/Pictures/Submitted")
        let photos = try Photos.make(2, in: submit.folder)
        // As an early version did it.
        #expect(try await submit.run([photos[0]], env: ["SUBMIT_FILE_PATH": old]).end == .exited(0))
        #expect(try await submit.run([photos[1]], wrapper: Self.unset).end == .exited(0))
        #expect(try submit.names(in: old).count == 2)
        // The disk of the pictures is unmounted: nothing goes elsewhere.
        try FileManager.default.moveItem(
            atPath: submit.folder.path("home/Pictures"), toPath: submit.folder.path("home/away"))
        let listed = try await submit.run(["destinations"], wrapper: Self.unset)
        #expect(listed.out.contains(old), "\(listed)")
    }
}
