import Foundation
import TestServers
import Testing

/// What may be chosen: which files, where to, and what happens when a name is taken.
@Suite(.fewAtOnce) struct `A choice of` {
    @Test func `names on standard input, by lines or with NUL between them`() async throws {
        let submit = Submit()
        let paths = try Photos.make(2, in: submit.folder)
        try submit.folder.write(Photos.jpeg(700, seed: 7), to: "photos/odd\nname.jpg")
        let lines = try await submit.run(["--to", "file", "-"], input: paths.joined(separator: "\n") + "\n")
        #expect(lines.end == .exited(0) && lines.out.contains("file: 2 done"), "\(lines)")
        let nul = try await submit.run(
            ["--to", "file", "--reread", "-0", "-"], input: "photos/odd\nname.jpg\0photos/IMG_1000.jpg\0",
            in: submit.folder.path)
        #expect(nul.end == .exited(0) && nul.out.contains("file: 2 done"), "\(nul)")
        #expect(
            try await FolderDigests.of(submit.place) == FolderDigests.of(submit.folder.path("photos")))
        let none = try await submit.run(["--to", "file", "-"], input: "")
        #expect(none.end == .exited(0) && none.err == "", "\(none)")
    }

    @Test func `folders takes what is below them, and leaves behind what is hidden or linked unless that is asked for`()
        async throws
    {
        let submit = Submit()
        try Photos.make(2, in: submit.folder, "photos/inner/deep")
        try Photos.make(1, in: submit.folder, "photos/.hidden", prefix: "HID_")
        symlink(submit.folder.path("photos/inner"), submit.folder.path("photos/loop"))
        let outcome = try await submit.run("--to", "file", submit.folder.path("photos"))
        #expect(outcome.end == .exited(5) && outcome.out.contains("file: 2 done"), "\(outcome)")
        #expect(outcome.out.contains("photos: 1 linked folder (loop)\n"), "\(outcome)")
        #expect(outcome.out.contains("photos/.hidden: 1 hidden file (HID_1000.jpg)\n"), "\(outcome)")
        #expect(outcome.lines.last == "Not everything was sent: 2 files were left behind.")
        let verbose = try await submit.run("-v", "--to", "file", submit.folder.path("photos"))
        #expect(verbose.out.contains("left behind: \(submit.folder.path("photos/loop")) (linked folder)"), "\(verbose)")
        let all = try await submit.run("--hidden", "--follow-links", "--to", "file", submit.folder.path("photos"))
        #expect(all.end == .exited(0) && all.out.contains("file: 1 done"), "\(all)")
    }

    @Test func `one file however often it is named, and each link of another name, are what they are`() async throws {
        let submit = Submit()
        try Photos.make(2, in: submit.folder)
        link(submit.folder.path("photos/IMG_1000.jpg"), submit.folder.path("photos/hard.jpg"))
        symlink("IMG_1000.jpg", submit.folder.path("photos/soft.jpg"))
        symlink("photos/IMG_1000.jpg", submit.folder.path("IMG_1000.jpg"))
        symlink("photos", submit.folder.path("way"))
        let outcome = try await submit.run(
            [
                "--to", "file", "photos/IMG_1000.jpg", "./photos/IMG_1000.jpg", "photos/../photos/IMG_1000.jpg",
                submit.folder.path("photos/IMG_1000.jpg"), "way/IMG_1000.jpg", "photos", "photos/", "way/../photos",
                "photos/IMG_1001.jpg",
            ], in: submit.folder.path)
        #expect(outcome.end == .exited(0) && outcome.out.contains("file: 4 done"), "\(outcome)")
        #expect(
            try submit.names().sorted() == ["IMG_1000.jpg", "IMG_1001.jpg", "hard.jpg", "soft.jpg"], "\(outcome)")
        let other = try await submit.run(
            ["--reread", "--to", "file", "photos/IMG_1000.jpg", "IMG_1000.jpg"], in: submit.folder.path)
        #expect(other.end == .exited(0) && other.out.contains("file: 2 done"), "\(other)")
        let none = try await submit.run(["--to", "file", "gone.jpg", "./gone.jpg"], in: submit.folder.path)
        #expect(none.end == .exited(1) && none.troubles.count == 2, "\(none)")
    }

    /// Sends `a.jpg` where other bytes have its name already.
    private func conflict(_ policy: String) async throws -> (
        outcome: Outcome, place: [String: String], bucket: [String: String], old: String, new: String
    ) {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        for (folder, seed) in [("old", 1), ("new", 2)] as [(String, UInt64)] {
            try submit.folder.folder(folder)
            try submit.folder.write(Photos.jpeg(4000, seed: seed), to: "\(folder)/a.jpg")
        }
        #expect(try await submit.run("--to", "file,objstore", submit.folder.path("old/a.jpg")).end == .exited(0))
        let outcome = try await submit.run(
            "--on-conflict", policy, "--to", "file,objstore", submit.folder.path("new/a.jpg"))
        #expect(try submit.leftovers().isEmpty)
        return (
            outcome, try await FolderDigests.of(submit.place), try await bucket.digests(),
            try await FolderDigests.of(submit.folder.path("old"))["a.jpg"]!,
            try await FolderDigests.of(submit.folder.path("new"))["a.jpg"]!
        )
    }

    @Test func `rename keeps both`() async throws {
        let (outcome, place, bucket, old, new) = try await conflict("rename")
        #expect(outcome.end == .exited(0), "\(outcome)")
        for held in [place, bucket] {
            #expect(
                held.count == 2 && held["a.jpg"] == old && held.first { $0.key != "a.jpg" }?.value == new, "\(held)")
        }
    }

    @Test func `skip leaves the old one and says so`() async throws {
        let (outcome, place, bucket, old, _) = try await conflict("skip")
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(place == ["a.jpg": old] && bucket == ["a.jpg": old])
        #expect(outcome.lines.filter { $0.contains("left alone and nothing was stored") }.count == 2, "\(outcome)")
        // Nothing was proven of what was not stored.
        #expect(!outcome.out.contains("verified"), "\(outcome)")
        for name in ["file", "objstore"] { #expect(outcome.lines.contains("\(name): 1 skipped, 0 B"), "\(outcome)") }
    }

    @Test func `overwrite keeps the copy of another photo of the same name`() async throws {
        let (outcome, place, bucket, old, new) = try await conflict("overwrite")
        #expect(outcome.end == .exited(0), "\(outcome)")
        for held in [place, bucket] {
            #expect(held.count == 2 && held["a.jpg"] == old && held["a-1.jpg"] == new, "\(held)")
        }
    }

    @Test func `overwrite replaces the earlier version of the same file`() async throws {
        let submit = Submit()
        for seed in [1, 2] as [UInt64] {
            try submit.folder.write(Photos.jpeg(4000, seed: seed), to: "a.jpg")
            let outcome = try await submit.run(
                "--on-conflict", "overwrite", "--to", "file", submit.folder.path("a.jpg"))
            #expect(outcome.end == .exited(0), "\(outcome)")
        }
        let source = try await FolderDigests.of(submit.folder.path)["a.jpg"]
        let held = try await FolderDigests.of(submit.place)
        #expect(held.count == 1 && held["a.jpg"] == source, "\(held)")
    }

    @Test func `fail leaves the old one and fails`() async throws {
        let (outcome, place, bucket, old, _) = try await conflict("fail")
        #expect(outcome.end == .exited(1) && outcome.troubles.count == 2, "\(outcome)")
        #expect(place == ["a.jpg": old] && bucket == ["a.jpg": old])
        #expect(outcome.troubles.allSatisfy { $0.contains("a.jpg") && $0.contains("rename") }, "\(outcome)")
    }

    @Test func `an album is a folder and a prefix`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        let path = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run("--album", "2024/Am Hafen", "--to", "file,objstore", path)
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(try await FolderDigests.of(submit.place).keys.sorted() == ["2024/Am Hafen/IMG_1000.jpg"])
        #expect(try await bucket.objects().map(\.name) == ["2024/Am Hafen/IMG_1000.jpg"])
        #expect(try await submit.list().allSatisfy { $0.album == "2024/Am Hafen" })
    }

    @Test func `a template sorts by the date of capture`() async throws {
        let submit = Submit()
        try submit.configure(
            "destinations:\n  archive:\n    type: file\n    path: \(submit.place)\n"
                + "    template: '{year}/{month}/{name}'\n"
        )
        let harbour = try #require(Photos.samples.first { $0.hasSuffix("/harbour.jpg") })
        let outcome = try await submit.run("--to", "archive", harbour)
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(try await FolderDigests.of(submit.place).keys.sorted() == ["2024/05/harbour.jpg"])
    }

    /// At 16:45 UTC, which is all that the first two tell; at 18:45 by the clock of the third one.
    @Test(arguments: [("UTC0", "17 16"), ("NZST-12", "18 04"), ("HST10", "17 06")])
    func `a video whose date is in UTC lies at the day that it was here`(zone: String, here: String) async throws {
        let submit = Submit()
        try submit.configure(
            "destinations:\n  archive:\n    type: file\n    path: \(submit.place)\n    template: '{day} {hour}/{name}'\n"
        )
        let videos = ["/boat.mp4", "/boat.mkv", "/boat.mov"].compactMap { name in
            Photos.samples.first { $0.hasSuffix(name) }
        }
        let outcome = try await submit.run(["--to", "archive"] + videos, env: ["TZ": zone])
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(
            try await FolderDigests.of(submit.place).keys.sorted()
                == ["\(here)/boat.mkv", "\(here)/boat.mp4", "17 18/boat.mov"].sorted())
    }

    @Test func `default destinations comes from the configuration, and else is file`() async throws {
        let submit = Submit()
        let path = try Photos.make(1, in: submit.folder)[0]
        #expect(try await submit.run(path).out.contains("file: 1 done"))
        let (one, two) = (submit.folder.path("one"), submit.folder.path("two"))
        try submit.configure(
            """
            default: [left, right]
            destinations:
              left:
                type: file
                path: \(one)
              right:
                type: folder
                path: \(two)
            """)
        let outcome = try await submit.run(path)
        #expect(
            outcome.end == .exited(0) && outcome.out.contains("left: 1 done") && outcome.out.contains("right: 1 done"),
            "\(outcome)")
        #expect(try await FolderDigests.of(one) == FolderDigests.of(two))
    }
}
